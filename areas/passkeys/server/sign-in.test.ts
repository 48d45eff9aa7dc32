// Sign-in by a passkey, through the front door, and what is refused there. What one authenticator may say wrongly is tried in standards/webauthn.

import { beforeAll, describe, expect, test } from 'vitest'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { audited } from '#core/testing/events.ts'
import { refusal, useHouse, type TestTenancy } from '#core/testing/house.ts'
import { deviceBound, synced } from '#standards/webauthn/authenticator.fixture.ts'
import { passkeys } from '../contract.ts'
import { newKey, personWithKey, register, signIn, takeChallenge } from './passkeys.fixture.ts'

const house = await useHouse()
const minute = 60_000
let acme: TestTenancy

beforeAll(async () => {
  acme = await house.tenancy('Acme')
})

const namesOf = async (userId: string) =>
  (await audited(house, acme.id)).filter(({ about }) => about === userId).map(({ area, name }) => `${area}.${name}`)

describe('The challenge', () => {
  test('is raw bytes of its own type, asked for without anything', async () => {
    const response = await house.fetch('/api2/Authentication-v1/PrepareFido2Authentication', {
      method: 'POST',
      headers: { accept: 'application/x-webauthn-challenge' },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/x-webauthn-challenge')
    expect(response.headers.get('set-cookie')).toBe(null)
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThanOrEqual(32)
    expect(await takeChallenge(house)).not.toBe(await takeChallenge(house))
  })

  test('of our own making alone is taken, for ten minutes, for this and nothing else', async () => {
    const { person, page, key } = await personWithKey(house, acme)
    const refused = { status: 403, code: 'refused' }
    const challenge = await takeChallenge(house)
    const bytes = Buffer.from(challenge, 'base64url')
    bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20)
    await expect(signIn(house, key, {}, bytes.toString('base64url'))).rejects.toMatchObject(refused)
    await expect(signIn(house, key, {}, Buffer.alloc(56).toString('base64url'))).rejects.toMatchObject(refused)
    const { credentialCreationOptionsJson } = await page.call(passkeys.calls.prepare, { userId: person.id })
    await expect(signIn(house, key, {}, JSON.parse(credentialCreationOptionsJson).challenge)).rejects.toMatchObject(refused)
    house.clock.advance(9 * minute)
    await expect(signIn(house, key, {}, challenge)).resolves.toHaveLength(1)
    const other = await takeChallenge(house)
    house.clock.advance(10 * minute + 1000)
    await expect(signIn(house, key, {}, other)).rejects.toMatchObject(refused)
  })

  test('is answered once, however many answers come at once', async () => {
    const { key, person } = await personWithKey(house, acme)
    const challenge = await takeChallenge(house)
    const answers = await Promise.allSettled(Array.from({ length: 50 }, () => signIn(house, key, {}, challenge)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await namesOf(person.id)).filter((name) => name === 'sessions.signedIn')).toHaveLength(1)
    await house.runJob(passkeys.jobs.clean)
    await expect(signIn(house, key, {}, challenge)).rejects.toMatchObject({ code: 'refused' })
  })

  test('that was stolen from a page is found by what was signed, not by what is sent beside it', async () => {
    const { key } = await personWithKey(house, acme)
    const signed = key.get({ challenge: Buffer.from('of another site').toString('base64url') })
    const fresh = key.get({ challenge: await takeChallenge(house) })
    const mixed = { ...signed, response: { ...signed.response, clientDataJSON: fresh.response.clientDataJSON } }
    await expect(house.signedOut.call(passkeys.calls.signIn, mixed)).rejects.toMatchObject({ code: 'refused' })
  })
})

describe('A passkey', () => {
  test('signs in without a name and a code, and the sign-in reads as any other', async () => {
    const { key, person } = await personWithKey(house, acme)
    const response = await house.fetch(passkeys.calls.signIn.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // Libraries send what they know besides.
      body: JSON.stringify({
        ...key.get({ challenge: await takeChallenge(house) }),
        clientExtensionResults: {},
        authenticatorAttachment: 'platform',
      }),
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject([{ username: person.username, tenantId: acme.id }])
    const cookies = response.headers.getSetCookie().map((line) => line.split('=')[0])
    expect(cookies).toEqual(expect.arrayContaining(['chancery-session', 'XSRF-TOKEN', 'session-expiry']))
    expect(await namesOf(person.id)).toContain('sessions.signedIn')
    const { rows } = await acme.administrator.call(sessions.calls.history, { userId: person.id })
    expect(rows.map(({ name }) => name)).toContain('signedIn')
  })

  test('of nobody, of another person and without a handle is refused, and recorded where somebody is known', async () => {
    const { key, person } = await personWithKey(house, acme)
    const other = await personWithKey(house, acme)
    const challenge = await takeChallenge(house)
    await expect(signIn(house, newKey(house), {}, challenge)).rejects.toMatchObject({ status: 400 })
    const stranger = newKey(house)
    stranger.create({ challenge, user: { id: key.userHandle() } })
    await expect(signIn(house, stranger, {}, challenge)).rejects.toMatchObject({ status: 404, code: 'unknown' })
    const answer = key.get({ challenge })
    const asOther = { ...answer, response: { ...answer.response, userHandle: other.key.userHandle() } }
    await expect(house.signedOut.call(passkeys.calls.signIn, asOther)).rejects.toMatchObject({ status: 404, code: 'unknown' })
    await expect(signIn(house, key, { flags: synced & ~4 })).rejects.toMatchObject({ code: 'refused' })
    expect(await namesOf(person.id)).toEqual(expect.arrayContaining(['sessions.signInFailed', 'passkeys.refused']))
  })

  test('of somebody who is disabled opens nothing', async () => {
    const { key, person } = await personWithKey(house, acme)
    await acme.administrator.call(users.calls.setEnabled, { id: person.id, enabled: false })
    await expect(signIn(house, key)).rejects.toMatchObject({ status: 403, code: 'refused' })
  })

  test('in base64 that is not URL-safe is an error at its field', async () => {
    const { key } = await personWithKey(house, acme)
    const answer = key.get({ challenge: await takeChallenge(house) })
    for (const [spoilt, field] of [
      [{ ...answer, id: `${answer.id}=` }, 'id'],
      [{ ...answer, response: { ...answer.response, signature: 'ab+/' } }, 'response.signature'],
    ] as const)
      expect(await refusal(house.signedOut.call(passkeys.calls.signIn, spoilt))).toMatchObject({
        status: 400,
        fields: [{ field, says: 'Only URL-safe base64 is accepted' }],
      })
  })

  test('that was synced may count nothing, or count backwards, which is told; one that never leaves its device is blocked then', async () => {
    const { key, person } = await personWithKey(house, acme)
    await expect(signIn(house, key)).resolves.toHaveLength(1)
    await expect(signIn(house, key, { counter: 9 })).resolves.toHaveLength(1)
    await expect(signIn(house, key, { counter: 4 })).resolves.toHaveLength(1)
    expect(await namesOf(person.id)).toContain('passkeys.counterFell')

    const bound = await personWithKey(house, acme, { base: deviceBound })
    await expect(signIn(house, bound.key, { counter: 9 })).resolves.toHaveLength(1)
    await expect(signIn(house, bound.key, { counter: 9 })).rejects.toMatchObject({ status: 403, code: 'blocked' })
    await expect(signIn(house, bound.key, { counter: 10 })).rejects.toMatchObject({ status: 403, code: 'blocked' })
    expect(await namesOf(bound.person.id)).toContain('passkeys.blocked')
    const { registeredCredentials } = await bound.page.call(passkeys.calls.list, { userId: bound.person.id })
    expect(registeredCredentials).toMatchObject([{ blocked: true, synced: false }])
  })

  test('cannot become another kind of key, and tells when it is backed up', async () => {
    const { key, person } = await personWithKey(house, acme)
    await expect(signIn(house, key, { flags: deviceBound })).rejects.toMatchObject({ code: 'refused' })
    await expect(signIn(house, key, { flags: deviceBound | 8 })).resolves.toHaveLength(1)
    expect(await namesOf(person.id)).toContain('passkeys.backupChanged')
  })
})

describe('Proof by a passkey', () => {
  test('makes a session fit for changes to how somebody signs in, and belongs to that session', async () => {
    const { key, person, page } = await personWithKey(house, acme)
    const weak = await person.session({ strong: false })
    await expect(weak.call(passkeys.calls.prepare, { userId: person.id })).rejects.toMatchObject({ code: 'proof_needed' })
    const ask = async (from: typeof page) =>
      JSON.parse((await from.call(passkeys.calls.prepareProof, {})).credentialRequestOptionsJson) as {
        challenge: string
        allowCredentials: { id: string }[]
      }
    const options = await ask(weak)
    expect(options.allowCredentials).toMatchObject([{ id: key.id }])
    await expect(page.call(passkeys.calls.prove, key.get(options))).rejects.toMatchObject({ status: 403, code: 'refused' })
    await expect(weak.call(passkeys.calls.prove, key.get({ challenge: await takeChallenge(house) }))).rejects.toMatchObject({
      code: 'refused',
    })
    const answer = key.get(options)
    await weak.call(passkeys.calls.prove, answer)
    await expect(weak.call(passkeys.calls.prove, answer)).rejects.toMatchObject({ code: 'refused' })
    await expect(register(weak, person.id, newKey(house))).resolves.toHaveProperty('registeredCredentials.length', 2)
    house.clock.advance(5 * minute + 1000)
    await expect(weak.call(passkeys.calls.prepare, { userId: person.id })).rejects.toMatchObject({ code: 'proof_needed' })
  })

  test('by the passkey of somebody else proves nothing', async () => {
    const [ada, eve] = [await personWithKey(house, acme), await personWithKey(house, acme)]
    const { challenge } = JSON.parse((await ada.page.call(passkeys.calls.prepareProof, {})).credentialRequestOptionsJson)
    await expect(ada.page.call(passkeys.calls.prove, eve.key.get({ challenge }))).rejects.toMatchObject({ code: 'refused' })
  })
})
