import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkSignature, SIGNATURE_ALGORITHMS, type SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { parsePublicKey } from '#standards/x509/public-key.ts'
import type { KeyAlgorithm } from '../../rules.ts'
import { isBlocking } from '../../tokens.ts'
import { connectToken, reasonFor, tokensOf, type TokenConnection } from './connection.ts'
import { algorithmsOf, askToken, publicKeyOf, tokenKinds } from './mechanisms.ts'
import { openSoftHsm, type SoftHsm } from './softhsm.fixture.ts'

let hsm: SoftHsm
const connections: TokenConnection[] = []

beforeAll(() => {
  hsm = openSoftHsm()
  hsm.token('ca-a', '246810')
  hsm.token('ca-b', '135790')
})
afterAll(() => {
  for (const each of connections) each.close()
  hsm.close()
})

const serialOf = async (label: string) => (await tokensOf(hsm.modulePath)).find((token) => token.label === label)?.serial ?? ''
const connect = async (label: string, pin: string) => {
  const connection = connectToken({ modulePath: hsm.modulePath, label, serial: await serialOf(label), pin })
  connections.push(connection)
  return connection
}
const newId = () => Uint8Array.from(randomBytes(16))

async function makeKey(connection: TokenConnection, algorithm: KeyAlgorithm) {
  const kind = tokenKinds[algorithm]
  if (kind === undefined) throw new Error(algorithm)
  const objectId = newId()
  const spki = publicKeyOf(await connection.ask('generate', { specification: kind.specification, label: algorithm, objectId }))
  if (spki === undefined) throw new Error('The public key cannot be read')
  return { objectId, spki }
}
async function sign(connection: TokenConnection, objectId: Uint8Array, algorithm: SignatureAlgorithm, message: Uint8Array) {
  const { read, ...asked } = askToken(algorithm, message)
  return read(await connection.ask('sign', { objectId, ...asked }))
}

const byFamily = (family: RegExp) => SIGNATURE_ALGORITHMS.filter((name) => family.test(name))
const cases: [KeyAlgorithm, readonly SignatureAlgorithm[]][] = [
  ['RSA-2048', byFamily(/RSA|rsassa/)],
  ['RSA-3072', ['sha256WithRSAEncryption']],
  ['P-256', byFamily(/^ecdsa/)],
  ['P-384', ['ecdsa-with-SHA384']],
  ['P-521', ['ecdsa-with-SHA512']],
  ['Ed25519', ['Ed25519']],
  ['Ed448', ['Ed448']],
]

describe('two tokens of one module', () => {
  it('are both seen, with what they can do', async () => {
    const found = await tokensOf(hsm.modulePath)
    expect(found.map(({ label }) => label).sort()).toEqual(['ca-a', 'ca-b'])
    expect(new Set(found.map(({ serial }) => serial)).size).toBe(2)
    for (const { mechanisms } of found)
      expect(algorithmsOf(mechanisms)).toEqual(['RSA-2048', 'RSA-3072', 'RSA-4096', 'P-256', 'P-384', 'P-521', 'Ed25519', 'Ed448'])
  })

  it.each(cases)('make a key %s, and sign with it what its public key verifies', async (kind, algorithms) => {
    const connection = await connect('ca-a', '246810')
    const { objectId, spki } = await makeKey(connection, kind)
    const { algorithm, bits } = parsePublicKey(spki)
    expect(`${algorithm} ${bits}`).toMatch(new RegExp(kind.replace('-', ' ').replace('P', 'EC').replace('Ed25519', 'Ed25519 25')))
    for (const by of algorithms) {
      const message = randomBytes(300)
      expect([by, checkSignature(by, spki, message, await sign(connection, objectId, by, message))]).toEqual([by, { ok: true }])
    }
    connection.close()
  })

  it('sign many at once, each signature its own', async () => {
    const connection = await connect('ca-b', '135790')
    const { objectId, spki } = await makeKey(connection, 'P-256')
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
    const messages = Array.from({ length: 60 }, () => randomBytes(40))
    const signatures = await Promise.all(messages.map((message) => sign(connection, objectId, 'ecdsa-with-SHA256', message)))
    for (const [at, message] of messages.entries())
      expect(checkSignature('ecdsa-with-SHA256', key, message, signatures[at] ?? new Uint8Array())).toEqual({ ok: true })
  })

  it("do not know each other's keys", async () => {
    const { objectId } = await makeKey(await connect('ca-a', '246810'), 'P-256')
    await expect(sign(await connect('ca-b', '135790'), objectId, 'ecdsa-with-SHA256', randomBytes(8))).rejects.toMatchObject({
      reason: 'keyAbsent',
    })
  })

  it('hold keys that were put there by other means, and tell them by label and id', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const file = join(hsm.folder, 'imported.pem')
    writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }))
    hsm.tool('--import', file, '--token', 'ca-b', '--label', 'old root', '--id', 'A1B2', '--pin', '135790')
    const connection = await connect('ca-b', '135790')
    const found = (await connection.ask('keys', {})).find(({ label }) => label === 'old root')
    expect(found && Buffer.from(publicKeyOf(found) ?? [])).toEqual(publicKey.export({ format: 'der', type: 'spki' }))
    const message = randomBytes(99)
    expect(
      checkSignature(
        'sha256WithRSAEncryption',
        publicKey,
        message,
        await sign(connection, Buffer.from('a1b2', 'hex'), 'sha256WithRSAEncryption', message),
      ),
    ).toEqual({ ok: true })
  })
})

