import { rootCertificates } from 'node:tls'
import { beyondOf } from '#areas/roles/power.ts'
import { heldCredentials } from '#areas/sessions/held-serials.ts'
import { countStrongFactors, requireFreshProof, strongFactors } from '#areas/sessions/proof.ts'
import { endAllAccess } from '#areas/sessions/recovery.ts'
import { findPerson, holdPerson, type Person } from '#areas/users/service.ts'
import { offer } from '#core/contract/slots.ts'
import type { House } from '#core/server/house.ts'
import { serve, type EndpointAnswer, type EndpointRequest, type Viewer } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { MetadataError, readCertificate, readMetadata } from '#standards/webauthn/metadata.ts'
import { passkeys } from '../contract.ts'
import { challengeMilliseconds, wantsProof } from '../rules.ts'
import { makeChallenge } from './challenges.ts'
import { findListNumber, listModels, replaceModels, updatePolicy } from './policy-store.ts'
import { countUsable, policyOf, presentPasskeys, refusedFor } from './present.ts'
import { prepare, register } from './register.ts'
import { prove, signIn } from './sign-in.ts'
import { hostOf } from './site.ts'
import { deletePasskey, deletePasskeysOf, deleteSpent, listAllPasskeys, listPasskeys, updatePasskey } from './store.ts'

export default serve(
  passkeys,
  {
    signIn,
    prove,
    prepare,
    register,

    async prepareProof(_input, { tenancy, viewer, house, request, now, fault }) {
      const host = hostOf(house, request)
      const rows = (await listPasskeys(tenancy, viewer.userId)).filter((row) => row.blocked_at === null && row.rp_id === host)
      if (rows.length === 0) fault('none')
      const challenge = makeChallenge(house, { use: 'prove', sessionId: viewer.credentialId, userId: viewer.userId }, now)
      const options = {
        challenge: challenge.toString('base64url'),
        rpId: host,
        timeout: challengeMilliseconds,
        userVerification: 'required',
        allowCredentials: rows.map(({ credential_id, transports }) => ({ type: 'public-key', id: credential_id, transports })),
      }
      return { credentialRequestOptionsJson: JSON.stringify(options) }
    },

    async list({ userId }, { tenancy, viewer, house, request, fault }) {
      if (userId !== viewer.userId && !viewer.permission.api.includes('userView')) fault('denied', { params: { permission: 'userView' } })
      const person = (await findPerson(tenancy.db, tenancy.tenantId, userId)) ?? fault('missing')
      return presentPasskeys(tenancy, person, { house, request, viewerId: viewer.userId })
    },

    async rename({ userId, id, newCustomName }, { tenancy, viewer, house, request, emit, fault }) {
      const person = (await findEditable(house, tenancy, viewer, userId, fault)) ?? fault('missing')
      if (!(await listPasskeys(tenancy, userId)).some((row) => row.id === id)) fault('missing')
      await updatePasskey(tenancy, id, { custom_name: newCustomName })
      emit('renamed', { userId, passkeyId: id, name: newCustomName }, userId)
      return presentPasskeys(tenancy, person, { house, request, viewerId: viewer.userId })
    },

    async remove({ userId, id }, { tenancy, viewer, house, request, now, emit, fault }) {
      await requireFreshProof(house, tenancy.db, viewer, now)
      const person = (await findEditable(house, tenancy, viewer, userId, fault)) ?? fault('missing')
      const row = (await listPasskeys(tenancy, userId)).find((one) => one.id === id) ?? fault('missing')
      const account = { tenantId: tenancy.tenantId, userId }
      const [before, usable] = [await countStrongFactors(house, tenancy.db, account), await countUsable(tenancy, userId)]
      const left = before - usable + (await countUsable(tenancy, userId, id))
      // Of others an administrator may: it is how somebody who has lost all devices gets in again, and no more than the reset of a code.
      if (userId === viewer.userId && before > 0 && left === 0) fault('last')
      await deletePasskey(tenancy, id)
      // Whoever has a lost or stolen key may be signed in by it.
      if (userId !== viewer.userId) await endAllAccess(tenancy.db, tenancy.tenantId, userId)
      emit('removed', { userId, passkeyId: id, name: row.custom_name }, userId)
      return presentPasskeys(tenancy, person, { house, request, viewerId: viewer.userId })
    },

    async policy(_input, { tenancy }) {
      const models = await listModels(tenancy)
      const known = models.map(({ aaguid, name, icon, compromised, roots }) => ({
        aaguid,
        name,
        icon,
        compromised,
        provable: roots.length > 0,
      }))
      return { ...(await policyOf(tenancy)), known, ...(await countRefused(tenancy)) }
    },

    async changePolicy({ version, deviceBound, models }, { tenancy, viewer, house, now, emit, fault }) {
      await requireFreshProof(house, tenancy.db, viewer, now)
      const known = await listModels(tenancy)
      if (models.some((aaguid) => !known.some((model) => model.aaguid === aaguid))) fault('unknownModel')
      if (wantsProof({ deviceBound, models }) && !known.some(({ roots }) => roots.length > 0)) fault('unprovable')
      if (!(await updatePolicy(tenancy, version, { deviceBound, models: [...new Set(models)] }))) fault('conflict')
      emit('policyChanged', { deviceBound, models })
      return { refused: (await countRefused(tenancy)).refused }
    },

    async importMetadata({ metadata }, { viewer, house, now, fault, transact }) {
      const read = () => {
        try {
          return readMetadata(metadata, { roots: publicRoots(), at: now })
        } catch (error) {
          if (error instanceof MetadataError) return fault('unreadable', { params: { reason: error.message } })
          throw error
        }
      }
      const { models, no } = read()
      await transact(async ({ tenancy, emit }) => {
        await requireFreshProof(house, tenancy.db, viewer, now)
        const last = await findListNumber(tenancy)
        // An older list, though it is signed as well, would take back what was reported of a model since.
        if (no !== undefined && last !== undefined && no < last) fault('older', { params: { no, last } })
        await replaceModels(
          tenancy,
          models.map((model) => ({ ...model, list_no: no ?? null })),
        )
        emit('metadataImported', { models: models.length })
      })
      return { models: models.length }
    },
  },
  {
    endpoints: {
      prepareAuthentication: { handle: giveChallenge },
      relatedOrigins: { handle: giveOrigins },
    },
    offers: [
      offer(strongFactors, (tenancy, userId) => countUsable(tenancy, userId)),
      offer(heldCredentials, async (db, tenantId, userId, now) =>
        (await countUsable({ db, tenantId, now }, userId)) > 0 ? ['passkey'] : [],
      ),
      offer(personalData, deletePasskeysOf),
    ],
    jobs: { clean: { inHouse: (house) => deleteSpent(house.database, house.now()) } },
  },
)

