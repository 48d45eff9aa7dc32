// The sign-in: begun on our page, shown on the listener that asks for certificates, ended on our page. The listener notes what was shown; who it is, and
// whether they may, is judged when the session is opened.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { sessions } from '#areas/sessions/contract.ts'
import { admit } from '#areas/sessions/first-factor.ts'
import { holdPerson } from '#areas/users/service.ts'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { ownPath } from '#core/server/own-path.ts'
import type { CallContext, RequestFacts, Respond } from '#core/server/serve.ts'
import { say } from '#standards/say/say.ts'
import { mtls } from '../contract.ts'
import { attemptMilliseconds, presentPath, type RefusalReason } from '../rules.ts'
import { judge, recognise } from './judge.ts'
import { anyAuthority, deleteAttempt, insertAttempt, lockPolicy, updateAttempt } from './store.ts'

type Context<N extends keyof (typeof mtls)['calls']> = CallContext<typeof mtls, N>
type Finished = OutputOf<(typeof mtls)['calls']['finish']>

export const bindingCookie = 'chancery-certificate'
export const openedBy = (certificateId: string): string => `certificate:${certificateId}`

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
const hashes = (text: string, hash: string): boolean => timingSafeEqual(Buffer.from(hashOf(text)), Buffer.from(hash))

export const isOffered = async (house: House): Promise<boolean> =>
  house.settings.certificateSignIn !== undefined && (await anyAuthority(house.database))

/** One value for all sign-ins of a browser, so that two tabs do not part. */
function bindBrowser({ cookies }: RequestFacts, respond: Respond): string {
  const known = cookies[bindingCookie] ?? ''
  const value = /^[\w-]{43}$/.test(known) ? known : randomBytes(32).toString('base64url')
  respond.cookie(bindingCookie, value, { maxAgeSeconds: attemptMilliseconds / 1000 })
  return hashOf(value)
}

export async function begin(
  { redirect }: InputOf<(typeof mtls)['calls']['begin']>,
  { house, now, request, respond, missed }: Context<'begin'>,
) {
  const path = ownPath(redirect)
  if (path === undefined) throw invalidField('redirect', say`This leads to another site`)
  // Counted although it succeeds: each leaves a row.
  missed()
  const { certificateSignIn } = house.settings
  if (certificateSignIn === undefined || !(await isOffered(house))) return {}
  const state = randomBytes(32).toString('base64url')
  await insertAttempt(house.database, {
    state_hash: hashOf(state),
    binding_hash: bindBrowser(request, respond),
    redirect: path,
    expires_at: new Date(now.getTime() + attemptMilliseconds),
  })
  return { url: `${certificateSignIn.url}${presentPath}?state=${state}` }
}

/**
 * Notes what a browser showed for an attempt. Answers where it goes: back to our page, whatever was shown. The ticket goes to this browser alone, so that
 * nobody who leads another person's browser here ends the sign-in as that person. It stands in the fragment, which no server and no log sees.
 */
export async function show(house: House, state: string, certificate: Uint8Array | undefined): Promise<string> {
  const page = house.settings.origin + to(mtls.screens.arrival, {}, { state })
  if (/^[\w-]{43}$/.test(state)) {
    const ticket = randomBytes(32).toString('base64url')
    const found = certificate === undefined ? undefined : await recognise(house.database, certificate)
    if (await updateAttempt(house.database, hashOf(state), { at: house.now(), found, ticketHash: hashOf(ticket) }))
      return `${page}#${ticket}`
  }
  return page
}

export async function finish({ state, ticket }: InputOf<(typeof mtls)['calls']['finish']>, context: Context<'finish'>): Promise<Finished> {
  const { house, fault, enter, actAs, request, respond, transact, missed, now } = context
  const attempt = await deleteAttempt(house.database, hashOf(state))
  const refuse = (reason: RefusalReason, certificateId?: string): Promise<Finished> => {
    missed()
    return transact(async ({ emit }) => {
      emit('refused', { ...(certificateId === undefined ? {} : { certificateId }), reason, reference: request.id }, certificateId ?? '')
      return { outcome: 'refused', reference: request.id }
    })
  }
  if (attempt === undefined || attempt.expires_at <= now || attempt.ticket_hash === null) return refuse('state')
  // The browser that began and the browser that showed the certificate are one: it has the cookie of the one and the ticket of the other.
  if (!hashes(request.cookies[bindingCookie] ?? '', attempt.binding_hash)) return refuse('binding')
  if (!hashes(ticket, attempt.ticket_hash)) return refuse('binding')
  const { tenant_id: tenantId, certificate_id: certificateId } = attempt
  if (tenantId === null || certificateId === null) return refuse('unknown')
  await enter(tenantId)
  const admitted = await transact(async ({ db, emit, emitFor }) => {
    const tenancy = { db, tenantId, now }
    // Held, so that whoever changes the policy waits for the session, and ends it.
    const policy = await lockPolicy(tenancy)
    const verdict = await judge(tenancy, policy, certificateId)
    if (verdict.refusal !== undefined) return verdict.refusal
    const person = await holdPerson(db, tenantId, verdict.person.id)
    if (person?.enabled !== true) return 'disabled'
    actAs({ userId: person.id, name: person.username })
    emit('accepted', { userId: person.id, certificateId }, person.id)
    return admit(
      { db, house, now, request, respond, emit: emitFor(sessions) },
      { person, method: 'certificate', openedBy: openedBy(certificateId), strong: policy?.strong === true, codeWaived: false },
    )
  })
  if (admitted === 'passkeyNeeded') return fault('passkeyNeeded')
  return typeof admitted === 'string' ? refuse(admitted, certificateId) : { ...admitted, redirect: attempt.redirect }
}
