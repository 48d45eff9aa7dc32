// Sign-in by a passkey. The person was verified by the device, so that it stands for the password and the code together. The account is found by the handle
// that the device gives back; a name is never asked for.

import { sessions } from '#areas/sessions/contract.ts'
import { noteProof } from '#areas/sessions/proof.ts'
import { openSession, setSessionCookies, viewerDetails } from '#areas/sessions/service.ts'
import { holdPerson, noteSignIn, type Person } from '#areas/users/service.ts'
import type { InputOf } from '#core/contract/contract.ts'
import { deviceCookie, deviceDays, makeDevice, readDevice } from '#core/server/devices.ts'
import type { CallContext } from '#core/server/serve.ts'
import type { passkeys } from '../contract.ts'
import { acceptSigned, findOwn, judgeSigned, type Accepted } from './assert.ts'
import { readHandle } from './handle.ts'

type Context<N extends keyof (typeof passkeys)['calls']> = CallContext<typeof passkeys, N>
type Assertion = InputOf<(typeof passkeys)['calls']['signIn']>

export async function signIn(json: Assertion, context: Context<'signIn'>) {
  const { house, request, now, fault, enter, actAs, respond, transact } = context
  const handle = readHandle(json.response.userHandle)
  const row = handle && (await findOwn(house, handle, json.id))
  if (handle === undefined || row === undefined || json.rawId !== json.id) return fault('unknown')
  const { tenantId, userId } = handle
  await enter(tenantId)

  const refuse = (code: 'refused' | 'policy' | 'blocked', reason: string): Promise<never> =>
    transact(async ({ db, emit, emitFor }) => {
      await noteSignIn(db, tenantId, userId, false, now)
      emitFor(sessions)('signInFailed', { userId, step: 'passkey' }, userId)
      emit('refused', { userId, passkeyId: row.id, reason }, userId)
    }).then(() => fault(code))

  const judged = await judgeSigned(context, row, json, { use: 'signIn' })
  if ('reason' in judged) return refuse('refused', judged.reason)

  type Opened = { details: Awaited<ReturnType<typeof viewerDetails>>; person: Person; session: Awaited<ReturnType<typeof openSession>> }
  const outcome = await transact(async ({ db, emit, emitFor }): Promise<Accepted | { outcome: 'open'; opened: Opened }> => {
    const person = await holdPerson(db, tenantId, userId)
    if (person?.enabled !== true || !person.activated) return { outcome: 'refused', reason: 'account' }
    actAs({ userId, name: person.username })
    const accepted = await acceptSigned({ db, tenantId, now }, json, judged.asserted)
    if (accepted.outcome === 'copied') emit('blocked', { userId, passkeyId: row.id }, userId)
    if (accepted.outcome !== 'good') return accepted
    if (accepted.counterFell) emit('counterFell', { userId, passkeyId: row.id }, userId)
    if (accepted.backedUp !== undefined) emit('backupChanged', { userId, passkeyId: row.id, backedUp: accepted.backedUp }, userId)
    await noteSignIn(db, tenantId, userId, true, now)
    const draft = { tenantId, userId, stage: 'open', strong: true, address: request.address, userAgent: request.userAgent } as const
    const session = await openSession(db, draft, now)
    emitFor(sessions)('signedIn', { userId, method: 'passkey' }, userId)
    return { outcome: 'open', opened: { details: await viewerDetails(db, house, person, tenantId), person, session } }
  })
  if (outcome.outcome === 'copied') return refuse('blocked', 'copied')
  if (outcome.outcome === 'refused') return refuse(codeOf(outcome.reason), outcome.reason)
  if (outcome.outcome !== 'open') return fault('unexpected')
  const { details, person, session } = outcome.opened
  setSessionCookies(respond, session.secret, session.expiresAt)
  if (readDevice(house, request.cookies[deviceCookie], person.username) === undefined)
    respond.cookie(deviceCookie, makeDevice(house, person.username), { maxAgeSeconds: deviceDays * 86_400 })
  return [details]
}

const codeOf = (reason: string): 'policy' | 'blocked' | 'refused' => (reason === 'policy' || reason === 'blocked' ? reason : 'refused')

/** Step-up: one of the person's own passkeys, over a challenge of this session. */
export async function prove(json: Assertion, context: Context<'prove'>) {
  const { house, viewer, now, fault, transact } = context
  const own = { tenantId: viewer.homeTenantId, userId: viewer.userId }
  const handle = readHandle(json.response.userHandle)
  const row = handle?.userId === own.userId && handle.tenantId === own.tenantId ? await findOwn(house, own, json.id) : undefined
  if (row === undefined) return fault('refused')
  const judged = await judgeSigned(context, row, json, { use: 'prove', sessionId: viewer.credentialId, userId: viewer.userId })
  const reason = await transact(async ({ db, emit, emitFor }) => {
    const about = { userId: own.userId, passkeyId: row.id }
    if ('reason' in judged) {
      emit('refused', { ...about, reason: judged.reason }, own.userId)
      return judged.reason
    }
    if ((await holdPerson(db, own.tenantId, own.userId))?.enabled !== true) return 'account'
    const accepted = await acceptSigned({ db, tenantId: own.tenantId, now }, json, judged.asserted)
    if (accepted.outcome === 'copied') emit('blocked', about, own.userId)
    if (accepted.outcome === 'refused') emit('refused', { ...about, reason: accepted.reason }, own.userId)
    if (accepted.outcome !== 'good') return accepted.outcome
    await noteProof(db, viewer, now, { strong: true })
    emitFor(sessions)('proved', { userId: own.userId, by: 'passkey' }, own.userId)
    return undefined
  })
  return reason === undefined ? {} : fault('refused')
}
