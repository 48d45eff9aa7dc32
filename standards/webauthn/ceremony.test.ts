import { encode } from 'cborg'
import { describe, expect, test } from 'vitest'
import { countProcessor, referenceSeconds } from '../processor-time.fixture.ts'
import { coseKey, deviceBound, flags, openAuthenticator, synced, type Said } from './authenticator.fixture.ts'
import { judgeAssertion, judgeRegistration, offeredAlgorithms } from './ceremony.ts'

const site = { origin: 'https://login.example.org', rpId: 'login.example.org' }
const challenge = Buffer.from('a challenge of ours').toString('base64url')
const expected = { challenge: (signed: Buffer) => signed.toString('base64url') === challenge, sites: [site] }

const register = (said: Said = {}) => {
  const key = openAuthenticator(site)
  return judgeRegistration(key.create({ challenge, user: { id: 'AAAA' } }, said), { ...expected, algorithms: offeredAlgorithms })
}
const signIn = async (said: Said = {}) => {
  const key = openAuthenticator(site)
  const { publicKey } = await judgeRegistration(key.create({ challenge }), { ...expected, algorithms: offeredAlgorithms })
  return judgeAssertion(key.get({ challenge }, said), publicKey, expected)
}

test('An honest key is registered and signs in', async () => {
  await expect(register()).resolves.toMatchObject({ algorithm: -7, backupEligible: true, backedUp: true, attestation: { format: 'none' } })
  await expect(signIn({ flags: deviceBound, counter: 7 })).resolves.toMatchObject({ counter: 7, backupEligible: false, rpId: site.rpId })
})

describe('Both ceremonies refuse', () => {
  const faults: [string, Said, string][] = [
    ['another origin', { origin: 'https://login.example.org.evil.test' }, 'origin'],
    ['the same origin on another port', { origin: 'https://login.example.org:8443' }, 'origin'],
    ['another relying party', { rpId: 'example.org' }, 'rpId'],
    ['the other type', { type: 'payment.get' }, 'type'],
    ['a challenge that is not ours', { challenge: 'AAAA' }, 'challenge'],
    ['a challenge that is padded', { challenge: `${challenge}=` }, 'unreadable'],
    ['a page in a frame', { crossOrigin: true }, 'crossOrigin'],
    ['a page in a frame that says so by its top', { topOrigin: 'https://evil.test' }, 'crossOrigin'],
    ['nobody present', { flags: flags.verified }, 'userPresence'],
    ['nobody verified', { flags: flags.present }, 'userVerification'],
    ['a backup of what cannot be backed up', { flags: flags.present | flags.verified | flags.backedUp }, 'backupState'],
    ['bytes behind the data', { behind: Buffer.from([0]) }, 'unreadable'],
    ['extensions that are announced and missing', { flags: synced | 128 }, 'unreadable'],
  ]
  for (const [name, said, code] of faults)
    test(`for ${name}`, async () => {
      await expect(register(said)).rejects.toMatchObject({ code })
      await expect(signIn(said)).rejects.toMatchObject({ code })
    })
})

describe('A registration is refused', () => {
  test('with an algorithm that was not offered', () => expect(register({ algorithm: -47 })).rejects.toMatchObject({ code: 'algorithm' }))

  test('with a key that has one field twice', () =>
    expect(register({ publicKey: Buffer.concat([Buffer.from([0xa2, 0x03, 0x26]), Buffer.from([0x03, 0x26])]) })).rejects.toMatchObject({
      code: 'unreadable',
    }))

  test('with a statement of a format that nobody here reads', async () => {
    for (const format of ['android-key', 'android-safetynet', 'mine', '__proto__'])
      await expect(register({ format })).rejects.toMatchObject({ code: 'format' })
  })

  test('with something in an empty statement', () =>
    expect(register({ statement: new Map([['sig', Buffer.of(1)]]) })).rejects.toMatchObject({ code: 'attestation' }))

  test('with a signature of a statement that does not fit', () =>
    expect(
      register({
        format: 'packed',
        statement: new Map<string, unknown>([
          ['alg', -7],
          ['sig', Buffer.alloc(70, 1)],
        ]),
      }),
    ).rejects.toMatchObject({ code: 'attestation' }))

  test('with seven certificates, and with ones of megabytes, at once', async () => {
    const x5c = Array.from({ length: 7 }, () => Buffer.alloc(1_500_000))
    const seconds = countProcessor()
    await expect(register({ format: 'packed', statement: new Map<string, unknown>([['x5c', x5c]]) })).rejects.toMatchObject({
      code: 'unreadable',
    })
    expect(seconds()).toBeLessThan(40 * referenceSeconds())
  })

  test('with trailing CBOR, CBOR without end, and CBOR that is nested without end', async () => {
    const key = openAuthenticator(site)
    const good = key.create({ challenge })
    const object = Buffer.from(good.response.attestationObject, 'base64url')
    const judge = (bytes: Buffer) =>
      judgeRegistration(
        { ...good, response: { ...good.response, attestationObject: bytes.toString('base64url') } },
        { ...expected, algorithms: offeredAlgorithms },
      )
    for (const bytes of [
      Buffer.concat([object, Buffer.of(0)]),
      object.subarray(0, -1),
      Buffer.from('bf63666d74646e6f6e65ff', 'hex'),
      Buffer.alloc(40_000, 0x81),
      Buffer.from(encode('text')),
      Buffer.alloc(0),
    ])
      await expect(judge(bytes)).rejects.toMatchObject({ code: 'unreadable' })
  })

  test('with the id of another credential', async () => {
    const key = openAuthenticator(site)
    const stolen = { id: 'AAAA', rawId: 'AAAA' }
    await expect(
      judgeRegistration({ ...key.create({ challenge }), ...stolen }, { ...expected, algorithms: offeredAlgorithms }),
    ).rejects.toMatchObject({
      code: 'unreadable',
    })
  })
})

describe('A sign-in is refused', () => {
  test('with the signature of another key', async () => {
    const [key, other] = [openAuthenticator(site), openAuthenticator(site)]
    const { publicKey } = await judgeRegistration(other.create({ challenge }), { ...expected, algorithms: offeredAlgorithms })
    await expect(judgeAssertion(key.get({ challenge }), publicKey, expected)).rejects.toMatchObject({ code: 'signature' })
  })

  test('with one bit of anything changed', async () => {
    const key = openAuthenticator(site)
    const { publicKey } = await judgeRegistration(key.create({ challenge }), { ...expected, algorithms: offeredAlgorithms })
    const good = key.get({ challenge })
    for (const part of ['clientDataJSON', 'authenticatorData', 'signature'] as const) {
      const bytes = Buffer.from(good.response[part], 'base64url')
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 2) ^ 1, bytes.length - 2)
      await expect(
        judgeAssertion({ ...good, response: { ...good.response, [part]: bytes.toString('base64url') } }, publicKey, expected),
      ).rejects.toHaveProperty('code')
    }
  })

  test('with base64 that is not URL-safe', async () => {
    const key = openAuthenticator(site)
    const good = key.get({ challenge })
    for (const text of ['ab+/', 'abc=', 'ab cd'])
      await expect(
        judgeAssertion(
          { ...good, response: { ...good.response, signature: text } },
          coseKey(openAuthenticator(site).publicKey, -7),
          expected,
        ),
      ).rejects.toMatchObject({ code: 'unreadable' })
  })
})
