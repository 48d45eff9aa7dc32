import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DerError } from '../der/reader.ts'
import { hexOf } from '../der/values.ts'
import { concat, octetString } from '../der/writer.ts'
import { splitCertificateBytes, splitCertificateText, type CertificateTextKind } from './certificate-text.ts'
import { LONGEST_TEXT } from './limits.ts'
import { PemError, decodePem, encodePem } from './pem.ts'
import { holdsPrivateKey } from './private-key.ts'
import { decodeText } from './text-encoding.ts'

const folder = mkdtempSync(join(tmpdir(), 'pem-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const openssl = (...words: string[]): Buffer => execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })

const made = new Map<string, { kind: CertificateTextKind; pem: string; der: Uint8Array }>()
beforeAll(() => {
  openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', 'key.pem')
  openssl('req', '-x509', '-key', 'key.pem', '-subj', '/CN=Ada', '-days', '2', '-out', 'certificate.pem')
  openssl('req', '-new', '-key', 'key.pem', '-subj', '/CN=Ada', '-out', 'request.pem')
  const outputs: [string, CertificateTextKind, string[]][] = [
    ['certificate', 'certificate', ['x509', '-in', 'certificate.pem']],
    ['request', 'csr', ['req', '-in', 'request.pem']],
    ['PKCS#7', 'pkcs7', ['crl2pkcs7', '-nocrl', '-certfile', 'certificate.pem']],
    ['public key', 'publicKey', ['pkey', '-in', 'key.pem', '-pubout']],
    ['PKCS#8 key', 'privateKey', ['pkey', '-in', 'key.pem']],
    ['SEC 1 key', 'privateKey', ['ec', '-in', 'key.pem']],
    ['encrypted key', 'privateKey', ['pkcs8', '-topk8', '-in', 'key.pem', '-passout', 'pass:x']],
    ['RSA key', 'privateKey', ['genrsa', '-traditional', '2048']],
  ]
  for (const [name, kind, words] of outputs) {
    const pem = openssl(...words).toString()
    const [block] = decodePem(pem)
    if (block === undefined) throw new Error(`openssl wrote no ${name}`)
    made.set(name, { kind, pem, der: block.bytes })
  }
})
const item = (name: string): { kind: CertificateTextKind; pem: string; der: Uint8Array } => {
  const found = made.get(name)
  if (found === undefined) throw new Error(`no ${name} was made`)
  return found
}

describe('PEM', () => {
  test('what is written is read back, with line ends of any kind and text around', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.constantFrom('\n', '\r\n'), (bytes, end) => {
        const text = `Subject: someone\n\n${encodePem('SOME THING', bytes)}Bag Attributes\n${encodePem('OTHER', bytes)}`.replaceAll(
          '\n',
          end,
        )
        const [first, second] = decodePem(text)
        return first?.label === 'SOME THING' && first.line === 3 && hexOf(first.bytes) === hexOf(bytes) && second?.label === 'OTHER'
      }),
    )
  })

  test('openssl writes the same text', () => {
    for (const name of ['certificate', 'request', 'PKCS#7', 'public key']) {
      const { pem, der } = item(name)
      expect(encodePem(decodePem(pem)[0]?.label ?? '', der)).toBe(pem)
    }
  })

  test.for([
    ['a missing END line', '-----BEGIN A-----\nAAAA\n', 'Line 1: The END line of "A" is missing'],
    ['another label at the end', 'x\n-----BEGIN A-----\nAAAA\n-----END B-----', 'Line 4: Expected "-----END A-----"'],
    ['an END line alone', '-----END A-----', 'Line 1: An END line without its BEGIN line'],
    ['a block inside a block', '-----BEGIN A-----\n-----BEGIN A-----\n', 'Line 2: Expected "-----END A-----"'],
    ['a broken BEGIN line', '-----BEGIN X509 CRL----\nAAAA\n', 'Line 1: The BEGIN line must read "-----BEGIN X509 CRL-----"'],
    ['a BEGIN line without a label', '-----BEGIN-----\nAAAA\n', 'Line 1: The BEGIN line must read "-----BEGIN CERTIFICATE-----"'],
    ['a character that is not base64', '-----BEGIN A-----\nAA?A\n-----END A-----', 'Line 2: "?" is not a base64 character'],
    ['headers', '-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\n', 'Line 2: PEM headers'],
    ['missing padding', '-----BEGIN A-----\nAAA\n-----END A-----', 'Line 1: The block is not valid base64'],
    ['bits beyond the last byte', '-----BEGIN A-----\nAAB=\n-----END A-----', 'Line 1: The block is not valid base64'],
    ['nothing inside', '-----BEGIN A-----\n-----END A-----', 'Line 1: The block is empty'],
  ])('%s is refused, naming the line', ([, text, message]) => {
    expect(() => decodePem(text ?? '')).toThrow(PemError)
    expect(() => decodePem(text ?? '')).toThrow(message ?? '')
  })
})