describe('a token that is taken away', () => {
  it('is unavailable, and signs again when it is back, without a new connection', async () => {
    const connection = await connect('ca-a', '246810')
    const { objectId, spki } = await makeKey(connection, 'P-256')
    hsm.takeAway()
    try {
      await expect(sign(connection, objectId, 'ecdsa-with-SHA256', randomBytes(8))).rejects.toMatchObject({ reason: 'tokenAbsent' })
    } finally {
      hsm.putBack()
    }
    connection.tryAgainNow()
    const message = randomBytes(8)
    expect(checkSignature('ecdsa-with-SHA256', spki, message, await sign(connection, objectId, 'ecdsa-with-SHA256', message))).toEqual({
      ok: true,
    })
  })
})

describe('a process of a module that is killed', () => {
  it('while idle is started again by the next signature', async () => {
    const connection = await connect('ca-a', '246810')
    const { objectId, spki } = await makeKey(connection, 'P-256')
    process.kill(connection.pid() ?? 0, 'SIGKILL')
    const message = randomBytes(8)
    expect(checkSignature('ecdsa-with-SHA256', spki, message, await sign(connection, objectId, 'ecdsa-with-SHA256', message))).toEqual({
      ok: true,
    })
  })

  it('in the middle of a signature is started again, and the signature is made', async () => {
    const connection = await connect('ca-a', '246810')
    const { objectId, spki } = await makeKey(connection, 'RSA-3072')
    const message = randomBytes(8)
    const signing = sign(connection, objectId, 'sha256WithRSAEncryption', message)
    setImmediate(() => process.kill(connection.pid() ?? 0, 'SIGKILL'))
    expect(checkSignature('sha256WithRSAEncryption', spki, message, await signing)).toEqual({ ok: true })
  })
})

describe('a wrong PIN', () => {
  it('is given to the token once, however often it is asked', async () => {
    const connection = await connect('ca-b', '000000')
    for (let round = 0; round < 3; round += 1) {
      await expect(connection.open()).rejects.toMatchObject({ reason: 'pinRefused' })
      expect(connection.pid()).toBeUndefined()
      connection.tryAgainNow()
    }
  })
})

describe('what else can be wrong', () => {
  it('a module that is not there is named', async () => {
    await expect(tokensOf('/usr/lib/no-such-module.so')).rejects.toMatchObject({ reason: 'moduleMissing' })
  })
  it('a file that is no module does no harm', async () => {
    await expect(tokensOf(join(hsm.folder, 'softhsm2.conf'))).rejects.toMatchObject({ reason: 'moduleMissing' })
  })
  it('a locked PIN, as one that was refused, is not tried again', () => {
    expect(['CKR_PIN_LOCKED', 'CKR_PIN_INCORRECT', 'PIN_FINAL_TRY'].map((result) => isBlocking(reasonFor(result)))).toEqual([
      true,
      true,
      true,
    ])
    expect(
      ['CKR_TOKEN_NOT_PRESENT', 'CKR_SESSION_HANDLE_INVALID', 'CKR_DEVICE_REMOVED'].map((result) => isBlocking(reasonFor(result))),
    ).toEqual([false, false, false])
  })
})
