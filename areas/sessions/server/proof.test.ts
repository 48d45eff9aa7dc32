// Step-up: what takes protection from an account wants to be proved anew.

import { beforeAll, describe, expect, test } from 'vitest'
import { hashPassword, storeHash } from '#areas/users/passwords.ts'
import { inTenant } from '#core/server/database.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { offerCode } from '../codes.ts'
import { sessions } from '../contract.ts'
import { updateCodeSecret } from './store.ts'

const house = await useHouse()
const password = 'correct horse battery staple'
const minute = 60_000
let acme: TestTenancy
let ada: TestPerson
let eve: TestPerson

const { confirmPassword, mfaReset, mfaEnrol } = sessions.calls
const proofNeeded = { status: 403, code: 'proof_needed' }

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  ada = await acme.person({ permissions: ['userEdit', 'userView'] })
  eve = await acme.person({ permissions: [] })
  for (const { id } of [ada, eve]) {
    const hash = await hashPassword(house.house, password)
    await inTenant(house.house.database, acme.id, (db) => storeHash(db, acme.id, id, hash, house.clock.now()))
  }
})

/** As if the person had scanned the QR. */
const withCode = ({ id, username }: TestPerson) =>
  inTenant(house.house.database, acme.id, async (db) => {
    await offerCode(db, house.house, { tenantId: acme.id, id, username })
    await updateCodeSecret(db, acme.id, id, { confirmed: true, offered: null, offered_at: null })
  })

describe('A change to how somebody signs in', () => {
  test('is made within five minutes of the sign-in, and after that when the password is given again', async () => {
    const page = await ada.session()
    await page.call(mfaReset, { userId: eve.id })
    house.clock.advance(5 * minute + 1000)
    await expect(page.call(mfaReset, { userId: eve.id })).rejects.toMatchObject(proofNeeded)
    await expect(page.call(confirmPassword, { password: 'not this one' })).rejects.toMatchObject({
      status: 403,
      fields: [{ field: 'password' }],
    })
    await expect(page.call(mfaReset, { userId: eve.id })).rejects.toMatchObject(proofNeeded)
    const { provedUntil } = await page.call(confirmPassword, { password })
    expect(Date.parse(provedUntil) - house.clock.now().getTime()).toBeGreaterThan(4.9 * minute)
    await page.call(mfaReset, { userId: eve.id })
    expect((await audited(house, acme.id)).filter(({ name, about }) => name === 'proved' && about === ada.id)).toHaveLength(1)
  })

  test('is not made by a token, whatever it may do besides', async () => {
    await expect(ada.call(mfaReset, { userId: eve.id })).rejects.toMatchObject({ status: 403, code: 'session_needed' })
    await expect(ada.call(confirmPassword, { password })).rejects.toMatchObject({ code: 'session_needed' })
  })

  test('proved in one session leaves the others as they are', async () => {
    const [one, other] = [await ada.session(), await ada.session()]
    house.clock.advance(6 * minute)
    await one.call(confirmPassword, { password })
    await expect(other.call(mfaReset, { userId: eve.id })).rejects.toMatchObject(proofNeeded)
  })
})

test('A session that was opened with a password alone changes nothing where the person has a code', async () => {
  const grace = await acme.person({ permissions: ['userEdit'] })
  const hash = await hashPassword(house.house, password)
  await inTenant(house.house.database, acme.id, (db) => storeHash(db, acme.id, grace.id, hash, house.clock.now()))
  const weak = await grace.session({ strong: false })
  // Without anything stronger the password is the strongest proof there is.
  await weak.call(mfaReset, { userId: eve.id })
  await withCode(grace)
  await expect(weak.call(mfaReset, { userId: eve.id })).rejects.toMatchObject(proofNeeded)
  await expect(weak.call(confirmPassword, { password })).rejects.toMatchObject({ status: 403, code: 'strongerNeeded' })
  await expect(weak.call(mfaEnrol, { password })).rejects.toMatchObject(proofNeeded)
  await expect((await grace.session()).call(mfaReset, { userId: eve.id })).resolves.toEqual({})
})
