import { afterAll, describe, expect, test } from 'vitest'
import { openSslFolder, type KeyKind } from '../crl/openssl-authority.fixture.ts'
import { DerError } from '../der/reader.ts'
import { hexOf } from '../der/values.ts'
import { integer } from '../der/writer.ts'
import { buildPkcs12 } from './pkcs12.ts'
import { PKCS12_MOST_ROUNDS, Pkcs12Error, readPkcs12 } from './read.ts'

const folder = openSslFolder()
afterAll(() => folder.remove())

const root = folder.authority('Root', 'P-256')
const leaf = folder.issue('leaf', root, 'P-256')
const pkcs8 = leaf.key.export({ type: 'pkcs8', format: 'der' })
const contents = {
  privateKeyPkcs8: pkcs8,
  certificates: [leaf.der, root.der],
  password: 'correct horse',
  friendlyName: 'Ana Müller',
  iterations: 2000,
}

describe.each(['modern', 'legacy'] as const)('a file of the %s form', (form) => {
  test('comes back as it was made', async () => {
    const file = await readPkcs12(await buildPkcs12({ ...contents, form, password: 'pässwörd€🔑' }), 'pässwörd€🔑')
    expect(file.privateKeys.map(({ der, friendlyName }) => [hexOf(der), friendlyName])).toEqual([[hexOf(pkcs8), 'Ana Müller']])
    expect(file.certificates.map(({ der, friendlyName }) => [hexOf(der), friendlyName])).toEqual([
      [hexOf(leaf.der), 'Ana Müller'],
      [hexOf(root.der), undefined],
    ])
    expect(file.privateKeys.concat(file.certificates).map(({ localKeyId }) => localKeyId?.length)).toEqual([20, 20, undefined])
    expect(hexOf(file.certificates[0]?.localKeyId ?? new Uint8Array())).toBe(hexOf(file.privateKeys[0]?.localKeyId ?? new Uint8Array()))
  })

  test('under another password, or changed anywhere, is refused', async () => {
    const der = Buffer.from(await buildPkcs12({ ...contents, form, iterations: 5 }))
    await expect(readPkcs12(der, 'wrong horse')).rejects.toThrow('The password is wrong, or the file was changed')
    const strange: unknown[] = []
    let opened = 0
    for (let bit = 0; bit < der.length * 8; bit += 7) {
      const changed = Buffer.from(der)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      await readPkcs12(changed, 'correct horse').then(
        () => (opened += 1),
        (error: unknown) => (error instanceof Pkcs12Error || error instanceof DerError ? undefined : strange.push(error)),
      )
    }
    expect(strange).toEqual([])
    expect(opened).toBe(0)
    for (let length = 0; length < der.length; length += 3)
      await expect(readPkcs12(der.subarray(0, length), 'correct horse')).rejects.toThrow(DerError)
  })
})

test('the legacy form is triple DES and SHA-1, and opens in OpenSSL and GnuTLS', async () => {
  folder.write('old.p12', await buildPkcs12({ ...contents, form: 'legacy' }))
  const { ok, text } = folder.ask('openssl', 'pkcs12', '-in', 'old.p12', '-passin', 'pass:correct horse', '-nodes', '-info', '-legacy')
  expect(ok).toBe(true)
  expect(text).toContain('MAC: sha1, Iteration 2000')
  expect(text.match(/pbeWithSHA1And3-KeyTripleDES-CBC, Iteration 2000/g)).toHaveLength(2)
  expect(text).toContain(leaf.key.export({ type: 'pkcs8', format: 'pem' }).toString().trim())
  expect(folder.ask('certtool', '--p12-info', '--inder', '--infile', 'old.p12', '--password', 'correct horse')).toMatchObject({ ok: true })
})

describe('a file of OpenSSL', () => {
  const made = (name: string, ...options: string[]) => {
    folder.run(
      'openssl',
      'pkcs12',
      '-export',
      '-in',
      'leaf.pem',
      '-inkey',
      'leaf.key',
      '-certfile',
      'Root.pem',
      '-name',
      'Theirs',
      '-passout',
      'pass:secret',
      ...options,
      '-out',
      name,
    )
    return folder.read(name)
  }
  test.each([
    { options: [] as string[] },
    { options: ['-keypbe', 'AES-128-CBC', '-certpbe', 'AES-192-CBC', '-macalg', 'sha512'] },
    { options: ['-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-3DES', '-macalg', 'sha1', '-legacy'] },
    { options: ['-keypbe', 'PBE-SHA1-2DES', '-certpbe', 'PBE-SHA1-3DES', '-macalg', 'sha384', '-legacy'] },
    { options: ['-keypbe', 'NONE', '-certpbe', 'NONE'] },
  ])('is read ($options)', async ({ options }) => {
    const file = await readPkcs12(made('theirs.p12', ...options), 'secret')
    expect(file.privateKeys.map(({ der }) => hexOf(der))).toEqual([hexOf(pkcs8)])
    expect(file.certificates.map(({ der }) => hexOf(der)).toSorted()).toEqual([hexOf(leaf.der), hexOf(root.der)].toSorted())
  })

  test.each<[string, string[], string]>([
    ['by RC2', ['-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-RC2-40', '-legacy'], 'RC2'],
    ['without a MAC', ['-nomac'], 'no MAC'],
  ])('%s is refused by its name', async (_, options, reason) => {
    await expect(readPkcs12(made('refused.p12', ...options), 'secret')).rejects.toThrow(reason)
  })

  test('of GnuTLS is read, too', async () => {
    folder.run(
      'certtool',
      '--to-p12',
      '--load-certificate',
      'leaf.pem',
      '--load-privkey',
      'leaf.key',
      '--p12-name',
      'x',
      '--password',
      'secret',
      '--outder',
      '--outfile',
      'gnutls.p12',
    )
    const file = await readPkcs12(folder.read('gnutls.p12'), 'secret')
    expect([file.privateKeys.length, hexOf(file.certificates[0]?.der ?? new Uint8Array())]).toEqual([1, hexOf(leaf.der)])
  })
})

test.each<KeyKind>(['RSA', 'P-384', 'Ed25519'])('a key of kind %s is read out again', async (kind) => {
  const owner = folder.issue(`owner ${kind}`, root, kind)
  const der = owner.key.export({ type: 'pkcs8', format: 'der' })
  expect(
    (
      await readPkcs12(await buildPkcs12({ ...contents, privateKeyPkcs8: der, certificates: [owner.der] }), 'correct horse')
    ).privateKeys.map((key) => hexOf(key.der)),
  ).toEqual([hexOf(der)])
})

test('a file that asks for a mountain of rounds is refused before the first', async () => {
  const der = Buffer.from(await buildPkcs12({ ...contents, iterations: 0x01_0000 }))
  const [few, many] = [Buffer.from(integer(0x01_0000)), Buffer.from(integer(0x7f_ffff))]
  const at = der.lastIndexOf(few)
  const bomb = Buffer.concat([der.subarray(0, at), many, der.subarray(at + few.length)])
  expect(bomb).toHaveLength(der.length)
  await expect(readPkcs12(bomb, 'correct horse')).rejects.toThrow(`more than ${PKCS12_MOST_ROUNDS} rounds`)
})