describe('certificate text', () => {
  test('each kind that openssl writes is recognised, as PEM, hex, spaced hex and bare base64', () => {
    for (const [name, { kind, pem, der }] of made) {
      const hex = hexOf(der)
      const base64 = Buffer.from(der).toString('base64')
      for (const text of [
        pem,
        hex,
        `0x${hex.toUpperCase()}`,
        hex.replaceAll(/../g, '$&:').slice(0, -1),
        hex.replaceAll(/../g, '$& '),
        base64,
        base64.replaceAll(/.{64}/g, '$&\r\n'),
      ]) {
        expect(splitCertificateText(text).map((each) => [name, each.kind, hexOf(each.bytes)])).toEqual([[name, kind, hex]])
      }
    }
  })

  test('a wrong label does not mislead', () => {
    expect(splitCertificateText(encodePem('PKCS7', item('request').der))).toMatchObject([{ kind: 'csr', label: 'PKCS7' }])
  })

  test('a block too broken to be recognised is what its label says, so that its reader names the fault', () => {
    expect(splitCertificateText(encodePem('CERTIFICATE', item('certificate').der.subarray(0, 40)))).toMatchObject([{ kind: 'certificate' }])
    expect(splitCertificateText(encodePem('FLOWER', octetString()))).toMatchObject([{ kind: 'unknown' }])
  })

  test('several pieces are told apart: PEM blocks, DER in a row, and base64 with a blank line between', () => {
    const [one, two, three] = [item('certificate'), item('request'), item('PKCS#7')]
    const wanted: CertificateTextKind[] = ['certificate', 'csr', 'pkcs7']
    const row = concat(one.der, two.der, three.der)
    const base64 = [one, two, three].map(({ der }) => Buffer.from(der).toString('base64')).join('\n\n')
    for (const text of [
      one.pem + two.pem + three.pem,
      hexOf(row),
      Buffer.from(row).toString('base64'),
      base64,
      encodePem('CERTIFICATE', row),
    ]) {
      expect(splitCertificateText(text).map(({ kind }) => kind)).toEqual(wanted)
    }
    expect(splitCertificateBytes(row).map(({ kind }) => kind)).toEqual(wanted)
    expect(splitCertificateBytes(Buffer.from(two.pem)).map(({ kind }) => kind)).toEqual(['csr'])
  })

  test('a block that lost its line ends is read, whatever became of them', () => {
    const whole = encodePem('CERTIFICATE REQUEST', item('request').der)
    const kinds = (text: string) => splitCertificateText(text).map(({ bytes }) => Buffer.from(bytes).toString('base64'))
    const wanted = kinds(whole)
    for (const lost of [' ', '', '\\n', '\\r\\n', '\t'])
      for (const text of [whole.replaceAll('\n', lost), `csr: "${whole.replaceAll('\n', lost)}", more`]) expect(kinds(text)).toEqual(wanted)
    expect(kinds(`${whole}${whole.replaceAll('\n', ' ')}`)).toEqual([...wanted, ...wanted])
    expect(
      holdsPrivateKey('-----BEGIN CERTIFICATE REQUEST-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\\n-----END CERTIFICATE REQUEST-----'),
    ).toBe(true)
  })

  test('a file that PowerShell wrote, in UTF-16, is read', () => {
    const whole = encodePem('CERTIFICATE REQUEST', item('request').der)
    const little = Buffer.from(whole, 'utf16le')
    for (const file of [little, Buffer.concat([Buffer.from([0xff, 0xfe]), little]), Buffer.from(`\ufeff${whole}`, 'utf16le').swap16()]) {
      expect(decodeText(file)).toBe(whole)
      expect(splitCertificateBytes(file).map(({ bytes }) => Buffer.from(bytes).toString('base64'))).toEqual(
        splitCertificateText(whole).map(({ bytes }) => Buffer.from(bytes).toString('base64')),
      )
    }
    expect(decodeText(Buffer.from('Grüße'))).toBe('Grüße')
  })

  test.for([
    ['an empty text', ' \n', 'The text is empty'],
    ['a stray character', 'MIIB\nMI*B', 'Line 2: "*" belongs to neither'],
    ['an odd number of digits', '308', 'odd number of digits'],
    ['a BEGIN line inside a line', 'x -----BEGIN A-----', 'must stand alone'],
    ['text that ends too early', '3003', 'claims 3 bytes where 0 are left'],
    ['a word', 'nonsense', 'Line 1: This is neither PEM nor DER'],
  ])('%s is refused with the reason', ([, text, message]) => {
    expect(() => splitCertificateText(text ?? '')).toThrow(message ?? '')
  })

  test('a BEGIN line of megabytes is refused as any other wrong one', () => {
    expect(() => splitCertificateText(`-----BEGIN ${'A '.repeat(4_000_000)}`)).toThrow('The BEGIN line must read')
  })

  test('more than 10 MiB is refused, and just under is sorted', () => {
    expect(() => splitCertificateText('A'.repeat(LONGEST_TEXT + 1))).toThrow('longer than 10 MiB')
    expect(() => splitCertificateText('30'.repeat(5_000_000))).toThrow(DerError)
    const pem = item('certificate').pem.repeat(10_000)
    expect(splitCertificateText(pem)).toHaveLength(10_000)
  })

  test('arbitrary text and bytes are taken or refused, never anything else', () => {
    const refused = (run: () => unknown): boolean => {
      try {
        run()
        return true
      } catch (error) {
        return error instanceof PemError || error instanceof DerError
      }
    }
    fc.assert(
      fc.property(
        fc.string(),
        fc.uint8Array(),
        (text, bytes) =>
          refused(() => splitCertificateText(text)) &&
          refused(() => splitCertificateBytes(bytes)) &&
          refused(() => splitCertificateText(`-----BEGIN X-----\n${text}`)),
      ),
    )
  })
})

test('text of millions of lines, blocks, blanks or ends of padding is refused before anything is made of it', () => {
  const block = '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n'
  const says = (text: string) => {
    try {
      return splitCertificateText(text).length
    } catch (error) {
      return error instanceof Error ? error.message.replace(/^Line \d+: /, '') : ''
    }
  }
  expect([`${block}${'\n'.repeat(2_000_000)}`, block.repeat(30_000), '30:'.repeat(2_000_000), 'AA=='.repeat(500_000)].map(says)).toEqual([
    'The text has more than 300000 lines',
    'The text holds more than 20000 items',
    'The text has more than 1000000 blanks and colons',
    'The text holds more than 20000 items',
  ])
})
