// Opens a session for a person whom another room has recognised: a sign-in provider, a certificate. Where that stands for one factor alone, the sign-in code
// is asked for as after a password.

import { noteSignIn, type Person } from '#areas/users/service.ts'
import type { Database } from '#core/server/database.ts'
import { deviceCookie, deviceDays, makeDevice, readDevice } from '#core/server/devices.ts'
import type { House } from '#core/server/house.ts'
import type { Emit, RequestFacts, Respond } from '#core/server/serve.ts'
import { brandOf } from './brand.ts'
import { codeIsSet, offerCode, type Enrolment } from './codes.ts'
import type { sessions } from './contract.ts'
import { countStrongFactors } from './proof.ts'
import { deleteSessionsOpenedBy, findWaiver } from './server/store.ts'
import { openSession, pendingCookie, setSessionCookies, viewerDetails } from './service.ts'

export type Recognised = {
  person: Person
  method: 'provider' | 'certificate'
  /** What the session ends with (`endSessionsOpenedBy`). */
  openedBy: string
  /** Two factors were given already. */
  strong: boolean
  /** The session is opened by this one factor, and proves nothing strong. */
  codeWaived: boolean
}

type Where = { db: Database; house: House; now: Date; request: RequestFacts; respond: Respond; emit: Emit<typeof sessions> }

export type Admitted =
  | { outcome: 'signedIn'; viewers: Awaited<ReturnType<typeof viewerDetails>>[] }
  | {
      outcome: 'code'
      brand: Awaited<ReturnType<typeof brandOf>>
      enrolment?: Pick<Enrolment, 'qr' | 'otpauth' | 'secret' | 'recovery_codes'>
    }

/** The transaction is set to the person’s tenancy, and the person is held. `passkeyNeeded` opens nothing: the caller answers with that fault. */
export async function admit(
  { db, house, now, request, respond, emit }: Where,
  { person, method, openedBy, strong, codeWaived }: Recognised,
): Promise<Admitted | 'passkeyNeeded'> {
  const draft = { tenantId: person.tenantId, userId: person.id, address: request.address, userAgent: request.userAgent, openedBy }
  if (strong || codeWaived || (await findWaiver(db, person.tenantId, person.id))) {
    await noteSignIn(db, person.tenantId, person.id, true, now)
    const session = await openSession(db, { ...draft, stage: 'open', strong }, now)
    emit('signedIn', { userId: person.id, method }, person.id)
    setSessionCookies(respond, session.secret, session.expiresAt)
    if (readDevice(house, request.cookies[deviceCookie] ?? '', person.username) === undefined)
      respond.cookie(deviceCookie, makeDevice(house, person.username), { maxAgeSeconds: deviceDays * 86_400 })
    return { outcome: 'signedIn', viewers: [await viewerDetails(db, house, person, person.tenantId)] }
  }
  const hasCode = await codeIsSet(db, person.tenantId, person.id)
  // One factor alone sets up no code where the person has something stronger.
  if (!hasCode && (await countStrongFactors(house, db, { tenantId: person.tenantId, userId: person.id })) > 0) return 'passkeyNeeded'
  const { secret } = await openSession(db, { ...draft, stage: 'pending', strong: false }, now)
  respond.cookie(pendingCookie, secret, { maxAgeSeconds: 300 })
  const brand = await brandOf({ db, tenantId: person.tenantId }, request.host)
  if (hasCode) return { outcome: 'code', brand }
  const { qr, otpauth, secret: codeSecret, recovery_codes } = await offerCode(db, house, person)
  return { outcome: 'code', brand, enrolment: { qr, otpauth, secret: codeSecret, recovery_codes } }
}

/** Signs out whoever came by this, at once. */
export const endSessionsOpenedBy = (db: Database, tenantId: string, openedBy: string): Promise<void> =>
  deleteSessionsOpenedBy(db, tenantId, openedBy)
