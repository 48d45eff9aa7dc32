// Registration: the options that the browser passes on, and the judgement of what came back. It belongs to one session from its beginning to its end.

import * as z from 'zod'
import { noteProof, requireFreshProof } from '#areas/sessions/proof.ts'
import { fullName, findPerson, holdPerson } from '#areas/users/service.ts'
import type { InputOf } from '#core/contract/contract.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { CallContext, Viewer } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { readJson } from '#standards/json/read.ts'
import { judgeRegistration, offeredAlgorithms, type RegistrationJson } from '#standards/webauthn/ceremony.ts'
import { readClientData } from '#standards/webauthn/client-data.ts'
import { WebauthnError } from '#standards/webauthn/refusal.ts'
import type { passkeys } from '../contract.ts'
import { Base64url, challengeMilliseconds, mostPasskeys, policyFault, wantsProof } from '../rules.ts'
import { judgeAttestation } from './attestation.ts'
import { challengeHash, challengeStands, makeChallenge } from './challenges.ts'
import { writeHandle } from './handle.ts'
import { findModel } from './policy-store.ts'
import { policyOf, presentPasskeys } from './present.ts'
import { hostOf, sitesOf } from './site.ts'
import { insertPasskey, insertSpent, listPasskeys } from './store.ts'

type Context<N extends keyof (typeof passkeys)['calls']> = CallContext<typeof passkeys, N>

const useOf = (viewer: Viewer) => ({ use: 'register', sessionId: viewer.credentialId, userId: viewer.userId }) as const

export async function prepare({ userId }: { userId: string }, { tenancy, viewer, house, request, now, fault }: Context<'prepare'>) {
  if (userId !== viewer.userId) fault('notYours')
  await requireFreshProof(house, tenancy.db, viewer, now)
  const person = (await findPerson(tenancy.db, tenancy.tenantId, userId)) ?? fault('missing')
  const registered = await listPasskeys(tenancy, userId)
  if (registered.length >= mostPasskeys) fault('enough')
  const options = {
    rp: { id: hostOf(house, request), name: 'Chancery' },
    user: { id: writeHandle({ tenantId: tenancy.tenantId, userId }), name: person.username, displayName: fullName(person) },
    challenge: makeChallenge(house, useOf(viewer), now).toString('base64url'),
    pubKeyCredParams: offeredAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: challengeMilliseconds,
    excludeCredentials: registered.map(({ credential_id, transports }) => ({ type: 'public-key', id: credential_id, transports })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: wantsProof(await policyOf(tenancy)) ? 'direct' : 'none',
  }
  return {
    credentialCreationOptionsJson: JSON.stringify(options),
    ...(await presentPasskeys(tenancy, person, { house, request, viewerId: viewer.userId })),
  }
}

const transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

const Answer = z.object({
  id: Base64url(1400),
  rawId: Base64url(1400),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Base64url(8000),
    attestationObject: Base64url(60_000),
    transports: z.array(z.string()).max(20).default([]),
  }),
})

export async function register(
  { credentialCreationResponseJson, customName }: InputOf<(typeof passkeys)['calls']['register']>,
  context: Context<'register'>,
) {
  const { viewer, house, request, now, fault, transact } = context
  const { tenantId } = viewer
  const json = readAnswer(credentialCreationResponseJson) ?? fault('unreadable')
  const registered = await judge()
  if ('reason' in registered) {
    await transact(async ({ emit }) => emit('refused', { userId: viewer.userId, reason: registered.reason }, viewer.userId))
    return fault('refused')
  }
  const model = await withTenancy(house, tenantId, (tenancy) => findModel(tenancy, registered.aaguid))
  const attestation = judgeAttestation(registered.attestation, model, now)
  return transact(async ({ tenancy, emit }) => {
    const person = await holdPerson(tenancy.db, tenantId, viewer.userId)
    if (person?.enabled !== true) return fault('not_logged_in')
    await requireFreshProof(house, tenancy.db, viewer, now)
    const refused = policyFault(await policyOf(tenancy), { ...registered, attestation, compromised: model?.compromised === true })
    if (refused !== undefined) return fault(refused)
    if ((await listPasskeys(tenancy, viewer.userId)).length >= mostPasskeys) return fault('enough')
    const { challenge } = readClientData(Buffer.from(json.response.clientDataJSON, 'base64url'))
    if (!(await insertSpent(tenancy.db, challengeHash(challenge), new Date(now.getTime() + challengeMilliseconds)))) return fault('refused')
    const id = timeOrderedId(now)
    await insertPasskey(tenancy, {
      id,
      user_id: viewer.userId,
      credential_id: registered.credentialId,
      public_key: registered.publicKey,
      algorithm: registered.algorithm,
      counter: registered.counter,
      custom_name: customName,
      aaguid: registered.aaguid,
      attestation,
      backup_eligible: registered.backupEligible,
      backed_up: registered.backedUp,
      transports: json.response.transports.filter((name) => transports.includes(name)),
      rp_id: registered.rpId,
    })
    // The device has just verified the person.
    await noteProof(tenancy.db, viewer, now, { strong: true })
    const { aaguid, backupEligible: synced } = registered
    emit('registered', { userId: viewer.userId, passkeyId: id, name: customName, synced, aaguid, attestation }, viewer.userId)
    return presentPasskeys(tenancy, person, { house, request, viewerId: viewer.userId })
  })

  function judge() {
    return judgeRegistration(json, {
      challenge: (signed) => challengeStands(house, signed, useOf(viewer), now),
      sites: sitesOf(house, request),
      algorithms: offeredAlgorithms,
    }).catch((error: unknown) => {
      if (error instanceof WebauthnError) return { reason: error.code }
      throw error
    })
  }
}

function readAnswer(text: string): (RegistrationJson & { response: { transports: string[] } }) | undefined {
  try {
    return Answer.parse(readJson(text, { values: 1_000 }))
  } catch {
    return undefined
  }
}
