// Sign-in: password, then code. Between the two stands a pending session that opens nothing but the code call.

import { fits, storedHash } from '#areas/users/passwords.ts'
import { findUsername, findPerson, holdPerson, noteSignIn } from '#areas/users/service.ts'
import { inTenant } from '#core/server/database.ts'
import { deviceCookie, deviceDays, makeDevice, readDevice } from '#core/server/devices.ts'
import { countAttempt, giveBack } from '#core/server/limits.ts'
import { readTenantSecret } from '#core/server/secrets.ts'
import type { CallContext } from '#core/server/serve.ts'
import { brandOf, termsOf } from '../brand.ts'
import { acceptCode, codeIsSet, offerCode } from '../codes.ts'
import type { sessions } from '../contract.ts'
import { countStrongFactors } from '../proof.ts'
import { openSession, pendingCookie, setSessionCookies, viewerDetails } from '../service.ts'
import { holdsStill } from './still.ts'
import { deleteSession, deleteWaiver, findSession, findWaiver, sessionStands } from './store.ts'

type Context<N extends keyof (typeof sessions)['calls']> = CallContext<typeof sessions, N>

export async function login({ username, password }: { username: string; password: string }, context: Context<'login'>) {
  const { house, now, request, fault, enter, actAs, respond, transact } = context
  const found = await findUsername(house.database, username)
  const known =
    found &&
    (await inTenant(house.database, found.tenantId, async (db) => ({
      person: await findPerson(db, found.tenantId, found.userId),
      hash: await storedHash(db, found.tenantId, found.userId),
    })))
  const right = await fits(house, password, known?.hash)
  const person = known?.person
  if (person === undefined) return fault('refused')
  await enter(person.tenantId)
  actAs({ userId: person.id, name: person.username })
  if (!right || !person.enabled || !person.activated) {
    await transact(async ({ db, emit }) => {
      await noteSignIn(db, person.tenantId, person.id, false, now)
      emit('signInFailed', { userId: person.id, step: 'password' }, person.id)
    })
    return fault('refused')
  }
  const outcome = await transact(async ({ db, emit }) => {
    if (!(await holdsStill(db, { tenantId: person.tenantId, userId: person.id, hash: known?.hash }))) return fault('refused')
    emit('passwordAccepted', { userId: person.id }, person.id)
    const account = { tenantId: person.tenantId, userId: person.id }
    const hasCode = await codeIsSet(db, person.tenantId, person.id)
    if (await findWaiver(db, person.tenantId, person.id)) {
      await noteSignIn(db, person.tenantId, person.id, true, now)
      const draft = { tenantId: person.tenantId, userId: person.id, address: request.address, userAgent: request.userAgent }
      const session = await openSession(db, { ...draft, stage: 'open', strong: false }, now)
      emit('signedIn', { userId: person.id, method: 'password' }, person.id)
      setSessionCookies(respond, session.secret, session.expiresAt)
      return [await viewerDetails(db, house, person, person.tenantId)]
    }
    // A password alone sets up no code where the person has something stronger.
    if (!hasCode && (await countStrongFactors(house, db, account)) > 0) return 'passkeyNeeded' as const
    const { secret } = await openSession(
      db,
      {
        tenantId: person.tenantId,
        userId: person.id,
        stage: 'pending',
        strong: false,
        address: request.address,
        userAgent: request.userAgent,
      },
      now,
    )
    respond.cookie(pendingCookie, secret, { maxAgeSeconds: 300 })
    const brand = await brandOf({ db, tenantId: person.tenantId }, request.host)
    const terms = await termsOf(db, person.tenantId)
    const disclaimer = terms === '' ? {} : { disclaimer: terms }
    if (hasCode) return { further_required_auth: 'TOTP', brand, ...disclaimer }
    const { qr, otpauth, secret: codeSecret, recovery_codes } = await offerCode(db, house, person)
    return { further_required_auth: 'TOTP', brand, ...disclaimer, qr, otpauth, secret: codeSecret, recovery_codes }
  })
  return outcome === 'passkeyNeeded' ? fault('passkeyNeeded') : outcome
}

export async function giveCode({ passcode }: { passcode: string }, context: Context<'TOTPAuth'>) {
  const { house, now, request, fault, enter, actAs, respond, transact, viewer } = context
  const pending = readTenantSecret('', request.cookies[pendingCookie] ?? '')
  const holder = viewer !== undefined ? { tenantId: viewer.homeTenantId, userId: viewer.userId } : pending && (await findPending(pending))
  if (holder === undefined) return fault('noAttempt')
  const { tenantId, userId } = holder
  await enter(tenantId)
  // By the person, not by the attempt: whoever knows the password could begin a fresh one for every few guesses. A signed-in person is counted at the door.
  const username = (await inTenant(house.database, tenantId, (db) => findPerson(db, tenantId, userId)))?.username ?? ''
  const device = readDevice(house, request.cookies[deviceCookie], username)
  const counted = viewer === undefined ? await countAttempt(house.database, 'code', { account: userId, device }, now) : []

  const outcome = await transact(async ({ db, emit }) => {
    const person = await holdPerson(db, tenantId, userId)
    if (person?.enabled !== true) return undefined
    actAs({ userId, name: person.username })
    const accepted = await acceptCode(db, house, tenantId, userId, passcode, now)
    if (accepted === undefined) {
      await noteSignIn(db, tenantId, userId, false, now)
      emit('signInFailed', { userId, step: 'code' }, userId)
      return undefined
    }
    // A password that was changed meanwhile has ended the session that the old one began.
    const begun = viewer === undefined && pending !== undefined ? await deleteSession(db, tenantId, pending.hash) : undefined
    const stands =
      viewer === undefined ? begun !== undefined : viewer.via !== 'session' || (await sessionStands(db, tenantId, viewer.credentialId))
    if (!stands) return fault('noAttempt')
    if (accepted === 'enrolled') {
      // Who has set up a code is asked for it.
      await deleteWaiver(db, tenantId, userId)
      emit('codeEnrolled', { userId }, userId)
    }
    if (viewer !== undefined) return { details: await viewerDetails(db, house, person, viewer.tenantId) }
    await noteSignIn(db, tenantId, userId, true, now)
    const session = await openSession(
      db,
      {
        tenantId,
        userId,
        stage: 'open',
        strong: true,
        address: request.address,
        userAgent: request.userAgent,
        openedBy: begun?.opened_by ?? '',
      },
      now,
    )
    emit('signedIn', { userId, method: accepted === 'recoveryCode' ? 'recoveryCode' : 'code' }, userId)
    return { details: await viewerDetails(db, house, person, tenantId), session }
  })
  if (outcome === undefined) return fault('wrongCode')
  await giveBack(house.database, counted)
  if (outcome.session !== undefined) {
    setSessionCookies(respond, outcome.session.secret, outcome.session.expiresAt)
    if (device === undefined) respond.cookie(deviceCookie, makeDevice(house, username), { maxAgeSeconds: deviceDays * 86_400 })
  }
  return [outcome.details]

  function findPending(secret: { tenantId: string; hash: string }) {
    return inTenant(house.database, secret.tenantId, async (db) => {
      const row = await findSession(db, secret.tenantId, secret.hash, 'pending', now)
      return row && { tenantId: row.tenant_id, userId: row.user_id }
    })
  }
}
