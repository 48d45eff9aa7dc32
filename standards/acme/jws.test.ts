// Signed requests: Wycheproof's vectors whole, and the rules that ACME puts on top of them.

import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  randomBytes,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { base64url, readBase64url } from './base64url.ts'
import { isSignedBy, readBinding, readJws, readPayload, readSignedMessage, signMessage, verifyBinding, verifySigned } from './jws.ts'
import { accountKeyOf, algorithmsFor, readAccountKey, thumbprintOf } from './keys.ts'
import { AcmeError } from './problem.ts'

type Group = {
  public?: JsonWebKey & { alg?: string }
  private: JsonWebKey & { alg?: string }
  tests: { tcId: number; comment: string; jws: string; result: 'valid' | 'invalid' }[]
}
const vectors = JSON.parse(readFileSync(new URL('vectors/json_web_signature_test.json', import.meta.url), 'utf8')) as {
  numberOfTests: number
  testGroups: Group[]
}

/** Where we differ, and why. */
const differences: Record<number, string> = {
  346: 'its key is for PS256, and it is signed by PS384',
  347: 'its key is for an algorithm that does not exist (ES521)',
  350: 'its key is for PS256, and it is signed by PS384',
  351: 'its key is for an algorithm that does not exist (ES521)',
  367: 'it is the same text as one that is valid',
  370: 'it is the same text as one that is valid',
  372: 'it is called valid with a letter that is no base64url',
  373: 'it is called valid with a letter that is no base64url',
}

async function holds(jws: string, key: KeyObject, algorithm: string): Promise<boolean> {
  const [head, payload, signature, ...more] = jws.split('.')
  if (more.length > 0) return false
  try {
    return await isSignedBy(readJws({ protected: head, payload, signature }), key, [algorithm])
  } catch (error) {
    if (error instanceof AcmeError) return false
    throw error
  }
}

const reasonOf = async (attempt: () => unknown): Promise<string> => {
  try {
    await attempt()
    return 'none'
  } catch (error) {
    if (error instanceof AcmeError) return error.problem.type
    throw error
  }
}

const ec = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const url = 'https://ca.example.org/acme/x/new-order'
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

describe('Wycheproof: JSON Web Signatures', () => {
  test('what is called valid is verified, and nothing else, but for eight that are wrong themselves', async () => {
    const wrong: number[] = []
    let count = 0
    for (const group of vectors.testGroups) {
      const jwk = group.public ?? group.private
      const key = jwk.kty === 'oct' ? createSecretKey(String(jwk['k']), 'base64url') : createPublicKey({ key: jwk, format: 'jwk' })
      for (const { tcId, jws, result } of group.tests) {
        count += 1
        if ((await holds(jws, key, jwk.alg ?? '')) !== (result === 'valid')) wrong.push(tcId)
      }
    }
    expect(count).toBe(vectors.numberOfTests)
    expect(wrong).toEqual(Object.keys(differences).map(Number))
  })
})

describe('A signed request', () => {
  test.each([
    ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 }), 'RS256'],
    ['P-256', ec, 'ES256'],
    ['P-384', () => generateKeyPairSync('ec', { namedCurve: 'P-384' }), 'ES384'],
    ['P-521', () => generateKeyPairSync('ec', { namedCurve: 'P-521' }), 'ES512'],
    ['Ed25519', () => generateKeyPairSync('ed25519'), 'EdDSA'],
  ])('of a key of %s is read and verified', async (_kind, make, algorithm) => {
    const { publicKey, privateKey } = make()
    const account = accountKeyOf(publicKey)
    const sent = await signMessage({ payload: { a: 1 }, url, nonce: 'AAAA', by: { jwk: account.jwk } }, privateKey, algorithm)
    const message = readSignedMessage(bytesOf(sent))
    expect(message).toMatchObject({ algorithm, url, nonce: 'AAAA', by: { jwk: account.jwk } })
    expect(algorithmsFor(account)).toContain(algorithm)
    await verifySigned(message, readAccountKey('jwk' in message.by ? message.by.jwk : undefined))
    expect(readPayload(message)).toEqual({ a: 1 })
    const other = accountKeyOf(make().publicKey)
    expect(await reasonOf(() => verifySigned(message, other))).toBe('malformed')
  })

  test('without a body is the question of a POST-as-GET', async () => {
    const { privateKey } = ec()
    const message = readSignedMessage(bytesOf(await signMessage({ payload: undefined, url, by: { kid: 'k' } }, privateKey, 'ES256')))
    expect(message.payload.length).toBe(0)
  })

  const head = (fields: object) => base64url(JSON.stringify(fields))
  const good = { alg: 'ES256', url, nonce: 'AAAA', kid: 'k' }
  test.each([
    ['no JSON', Buffer.from('{'), /JSON/],
    ['not UTF-8', Buffer.from([0xff, 0xfe]), /JSON/],
    ['a list', bytesOf([]), /object/],
    ['many signatures', bytesOf({ payload: '', signatures: [] }), /one signature/],
    ['a header that is not signed', bytesOf({ protected: head(good), header: {}, payload: '', signature: 'AA' }), /not signed/],
    ['no signature', bytesOf({ protected: head(good), payload: '', signature: '' }), /not signed/],
    ['padding', bytesOf({ protected: head(good), payload: 'YQ==', signature: 'AA' }), /padding/],
    ['bits beyond the end', bytesOf({ protected: head(good), payload: 'YR', signature: 'AA' }), /padding/],
    ['both kid and jwk', bytesOf({ protected: head({ ...good, jwk: {} }), payload: '', signature: 'AA' }), /either jwk or kid/],
    ['neither kid nor jwk', bytesOf({ protected: head({ ...good, kid: undefined }), payload: '', signature: 'AA' }), /either jwk or kid/],
    ['no url', bytesOf({ protected: head({ ...good, url: undefined }), payload: '', signature: 'AA' }), /url/],
    ['an extension', bytesOf({ protected: head({ ...good, crit: ['exp'] }), payload: '', signature: 'AA' }), /crit/],
    ['a payload that is not encoded', bytesOf({ protected: head({ ...good, b64: false }), payload: '', signature: 'AA' }), /crit/],
    ['a nonce of other letters', bytesOf({ protected: head({ ...good, nonce: 'a+b' }), payload: '', signature: 'AA' }), /nonce/],
  ])('with %s is malformed', (_what, body, says) => {
    expect(() => readSignedMessage(body)).toThrow(says)
  })

  test.each(['none', 'HS256', 'RS1', 'ES256K', 'PS256'])('is not accepted by the algorithm %s', async (algorithm) => {
    const message = readSignedMessage(bytesOf({ protected: head({ ...good, alg: algorithm }), payload: '', signature: 'AAAA' }))
    expect(await reasonOf(() => verifySigned(message, accountKeyOf(ec().publicKey)))).toBe('badSignatureAlgorithm')
  })
})

