// Registering, listing, renaming and deleting passkeys, and the policy of the tenancy.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { hashPassword, storeHash } from '#areas/users/passwords.ts'
import { inTenant } from '#core/server/database.ts'
import { audited } from '#core/testing/events.ts'
import { refusal, useHouse, type TestTenancy } from '#core/testing/house.ts'
import { deviceBound } from '#standards/webauthn/authenticator.fixture.ts'
import { openManufacturer } from '#standards/webauthn/manufacturer.fixture.ts'
import { passkeys } from '../contract.ts'
import { newKey, personWithKey, register, signIn } from './passkeys.fixture.ts'

const house = await useHouse()
const minute = 60_000
let acme: TestTenancy
const [maker, stranger] = [openManufacturer(), openManufacturer()]
afterAll(() => [maker, stranger].forEach(({ close }) => close()))
const { list, prepare, rename, remove } = passkeys.calls

beforeAll(async () => {
  acme = await house.tenancy('Acme')
})

describe('A passkey is registered', () => {
  test('by its holder, who gets options to the letter and the list of all', async () => {
    const person = await acme.person({ permissions: [], givenName: 'Ada', familyName: 'Lovelace' })
    const page = await person.session()
    const { credentialCreationOptionsJson } = await page.call(prepare, { userId: person.id })
    expect(JSON.parse(credentialCreationOptionsJson)).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: person.username, displayName: 'Ada Lovelace' },
      timeout: 600_000,
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [],
    })
    const answer = await register(page, person.id, newKey(house), {}, ' Phone ')
    expect(answer).toMatchObject({
      username: person.username,
      displayName: 'Ada Lovelace',
      registeredCredentials: [{ customName: 'Phone', synced: true, proved: false, worksHere: true, blocked: false, host: 'localhost' }],
    })
    expect(JSON.stringify(answer)).not.toContain('public_key')
    expect((await audited(house, acme.id)).filter(({ about }) => about === person.id).map(({ name }) => name)).toContain('registered')
  })

  test('by nobody else, by no token, and not in a session that was proved long ago', async () => {
    const { person, page } = await personWithKey(house, acme)
    const admin = await acme.administrator.session()
    await expect(admin.call(prepare, { userId: person.id })).rejects.toMatchObject({ status: 403, code: 'notYours' })
    await expect(person.call(prepare, { userId: person.id })).rejects.toMatchObject({ code: 'session_needed' })
    house.clock.advance(5 * minute + 1000)
    await expect(page.call(prepare, { userId: person.id })).rejects.toMatchObject({ code: 'proof_needed' })
  })

  test('once, in the session that began it', async () => {
    const person = await acme.person({ permissions: [] })
    const [page, other] = [await person.session(), await person.session()]
    const key = newKey(house)
    const { credentialCreationOptionsJson } = await page.call(prepare, { userId: person.id })
    const credentialCreationResponseJson = JSON.stringify(key.create(JSON.parse(credentialCreationOptionsJson)))
    const finish = (from: typeof page) => from.call(passkeys.calls.register, { credentialCreationResponseJson, customName: 'Key' })
    await expect(finish(other)).rejects.toMatchObject({ status: 403, code: 'refused' })
    await finish(page)
    expect(await refusal(finish(page))).toMatchObject({ status: 403, code: 'refused' })
    await expect(register(page, person.id, key)).rejects.toMatchObject({ status: 409, code: 'taken' })
    const stranger = await acme.person({ permissions: [] })
    await expect(register(await stranger.session(), stranger.id, key)).rejects.toMatchObject({ status: 409, code: 'taken' })
  })

  test('only as an authenticator answers', async () => {
    const person = await acme.person({ permissions: [] })
    const page = await person.session()
    for (const credentialCreationResponseJson of ['', '{', '[]', '{"id":"a+/="}', `"${'x'.repeat(60_000)}"`])
      await expect(page.call(passkeys.calls.register, { credentialCreationResponseJson, customName: 'Key' })).rejects.toMatchObject({
        status: 400,
        fields: [{ field: 'credentialCreationResponseJson' }],
      })
    const other = await acme.person({ permissions: [] })
    const otherPage = await other.session()
    for (const said of [{ flags: 1 }, { algorithm: -47 }, { origin: 'https://evil.test' }, { type: 'webauthn.get' }])
      await expect(register(otherPage, other.id, newKey(house), said)).rejects.toMatchObject({ status: 403, code: 'refused' })
    expect((await page.call(list, { userId: person.id })).registeredCredentials).toEqual([])
  })
})

