import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { openSslFolder, type KeyKind } from '../crl/openssl-authority.fixture.ts'
import { DerError } from '../der/reader.ts'
import { buildPkcs12, PKCS12_ITERATIONS } from './pkcs12.ts'

const folder = openSslFolder()
afterAll(() => folder.remove())

const root = folder.authority('Root', 'P-256')
const leaf = folder.issue('leaf', root, 'P-256')
const pkcs8 = leaf.key.export({ type: 'pkcs8', format: 'der' })
// Fewer rounds where the test is not about them.
const contents = {
  privateKeyPkcs8: pkcs8,
  certificates: [leaf.der, root.der],
  password: 'correct horse',
  friendlyName: 'Ana Müller',
  iterations: 2000,
}

describe('a PKCS#12 file', () => {
  test.each<KeyKind>(['P-256', 'P-384', 'RSA', 'Ed25519'])('with a %s key gives OpenSSL key and chain back', async (kind) => {
    const owner = folder.issue(`owner ${kind}`, root, kind)
    const der = owner.key.export({ type: 'pkcs8', format: 'der' })
    folder.write('owner.p12', await buildPkcs12({ ...contents, privateKeyPkcs8: der, certificates: [owner.der, root.der] }))
    const pem = folder.run('openssl', 'pkcs12', '-in', 'owner.p12', '-passin', 'pass:correct horse', '-nodes')
    folder.write('out.pem', pem)
    expect(pem).toContain(owner.key.export({ type: 'pkcs8', format: 'pem' }).toString().trim())
    expect(pem.match(/^subject=.*$/gm)).toEqual([`subject=O = Chancery Test, CN = owner ${kind}`, 'subject=O = Chancery Test, CN = Root'])
    expect(folder.ask('openssl', 'verify', '-CAfile', 'Root.pem', 'out.pem').ok).toBe(true)
  })

  test("uses today's algorithms in enough rounds, for encryption and integrity alike", async () => {
    const { iterations: _, ...asUsual } = contents
    folder.write('usual.p12', await buildPkcs12(asUsual))
    const { ok, text } = folder.ask('openssl', 'pkcs12', '-in', 'usual.p12', '-passin', 'pass:correct horse', '-noout', '-info')
    expect(ok).toBe(true)
    expect(PKCS12_ITERATIONS).toBeGreaterThanOrEqual(100_000)
    expect(text).toContain(`MAC: sha256, Iteration ${PKCS12_ITERATIONS}`)
    expect(text.match(new RegExp(`PBES2, PBKDF2, AES-256-CBC, Iteration ${PKCS12_ITERATIONS}, PRF hmacWithSHA256`, 'g'))).toHaveLength(2)
  })

  test('links key and certificate by one identifier and shows the friendly name', async () => {
    folder.write('named.p12', await buildPkcs12(contents))
    const text = folder.run('certtool', '--p12-info', '--inder', '--infile', 'named.p12', '--password', 'correct horse')
    const identifiers = text.match(/Key ID: \S+/g) ?? []
    expect(identifiers).toHaveLength(2)
    expect(new Set(identifiers).size).toBe(1)
    expect(text.match(/Friendly name: Ana Müller/g)).toHaveLength(2)
  })

  test.each(['correct horse', 'ä', 'pässwörd€ ünd mehr', '🔑🔑', 'x'.repeat(200)])(
    'opens under the password %j in OpenSSL, GnuTLS and NSS',
    async (password) => {
      folder.write('word.p12', await buildPkcs12({ ...contents, password }))
      expect(folder.ask('openssl', 'pkcs12', '-in', 'word.p12', '-passin', `pass:${password}`, '-noout')).toMatchObject({ ok: true })
      expect(folder.ask('certtool', '--p12-info', '--inder', '--infile', 'word.p12', '--password', password)).toMatchObject({ ok: true })
      folder.write('word.txt', password)
      const database = folder.subfolder('nss')
      folder.run('certutil', '-N', '-d', database, '--empty-password')
      expect(folder.ask('pk12util', '-i', 'word.p12', '-d', database, '-w', 'word.txt')).toMatchObject({ ok: true })
      expect(folder.run('certutil', '-L', '-d', database)).toMatch(/Ana Müller\s+u,u,u/)
    },
  )

  test('does not open under another password, nor after a change', async () => {
    const file = Buffer.from(await buildPkcs12(contents))
    const opens = (bytes: Uint8Array, password: string) => {
      folder.write('tried.p12', bytes)
      return folder.ask('openssl', 'pkcs12', '-in', 'tried.p12', '-passin', `pass:${password}`, '-noout').ok
    }
    expect(opens(file, 'correct horse')).toBe(true)
    expect(opens(file, 'wrong horse')).toBe(false)
    const changed = Buffer.from(file)
    changed.writeUInt8(changed.readUInt8(400) ^ 1, 400)
    expect(opens(changed, 'correct horse')).toBe(false)
  })

  test('is salted: two of the same contents differ', async () => {
    const [one, other] = await Promise.all([buildPkcs12(contents), buildPkcs12(contents)])
    expect(Buffer.compare(one, other)).not.toBe(0)
  })

  test('lets others run while it is made', async () => {
    const others = { turns: 0, going: true }
    const working = (async () => {
      for (; others.going; others.turns += 1) await nextTurn()
    })()
    await buildPkcs12({ ...contents, iterations: 50_000 })
    others.going = false
    await working
    expect(others.turns).toBeGreaterThan(20)
  })

  test.each([
    ['no password', { password: '' }, 'password'],
    ['no certificate', { certificates: [] }, 'certificate of its key'],
    ['half a character as password', { password: '\ud800' }, 'password'],
  ])('with %s is not made', async (_what, overrides, fault) => {
    await expect(buildPkcs12({ ...contents, ...overrides })).rejects.toThrow(RangeError)
    await expect(buildPkcs12({ ...contents, ...overrides })).rejects.toThrow(fault)
  })

  test.each([
    ['a key that is no PKCS#8', { privateKeyPkcs8: leaf.der }, /^privateKeyPkcs8/],
    ['a certificate in PEM', { certificates: [Buffer.from('-----BEGIN CERTIFICATE-----')] }, /^certificates\[0\]/],
  ])('with %s is not made', async (_what, overrides, fault) => {
    await expect(buildPkcs12({ ...contents, ...overrides })).rejects.toThrow(DerError)
    await expect(buildPkcs12({ ...contents, ...overrides })).rejects.toThrow(fault)
  })
})