/** The list of all models is signed under a public root, so those that Node brings judge it. */
const publicRoots = () =>
  rootCertificates.flatMap((pem) => readCertificate(Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')) ?? [])

async function giveChallenge({ house, now }: EndpointRequest): Promise<EndpointAnswer> {
  return {
    headers: { 'content-type': 'application/x-webauthn-challenge', 'cache-control': 'no-store' },
    body: makeChallenge(house, { use: 'signIn' }, now),
  }
}

/** Pages that may use the passkeys of this host (WebAuthn Level 3, 5.11). */
async function giveOrigins({ house }: EndpointRequest): Promise<EndpointAnswer> {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ origins: [house.settings.origin] }) }
}

type Refuse = (code: 'denied' | 'beyond' | 'missing', detail?: { params: Record<string, string> }) => never

/** The person whose passkeys the viewer may change, held until the commit: who takes the last factor waits for who takes the last but one. */
async function findEditable(house: House, tenancy: Tenancy, viewer: Viewer, userId: string, fault: Refuse): Promise<Person | undefined> {
  const own = userId === viewer.userId
  if (!own && !viewer.permission.api.includes('userEdit')) fault('denied', { params: { permission: 'userEdit' } })
  const person = await holdPerson(tenancy.db, tenancy.tenantId, userId)
  if (person !== undefined && !own && (await beyondOf(house, tenancy, userId, viewer)).length > 0) fault('beyond')
  return person
}

async function countRefused(tenancy: Tenancy): Promise<{ refused: number; registered: number }> {
  const [rows, policy] = [await listAllPasskeys(tenancy), await policyOf(tenancy)]
  const models = new Map((await listModels(tenancy)).map((model) => [model.aaguid, model]))
  return { registered: rows.length, refused: rows.filter((row) => refusedFor(policy, row, models.get(row.aaguid)) !== undefined).length }
}