describe('The key of an account', () => {
  test('has the thumbprint of RFC 7638', () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw'
    expect(thumbprintOf({ kty: 'RSA', n, e: 'AQAB' })).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
  })

  test('is one key in whatever spelling it comes', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { jwk, thumbprint } = accountKeyOf(publicKey)
    const padded = { ...jwk, n: base64url(Buffer.concat([Buffer.of(0), Buffer.from(jwk.n ?? '', 'base64url')])), use: 'sig' }
    expect(readAccountKey(padded).thumbprint).toBe(thumbprint)
  })

  test.each([
    ['short', () => generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }), 'badPublicKey'],
    ['private', () => ec().privateKey.export({ format: 'jwk' }), 'badPublicKey'],
    [
      'of a curve that is not used',
      () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export({ format: 'jwk' }),
      'badPublicKey',
    ],
    ['a secret', () => ({ kty: 'oct', k: 'AAAA' }), 'badPublicKey'],
    ['off the curve', () => ({ ...ec().publicKey.export({ format: 'jwk' }), x: base64url(Buffer.alloc(32, 1)) }), 'badPublicKey'],
    [
      'of exponent 1',
      () => ({ ...generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' }), e: 'AQ' }),
      'badPublicKey',
    ],
    ['no object', () => 'key', 'malformed'],
    ['a name of every object', () => ({ kty: 'EC', crv: 'constructor', x: '', y: '' }), 'badPublicKey'],
  ])('that is %s is refused', async (_what, make, type) => {
    expect(await reasonOf(() => readAccountKey(make()))).toBe(type)
  })
})

describe('The binding of an external account', () => {
  const newAccount = 'https://ca.example.org/acme/x/new-account'
  const mac = randomBytes(32)
  const { jwk } = accountKeyOf(ec().publicKey)
  const bind = (more: object = {}, key = createSecretKey(mac), algorithm = 'HS256') =>
    signMessage({ payload: jwk, url: newAccount, by: { kid: 'kid-1' }, ...more }, key, algorithm)

  test('holds with its own key', async () => {
    const message = readBinding(await bind(), { url: newAccount, jwk })
    expect(message.by.kid).toBe('kid-1')
    await verifyBinding(message, mac)
  })

  test('with another MAC and with a kid that nobody knows is refused in the same words', async () => {
    const message = readBinding(await bind(), { url: newAccount, jwk })
    await expect(verifyBinding(message, randomBytes(32))).rejects.toThrow('not known here, or its MAC does not fit')
    await expect(verifyBinding(message, undefined)).rejects.toThrow('not known here, or its MAC does not fit')
    const zeros = readBinding(await bind({}, createSecretKey(Buffer.alloc(32))), { url: newAccount, jwk })
    await expect(verifyBinding(zeros, undefined)).rejects.toThrow('not known here')
  })

  test.each([
    ['for another url', { url: 'https://ca.example.org/acme/y/new-account' }, 'malformed'],
    ['for another key', { payload: accountKeyOf(ec().publicKey).jwk }, 'malformed'],
    ['with a nonce', { nonce: 'AAAA' }, 'malformed'],
    ['by the key itself', { by: { jwk } }, 'malformed'],
  ])('%s is refused', async (_what, more, type) => {
    const sent = await bind(more)
    expect(await reasonOf(() => readBinding(sent, { url: newAccount, jwk }))).toBe(type)
  })

  test('has a MAC, not a signature, and never none', async () => {
    const sent = await bind({}, createPrivateKey(ec().privateKey.export({ type: 'pkcs8', format: 'pem' })), 'ES256')
    expect(await reasonOf(() => readBinding(sent, { url: newAccount, jwk }))).toBe('badSignatureAlgorithm')
    const none = { ...sent, protected: base64url(JSON.stringify({ alg: 'none', kid: 'kid-1', url: newAccount })) }
    expect(await reasonOf(() => readBinding(none, { url: newAccount, jwk }))).toBe('badSignatureAlgorithm')
  })
})

test('Base64url has one text for one value', () => {
  expect(readBase64url('')?.length).toBe(0)
  expect(readBase64url('_-8')).toEqual(Buffer.of(0xff, 0xef))
  for (const text of ['_-9', '_', '/+8', 'YQ==', 'Y Q', 'YQ\n']) expect([text, readBase64url(text)]).toEqual([text, undefined])
})