describe('Somebody’s passkeys', () => {
  test('are seen by themselves, and by who may see users; renamed by who may edit them', async () => {
    const { person, page, passkeyId } = await personWithKey(house, acme)
    const [clerk, nobody] = [await acme.person({ permissions: ['userView'] }), await acme.person({ permissions: [] })]
    await expect(nobody.call(list, { userId: person.id })).rejects.toMatchObject({ status: 403, code: 'denied' })
    const seen = await clerk.call(list, { userId: person.id })
    expect(seen.registeredCredentials).toMatchObject([{ id: passkeyId }])
    expect(seen.userHandle).toBeUndefined()
    await expect(clerk.call(rename, { userId: person.id, id: passkeyId, newCustomName: 'Mine' })).rejects.toMatchObject({ status: 403 })
    const renamed = await page.call(rename, { userId: person.id, id: passkeyId, newCustomName: 'Blue key' })
    expect(renamed.registeredCredentials).toMatchObject([{ customName: 'Blue key' }])
    await expect(page.call(rename, { userId: nobody.id, id: passkeyId, newCustomName: 'X' })).rejects.toMatchObject({
      status: 403,
      code: 'denied',
    })
    const globex = await house.tenancy('Globex')
    await expect(globex.administrator.call(list, { userId: person.id })).rejects.toMatchObject({ status: 404, code: 'missing' })
  })

  test('are deleted with fresh proof, but never the last strong factor', async () => {
    const { person, page, key, passkeyId } = await personWithKey(house, acme)
    await expect(page.call(remove, { userId: person.id, id: passkeyId })).rejects.toMatchObject({ status: 409, code: 'last' })
    const secondKey = newKey(house)
    const second = await register(page, person.id, secondKey)
    const secondId = second.registeredCredentials.find(({ id }) => id !== passkeyId)?.id ?? ''
    const both = await Promise.allSettled([passkeyId, secondId].map((id) => page.call(remove, { userId: person.id, id })))
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const left = (await page.call(list, { userId: person.id })).registeredCredentials
    expect(left).toHaveLength(1)
    const gone = await signIn(house, left[0]?.id === secondId ? key : secondKey).catch((error: unknown) => error)
    expect(gone).toMatchObject({ status: 404, code: 'unknown' })
    house.clock.advance(5 * minute + 1000)
    await expect(page.call(remove, { userId: person.id, id: left[0]?.id ?? '' })).rejects.toMatchObject({ code: 'proof_needed' })
  })

  test('are asked for where the code was reset: the password alone sets up no new one, until an administrator deletes them', async () => {
    const { person, key, passkeyId } = await personWithKey(house, acme)
    const admin = await acme.administrator.session()
    const password = 'correct horse battery staple'
    const hash = await hashPassword(house.house, password)
    await inTenant(house.house.database, acme.id, (db) => storeHash(db, acme.id, person.id, hash, house.clock.now()))
    const login = () => house.signedOut.call(sessions.calls.login, { username: person.username, password })
    await admin.call(sessions.calls.mfaReset, { userId: person.id })
    await expect(login()).rejects.toMatchObject({ status: 403, code: 'passkeyNeeded' })
    await expect(signIn(house, key)).resolves.toHaveLength(1)
    const page = await person.session()
    await admin.call(remove, { userId: person.id, id: passkeyId })
    // What the key opened ends with it.
    await expect(page.call(list, { userId: person.id })).rejects.toMatchObject({ status: 401 })
    expect(await login()).toMatchObject({ further_required_auth: 'TOTP', qr: expect.any(String) })
  })

  test('of somebody who holds more are not deleted by who may edit users', async () => {
    const page = await acme.administrator.session()
    const key = newKey(house)
    const { registeredCredentials } = await register(page, acme.administrator.id, key)
    await register(page, acme.administrator.id, newKey(house))
    const clerk = await acme.person({ permissions: ['userView', 'userEdit'] })
    const attempt = (await clerk.session()).call(remove, { userId: acme.administrator.id, id: registeredCredentials[0]?.id ?? '' })
    await expect(attempt).rejects.toMatchObject({ status: 403, code: 'beyond' })
    await expect(acme.administrator.call(users.calls.read, { id: acme.administrator.id })).resolves.toHaveProperty('id')
  })
})

describe('The policy', () => {
  const aaguid = '11111111-2222-3333-4444-555555555555'
  const statement = { description: 'Key of Acme', aaguid, attestationRootCertificates: [] as string[] }

  test('is of the tenancy, wants metadata before it wants proof, and refuses by registration and by sign-in', async () => {
    const globex = await house.tenancy('Initech')
    const admin = await globex.administrator.session()
    const { key, person, page } = await personWithKey(house, globex)
    await expect(admin.call(passkeys.calls.changePolicy, { version: 0, deviceBound: true, models: [] })).rejects.toMatchObject({
      code: 'unprovable',
    })
    await expect(admin.call(passkeys.calls.importMetadata, { metadata: 'nonsense' })).rejects.toMatchObject({
      status: 400,
      code: 'unreadable',
      fields: [{ field: 'metadata' }],
    })
    await admin.call(passkeys.calls.importMetadata, {
      metadata: JSON.stringify({ ...statement, attestationRootCertificates: [maker.root.toString('base64')] }),
    })
    await expect(admin.call(passkeys.calls.changePolicy, { version: 3, deviceBound: true, models: [] })).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect(
      admin.call(passkeys.calls.changePolicy, { version: 0, deviceBound: true, models: [aaguid.replace('1', '2')] }),
    ).rejects.toMatchObject({
      code: 'unknownModel',
    })
    expect(await admin.call(passkeys.calls.changePolicy, { version: 0, deviceBound: true, models: [aaguid] })).toEqual({ refused: 1 })
    await expect(signIn(house, key)).rejects.toMatchObject({ status: 403, code: 'policy' })
    expect((await page.call(list, { userId: person.id })).registeredCredentials).toMatchObject([{ refusedFor: 'synced' }])
    await expect(register(page, person.id, newKey(house))).rejects.toMatchObject({ status: 403, code: 'synced' })
    // What a device claims without proof counts for nothing.
    const claimed = newKey(house, { base: deviceBound, aaguid: Buffer.from(aaguid.replaceAll('-', ''), 'hex') })
    await expect(register(page, person.id, claimed)).rejects.toMatchObject({ status: 403, code: 'unproved' })
    const vouched = maker.model(claimed.aaguid)
    const { registeredCredentials } = await register(page, person.id, claimed, { vouched })
    expect(registeredCredentials).toContainEqual(expect.objectContaining({ model: 'Key of Acme', proved: true, synced: false }))
    await expect(signIn(house, claimed)).resolves.toHaveLength(1)
    const foreign = newKey(house, { base: deviceBound, aaguid: claimed.aaguid })
    await expect(register(page, person.id, foreign, { vouched: stranger.model(claimed.aaguid) })).rejects.toMatchObject({
      code: 'unproved',
    })
    await expect(acme.administrator.call(passkeys.calls.policy, {})).resolves.toMatchObject({ deviceBound: false, known: [] })
  })

  test('refuses a model that its manufacturer reports as compromised', async () => {
    const tenancy = await house.tenancy('Hooli')
    const admin = await tenancy.administrator.session()
    const { key } = await personWithKey(house, tenancy, { aaguid: Buffer.from(aaguid.replaceAll('-', ''), 'hex') })
    await signIn(house, key)
    const entry = {
      aaguid,
      metadataStatement: statement,
      statusReports: [{ status: 'FIDO_CERTIFIED' }, { status: 'USER_VERIFICATION_BYPASS' }],
    }
    await admin.call(passkeys.calls.importMetadata, { metadata: JSON.stringify({ entries: [entry] }) })
    await expect(signIn(house, key)).rejects.toMatchObject({ status: 403, code: 'policy' })
  })

  test('takes no list that is older than the one that it has', async () => {
    const admin = await (await house.tenancy('Pied Piper')).administrator.session()
    const list = (no: number) => JSON.stringify({ no, entries: [{ aaguid, metadataStatement: statement }] })
    const bring = (metadata: string) => admin.call(passkeys.calls.importMetadata, { metadata })
    expect(await bring(list(12))).toEqual({ models: 1 })
    await expect(bring(list(11))).rejects.toMatchObject({ status: 409, code: 'older', fields: [{ field: 'metadata' }] })
    for (const metadata of [JSON.stringify(statement), list(12), list(13)]) expect(await bring(metadata)).toEqual({ models: 1 })
    await expect(bring(list(12))).rejects.toMatchObject({ code: 'older' })
  })
})
