import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { contentInfo } from '#standards/cms/message.ts'
import { buildTbsCertList } from '#standards/crl/certificate-list.ts'
import { crlEntryPacker } from '#standards/crl/entries.ts'
import { explicit, integer, octetString, oid, sequence, set } from '#standards/der/writer.ts'
import { LARGEST_FILE, LONGEST_TEXT } from '#standards/pem/limits.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { authority, revocationListDer } from '#standards/verify/estate.fixture.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { nameOf } from '#standards/x509/names.ts'
import { OIDS } from '#standards/x509/oids.ts'
import { decoder, type DecodedField, type DecodedItem } from '../contract.ts'
import { waitingEach } from '../rules.ts'
import { openWorkbench } from './workbench.ts'

let house: TestHouse
let ada: TestPerson
const folder = openToolFolder()
const openssl = (...args: string[]) => folder.run('openssl', ...args)
const file = folder.read

beforeAll(async () => {
  folder.write('ca.cnf', '[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\ncrlnumber=crlnumber\ndefault_md=sha256\ndefault_crl_days=7\n')
  folder.write('index.txt', 'R\t360101000000Z\t260102030405Z,keyCompromise\t0A0B\tunknown\t/CN=x\n')
  folder.write('crlnumber', '1F\n')
  openssl(
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '30',
    '-subj',
    '/C=NL/O=Acme/CN=Acme Root',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  )
  openssl(
    'req',
    '-new',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'leaf.key',
    '-out',
    'leaf.csr',
    '-subj',
    '/CN=www.example.org',
    '-addext',
    'subjectAltName=DNS:www.example.org,DNS:*.internal.example',
  )
  openssl('ca', '-config', 'ca.cnf', '-gencrl', '-cert', 'ca.pem', '-keyfile', 'ca.key', '-out', 'ca.crl')
  openssl('crl2pkcs7', '-certfile', 'ca.pem', '-in', 'ca.crl', '-out', 'ca.p7')
  openssl('x509', '-in', 'ca.pem', '-outform', 'DER', '-out', 'ca.der')
  house = await openTestHouse()
  ada = await (await house.tenancy('Acme')).person({ permissions: ['pEMView'] })
})
afterAll(async () => {
  await house.close()
  folder.remove()
})

const decode = (text: string, rules = '') => ada.call(decoder.calls.decode, { text, rules })
const only = async (text: string, rules = ''): Promise<DecodedItem> => {
  const { items } = await decode(text, rules)
  expect(items).toHaveLength(1)
  return items[0] ?? expect.fail('no item')
}
const pem = (name: string) => file(name).toString('latin1')

/** The field at the end of a path of labels. */
function at(fields: readonly DecodedField[] | undefined, ...path: string[]): DecodedField | undefined {
  const [label, ...rest] = path
  const found = fields?.find((field) => field.label === label || field.label.startsWith(`${label} (`))
  return rest.length === 0 ? found : at(found?.children, ...rest)
}

describe('what is pasted', () => {
  test.each<[string, () => string]>([
    ['PEM', () => pem('ca.pem')],
    ['hexadecimal', () => file('ca.der').toString('hex')],
    [
      'hexadecimal with colons and lines',
      () => file('ca.der').toString('hex').replaceAll(/../g, '$&:').replace(/:$/, '').replaceAll(/.{60}/g, '$&\n'),
    ],
    ['bare base64', () => file('ca.der').toString('base64')],
  ])('a certificate in %s is shown by its RFC names', async (_form, text) => {
    const item = await only(text())
    expect(item).toMatchObject({ kind: 'certificate', decoded: true, title: 'Acme Root' })
    const names = ['version', 'serialNumber', 'signature', 'issuer', 'validity', 'subject', 'subjectPublicKeyInfo', 'extensions']
    expect(at(item.fields, 'Certificate', 'tbsCertificate')?.children?.map(({ label }) => label)).toEqual(names)
    const serial = openssl('x509', '-in', 'ca.pem', '-noout', '-serial').trim().split('=')[1]?.toLowerCase()
    expect(at(item.fields, 'Certificate', 'tbsCertificate', 'serialNumber')?.value).toBe(serial)
    expect(item.structure[0]?.children).toHaveLength(3)
    expect(item.pem).toBe(pem('ca.pem'))
  })

  test('a request shows who asks for what', async () => {
    const item = await only(pem('leaf.csr'))
    expect(item).toMatchObject({ kind: 'csr', title: 'www.example.org', rulesChecked: false })
    expect(at(item.fields, 'CertificationRequest', 'certificationRequestInfo', 'subjectPKInfo')?.value).toContain('RSA')
    expect(JSON.stringify(item.fields)).toContain('*.internal.example')
  })

  test('a revocation list shows its number and its entries', async () => {
    const item = await only(pem('ca.crl'))
    expect(item).toMatchObject({ kind: 'crl', decoded: true, title: expect.stringContaining('number 31') })
    const revoked = at(item.fields, 'CertificateList', 'tbsCertList', 'revokedCertificates', 'userCertificate')
    expect(revoked).toMatchObject({ value: '0a0b' })
    expect(at(revoked?.children, 'reasonCode')?.value).toBe('keyCompromise')
    expect(JSON.stringify(at(item.fields, 'CertificateList', 'tbsCertList', 'crlExtensions'))).toContain('"31"')
  })

  test('a revocation list of nearly 10 MB is read whole', async () => {
    const packer = crlEntryPacker()
    const entries = 270_000
    for (let at = 0; at < entries; at += 1)
      packer.add({
        serialNumber: Buffer.from((0x10_0000_0000 + at).toString(16).padStart(32, '1'), 'hex'),
        revocationDate: new Date('2026-01-01T00:00:00Z'),
      })
    const tbs = await buildTbsCertList({
      signatureAlgorithm: 'ecdsa-with-SHA256',
      issuer: nameOf(['CN', 'Large']),
      authorityKeyIdentifier: new Uint8Array(20),
      thisUpdate: new Date('2026-01-01T00:00:00Z'),
      nextUpdate: new Date('2026-02-01T00:00:00Z'),
      crlNumber: 7n,
      entries: [packer.bytes()],
    })
    const list = assembleSigned(
      tbs,
      'ecdsa-with-SHA256',
      signWith('ecdsa-with-SHA256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, tbs),
    )
    expect(list.length).toBeGreaterThan(LARGEST_FILE * 0.9)
    expect(list.length).toBeLessThan(LARGEST_FILE)
    const item = await only(encodePem('X509 CRL', list))
    expect(item).toMatchObject({ kind: 'crl', decoded: true, title: 'CN=Large, number 7' })
    expect(at(item.fields, 'CertificateList', 'tbsCertList', 'revokedCertificates')?.note).toBe(`${entries} entries`)
    expect(item.findings).toMatchObject([{ code: 'w_crl_entries_unchecked' }])
  })

  test('PKCS#7 shows all that it carries', async () => {
    const item = await only(pem('ca.p7'))
    expect(item).toMatchObject({ kind: 'pkcs7', decoded: true })
    expect(at(item.fields, 'SignedData', 'certificates', 'Certificate', 'tbsCertificate', 'subject')?.value).toBe(
      'CN=Acme Root,O=Acme,C=NL',
    )
    expect(at(item.fields, 'SignedData', 'crls', 'CertificateList')).toBeDefined()
  })

  test('several items at once come one by one, each as what it is', async () => {
    const { items } = await decode([pem('ca.pem'), pem('leaf.csr'), pem('ca.crl')].join('\n'))
    expect(items.map(({ kind }) => kind)).toEqual(['certificate', 'csr', 'crl'])
    expect(items.every(({ decoded }) => decoded)).toBe(true)
  })

  test('a label that lies does not matter', async () => {
    expect(await only(pem('ca.pem').replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST'))).toMatchObject({ kind: 'certificate', decoded: true })
  })

  test('any other ASN.1 is shown as structure', async () => {
    expect(await only('3003020105')).toMatchObject({
      kind: 'unknown',
      decoded: true,
      structure: [{ label: 'SEQUENCE', children: [{ value: '5' }] }],
    })
  })

  test('a private key is named and not shown', async () => {
    await expect(decode(pem('leaf.key'))).rejects.toMatchObject({
      status: 400,
      code: 'undecodable',
      fields: [{ field: 'text', says: expect.stringContaining('private key') }],
    })
    const { items } = await decode(pem('leaf.key') + pem('ca.pem'))
    expect(items[0]).toMatchObject({ kind: 'privateKey', decoded: false, fields: [], structure: [] })
    expect(items[0]?.pem).toBeUndefined()
  })

  test('nothing that was decoded is recorded', async () => {
    await decode(pem('ca.pem'))
    const { rows } = await house.house.auditor.pool.query<{ events: number }>(
      `select count(*) as events from events where area = 'decoder' and outcome = 'done'`,
    )
    expect(rows[0]?.events).toBe(0)
  })
})

describe('the rules of a template', () => {
  const rules = (change: object) => JSON.stringify({ keys: ['RSA-2048'], allowedDomains: [], wildcards: true, maximumNames: 5, ...change })

  test.each<[string, object, string[]]>([
    ['nothing where all is kept', {}, []],
    ['a key that is not allowed', { keys: ['P-256'] }, ['rule_key']],
    ['a domain that is not allowed', { allowedDomains: ['*.internal.example'] }, ['rule_domain']],
    ['a wildcard', { wildcards: false }, ['rule_wildcard']],
    ['too many names', { maximumNames: 1 }, ['rule_names']],
  ])('find %s', async (_what, change, codes) => {
    const item = await only(pem('leaf.csr'), rules(change))
    expect(item.rulesChecked).toBe(true)
    expect(item.findings.map(({ code }) => code).filter((code) => code.startsWith('rule_'))).toEqual(codes)
  })

  test.each(['{', 'null', '[]', '"x"', 'keys'])('%s is no rules, and that is said', async (text) => {
    const { rulesChecked, findings } = await only(pem('leaf.csr'), text)
    expect(rulesChecked).toBe(false)
    expect(findings.map(({ code }) => code)).toContain('rules_unreadable')
  })

  test('rules that name no key say so in a whole sentence', async () => {
    const { findings } = await only(pem('leaf.csr'), '{"keys":[5]}')
    expect(findings.find(({ code }) => code === 'rule_key')?.message).toMatch(
      /^The rules name no kind of key that is known here, so .+ is not allowed$/,
    )
  })

  test('a request whose signature is not its own is told', async () => {
    const [, base64 = ''] = /REQUEST-----\n([^-]+)/.exec(pem('leaf.csr')) ?? []
    const der = Buffer.from(base64, 'base64')
    der[der.length - 1] = (der.at(-1) ?? 0) ^ 1
    expect((await only(der.toString('hex'))).findings).toContainEqual(expect.objectContaining({ field: 'signature' }))
  })
})

describe('OCSP', () => {
  beforeAll(() => {
    openssl('ocsp', '-issuer', 'ca.pem', '-serial', '0x0A0B', '-reqout', 'ask.der')
    openssl(
      'ocsp',
      '-index',
      'index.txt',
      '-CA',
      'ca.pem',
      '-rsigner',
      'ca.pem',
      '-rkey',
      'ca.key',
      '-reqin',
      'ask.der',
      '-respout',
      'answer.der',
    )
  })

  test('a request is shown with what it asks about', async () => {
    const item = await only(file('ask.der').toString('base64'))
    expect([item.kind, item.title]).toEqual(['ocspRequest', 'about serial number 0a0b'])
    expect(at(item.fields, 'OCSPRequest', 'requestList', 'reqCert', 'hashAlgorithm')?.value).toBe('sha1')
    expect(at(item.fields, 'OCSPRequest', 'nonce')?.value).toMatch(/^[0-9a-f]{20,}$/)
  })

  test('a response is shown with its answers and the certificates it carries', async () => {
    const item = await only(file('answer.der').toString('hex'))
    expect([item.kind, item.title]).toEqual(['ocspResponse', 'serial number 0a0b is revoked'])
    expect(at(item.fields, 'OCSPResponse', 'tbsResponseData', 'responses', 'SingleResponse', 'revocationReason')?.value).toBe(
      'keyCompromise',
    )
    expect(at(item.fields, 'OCSPResponse', 'tbsResponseData', 'responderID')?.value).toBe('CN=Acme Root,O=Acme,C=NL')
    expect(at(item.fields, 'Certificate', 'tbsCertificate')).toBeDefined()
  })

  test('a response that is only an error says which', async () => {
    expect(await only('30030a0106')).toMatchObject({ kind: 'ocspResponse', title: 'unauthorized', decoded: true })
  })

  test('a broken one says where', async () => {
    await expect(decode('30030a0109')).rejects.toMatchObject({
      fields: [{ says: 'responseStatus: The number is no status of a response (byte 2)' }],
    })
    await expect(
      decode(
        file('answer.der')
          .toString('hex')
          .replace(/180f3230/, '180f4130'),
      ),
    ).rejects.toMatchObject({ fields: [{ says: expect.stringMatching(/tbsResponseData\.producedAt: .* \(byte \d+\)$/) as string }] })
  })
})

describe('PKCS#12', () => {
  const pack = (...args: string[]) =>
    openssl('pkcs12', '-export', '-in', 'ca.pem', '-inkey', 'ca.key', '-passout', 'pass:secret', '-out', 'ca.p12', ...args)

  test('is shown with how its parts are protected, and never its key', async () => {
    pack('-iter', '4096')
    const item = await only(file('ca.p12').toString('base64'))
    expect([item.kind, item.title]).toEqual(['pkcs12', '2 parts'])
    expect(at(item.fields, 'PFX', 'authSafe', 'encryptedData', 'algorithm')?.value).toBe('PBES2 (1.2.840.113549.1.5.13)')
    expect(at(item.fields, 'PFX', 'authSafe', 'encryptedData', 'algorithm', 'algorithm', 'iterations')?.value).toBe('4096')
    expect(at(item.fields, 'PFX', 'authSafe', 'data', 'pkcs8ShroudedKeyBag')?.note).toBe('a private key, encrypted')
    expect(at(item.fields, 'PFX', 'macData', 'digestAlgorithm')?.value).toBe('sha256 (2.16.840.1.101.3.4.2.1)')
  })

  test('shows certificates that are not encrypted, and does not show such a key', async () => {
    pack('-certpbe', 'NONE', '-keypbe', 'NONE', '-nomac')
    const item = await only(file('ca.p12').toString('base64'))
    expect(at(item.fields, 'PFX', 'authSafe', 'data', 'certBag', 'Certificate', 'tbsCertificate', 'serialNumber')).toBeDefined()
    const parts = at(item.fields, 'PFX', 'authSafe')?.children
    expect(at(parts?.[1]?.children, 'keyBag')?.note).toMatch(/not shown/)
    expect([item.structure, item.pem]).toEqual([[], undefined])
    const [, scalar = ''] = /priv:\s+([0-9a-f:\s]+)pub:/.exec(openssl('pkey', '-in', 'ca.key', '-text', '-noout')) ?? []
    expect(scalar.replaceAll(/[:\s]/g, '').length).toBeGreaterThan(60)
    expect(JSON.stringify(item)).not.toContain(scalar.replaceAll(/[:\s]/g, ''))
    expect(at(item.fields, 'PFX', 'macData')?.note).toMatch(/^Absent/)
  })
})

describe('PKCS#12 with its password', () => {
  const pack = (...args: string[]) =>
    openssl(
      'pkcs12',
      '-export',
      '-in',
      'ca.pem',
      '-inkey',
      'ca.key',
      '-name',
      'Mine',
      '-passout',
      'pass:secret',
      '-out',
      'opened.p12',
      ...args,
    )
  const opened = async (password: string) => {
    const { items } = await ada.call(decoder.calls.decode, { text: file('opened.p12').toString('base64'), password })
    return items[0] ?? expect.fail('no item')
  }

  test('shows its certificates, and of its key only the kind', async () => {
    pack()
    const item = await opened('secret')
    expect(at(item.fields, 'contents', 'PrivateKeyInfo')).toMatchObject({
      value: 'EC P-256',
      note: 'Mine: a private key, which is not shown',
    })
    expect(at(item.fields, 'contents', 'Certificate', 'tbsCertificate', 'serialNumber')).toBeDefined()
    expect(item.findings).toEqual([])
  })

  test('shows only the outside for another password and without a MAC', async () => {
    pack()
    expect((await opened('wrong')).findings).toMatchObject([
      { code: 'e_pkcs12', message: expect.stringMatching(/password is wrong/) as string },
    ])
    pack('-nomac')
    const item = await opened('secret')
    expect(item.findings).toMatchObject([{ code: 'e_pkcs12', message: expect.stringMatching(/no MAC/) as string }])
    expect(at(item.fields, 'PFX', 'authSafe')).toBeDefined()
  })
})

describe('CMS', () => {
  beforeAll(() => folder.write('letter.txt', 'Hello'))

  test('shows who signed and whether the signature is right', async () => {
    openssl(
      'cms',
      '-sign',
      '-in',
      'letter.txt',
      '-binary',
      '-nodetach',
      '-signer',
      'ca.pem',
      '-inkey',
      'ca.key',
      '-outform',
      'DER',
      '-out',
      'signed.der',
    )
    const item = await only(file('signed.der').toString('base64'))
    expect([item.kind, item.title, item.findings]).toEqual(['pkcs7', 'signed by 1 signer', []])
    expect(at(item.fields, 'SignedData', 'SignerInfo')?.note).toBe('The signature is right.')
    expect(at(item.fields, 'SignedData', 'SignerInfo', 'signer')?.value).toBe('CN=Acme Root,O=Acme,C=NL')
    const der = file('signed.der')
    const found = (await only(der.toString('hex').replace(Buffer.from('Hello').toString('hex'), Buffer.from('Hallo').toString('hex'))))
      .findings
    expect(found).toMatchObject([{ code: 'e_cms_signature', severity: 'error' }])
  })

  test('shows for whom a message is encrypted', async () => {
    openssl('cms', '-encrypt', '-aes256', '-in', 'letter.txt', '-outform', 'DER', '-out', 'sealed.der', 'ca.pem')
    const item = await only(file('sealed.der').toString('base64'))
    expect([item.kind, item.title]).toEqual(['pkcs7', 'for 1 recipient'])
    expect(at(item.fields, 'EnvelopedData', 'KeyAgreeRecipientInfo')).toBeDefined()
  })
})

describe('a fault says where', () => {
  test.each<[string, () => string, RegExp]>([
    ['the line of a broken text', () => pem('ca.pem').replace(/\n(.{10})/, '\n$1!'), /^Line 2: "!" is not a base64 character/],
    ['a missing end', () => pem('ca.pem').replace(/-----END.*/, ''), /^Line 1: .*END line/],
    ['junk', () => 'hello, world', /^Line 1: /],
    ['an odd digit', () => '30030201050', /odd number/],
    ['the byte of a short value', () => '3010020105', /byte \d+/],
  ])('%s', async (_what, text, says) => {
    await expect(decode(text())).rejects.toMatchObject({
      status: 400,
      code: 'undecodable',
      fields: [{ field: 'text', says: expect.stringMatching(says) }],
    })
  })

  test('too much text is refused by its field', async () => {
    await expect(decode('A'.repeat(LONGEST_TEXT + 1))).rejects.toMatchObject({ status: 400, code: 'invalid', fields: [{ field: 'text' }] })
    expect(
      (
        await ada.fetch('/api2/PKI-v1/Decode', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: ' '.repeat(20_000_000),
        })
      ).status,
    ).toBe(413)
  })
})

describe('hostile text', () => {
  const nested = (depth: number) => {
    let bytes = Buffer.alloc(0)
    for (let at = 0; at < depth; at += 1) {
      const length =
        bytes.length < 128 ? Buffer.of(bytes.length) : Buffer.of(0x83, bytes.length >> 16, (bytes.length >> 8) & 255, bytes.length & 255)
      bytes = Buffer.concat([Buffer.of(0x30), length, bytes])
    }
    return bytes
  }
  const long = (length: number) => Buffer.of(0x30, 0x83, length >> 16, (length >> 8) & 255, length & 255)

  test.each<[string, () => string]>([
    ['values nested 5,000 deep', () => nested(5_000).toString('hex')],
    ['400,000 empty values', () => Buffer.concat([long(800_000), Buffer.alloc(800_000, Buffer.of(0x05, 0x00))]).toString('hex')],
    ['a length of four gigabytes', () => '3084ffffffff'],
    ['an indefinite length', () => '30800000'],
    ['50,000 BEGIN lines', () => '-----BEGIN CERTIFICATE-----\n'.repeat(50_000)],
    ['60,000 tiny items', () => '3000'.repeat(60_000)],
    [
      'an integer of a megabyte',
      () => Buffer.concat([Buffer.of(0x02, 0x83, 0x0e, 0x00, 0x00), Buffer.alloc(0x0e0000, 0x7f)]).toString('base64'),
    ],
    [
      'an identifier of a megabyte',
      () => Buffer.concat([Buffer.of(0x06, 0x83, 0x0e, 0x00, 0x00), Buffer.alloc(0x0e0000, 0x81)]).toString('base64'),
    ],
    ['control and bidirectional characters', () => '\u202e\u0000-----BEGIN X-----\n'],
    ['only equal signs', () => '='.repeat(1_000_000)],
    ['a million colons', () => ':'.repeat(1_000_000)],
    ['a BEGIN line of 8 MB', () => `-----BEGIN ${'A '.repeat(4_000_000)}`],
    ['half a surrogate pair', () => '\ud800'],
  ])('%s gets an answer in time, and the server goes on', async (_what, text) => {
    const outcome = await decode(text()).then(
      () => 200,
      (error: { status?: number }) => error.status,
    )
    expect([200, 400, 422]).toContain(outcome)
    expect((await only(pem('ca.pem'))).decoded).toBe(true)
  })

  test('every certificate with one changed byte is read or refused', async () => {
    const der = file('ca.der')
    const bench = openWorkbench()
    for (let index = 0; index < der.length; index += 1) {
      const changed = Buffer.from(der)
      changed[index] = (changed[index] ?? 0) ^ 0x55
      expect(await bench.decode({ text: changed.toString('hex'), rules: '' }, 'ada'), `byte ${index}`).toBeTypeOf('object')
    }
    await bench.close()
  })

  /** Changes bytes that stand once in it. */
  const changedIn = (der: Buffer, from: string, to: string): Buffer => {
    const hex = der.toString('hex')
    expect(hex.split(from)).toHaveLength(2)
    return Buffer.from(hex.replace(from, to), 'hex')
  }
  const changedRoot = (from: string, to: string): Buffer => changedIn(file('ca.der'), from, to)
  const derOf = (name: string): Buffer => Buffer.from(pem(name).replaceAll(/-----.*-----|\s/g, ''), 'base64')

  test('a request with a fault in what it asks for is shown as far as it can be read', async () => {
    // An IA5String of a name becomes one of a type that no name has.
    const item = await only(changedIn(derOf('leaf.csr'), '820f7777772e', '9f0f7777772e').toString('hex'))
    expect(item).toMatchObject({ kind: 'csr', decoded: false })
    const field = (...path: string[]) => at(item.fields, 'CertificationRequest', 'certificationRequestInfo', ...path)
    expect(field('version')?.value).toBe('v1')
    expect(field('subject')?.value).toContain('CN=www.example.org')
    expect(field('subjectPKInfo')?.children?.some(({ label }) => label === 'modulus')).toBe(true)
    expect(field('attributes', 'extensionRequest')?.children).toMatchObject([
      { label: 'extensionRequest[0]', note: 'This cannot be read, and is shown as its bytes.' },
    ])
    expect(at(item.fields, 'CertificationRequest', 'signatureAlgorithm')?.value).toContain('RSA')
    expect(item.findings).toMatchObject([{ severity: 'fatal', code: 'f_structure', field: expect.stringContaining('extensionRequest[') }])
  })

  test('a challenge password is not shown, however wrong the request around it is', async () => {
    const secret = '[req]\ndistinguished_name=dn\nattributes=more\nprompt=no\n[dn]\nCN=x\n[more]\nchallengePassword=hunter-two\n'
    folder.write('challenge.cnf', secret)
    openssl('req', '-new', '-key', 'leaf.key', '-out', 'secret.csr', '-config', 'challenge.cnf')
    const good = derOf('secret.csr')
    const item = await only(changedIn(good, '06092a864886f70d010907', '06892a864886f70d010907').toString('hex')).catch(() => undefined)
    const wrongVersion = Buffer.from(good)
    wrongVersion[wrongVersion.indexOf(Buffer.from('020100', 'hex')) + 2] = 7
    const shown = [item, await only(wrongVersion.toString('hex'))]
    for (const one of shown) {
      const { structure: _, ...page } = one ?? { structure: [] }
      expect(JSON.stringify(page)).not.toMatch(/hunter-two|68756e7465722d74776f/i)
    }
    expect(shown[1]).toMatchObject({ kind: 'csr', decoded: false, findings: [{ severity: 'fatal' }] })
  })

  test('a list with faults in a time and in an entry is shown with the other fields and entries', async () => {
    const list = await revocationListDer(authority({ name: 'List Root' }), {
      entries: [
        { serialNumber: Buffer.from('5a01', 'hex'), revocationDate: new Date('2026-01-02T00:00:00Z'), reason: 'keyCompromise' },
        { serialNumber: Buffer.from('5a02', 'hex'), revocationDate: new Date('2026-01-03T00:00:00Z'), reason: 'superseded' },
      ],
    })
    // 5 January becomes 45 January.
    const wrong = changedIn(Buffer.from(list), Buffer.from('260103000000Z').toString('hex'), Buffer.from('260143000000Z').toString('hex'))
    const item = await only(wrong.toString('hex'))
    expect(item).toMatchObject({ kind: 'crl', decoded: false })
    const field = (...path: string[]) => at(item.fields, 'CertificateList', 'tbsCertList', ...path)
    expect(field('issuer')?.value).toContain('List Root')
    expect(field('thisUpdate')?.value).toMatch(/^20/)
    expect(field('revokedCertificates')?.children).toMatchObject([
      { label: 'userCertificate', value: '5a01' },
      { label: 'revokedCertificates[1]', note: 'This cannot be read, and is shown as its bytes.' },
    ])
    expect(item.findings).toMatchObject([
      { severity: 'fatal', code: 'f_structure', field: expect.stringContaining('revokedCertificates[1]') },
    ])
  })

  test('a certificate with a fault in an extension is shown as far as it can be read', async () => {
    // TRUE of a critical extension, as BER may write it and DER may not.
    const item = await only(changedRoot('551d0f0101ff', '551d0f010101').toString('hex'))
    expect(item).toMatchObject({ kind: 'certificate', decoded: false, fault: { says: 'A BOOLEAN must be 00 or FF in DER' } })
    const field = (...path: string[]) => at(item.fields, 'Certificate', 'tbsCertificate', ...path)
    for (const name of ['issuer', 'subject']) expect(field(name)?.value).toContain('CN=Acme Root')
    expect(field('validity', 'notAfter')?.value).toMatch(/^20/)
    expect(field('extensions')?.children?.filter(({ note }) => note === 'This cannot be read, and is shown as its bytes.')).toHaveLength(1)
    expect(item.findings).toMatchObject([{ severity: 'fatal', code: 'f_structure', field: expect.stringContaining('extensions[') }])
  })

  test('a certificate of a version that does not exist is shown with all its fields', async () => {
    const item = await only(changedRoot('a003020102', 'a003020109').toString('hex'))
    expect(item).toMatchObject({
      kind: 'certificate',
      decoded: false,
      fault: { path: 'tbsCertificate.version', offset: expect.any(Number) },
    })
    expect(at(item.fields, 'Certificate', 'tbsCertificate', 'version')?.value).toBe('v10')
    expect(at(item.fields, 'Certificate', 'tbsCertificate', 'subject')?.value).toContain('CN=Acme Root')
  })

  test('a text that takes too long ends its thread and nothing else', async () => {
    const bench = openWorkbench({ milliseconds: 1 })
    expect(await bench.decode({ text: '3000'.repeat(20_000), rules: '' }, 'ada')).toBe('tooLong')
    await bench.close()
    expect((await only(pem('ca.pem'))).decoded).toBe(true)
  })

  test('PKCS#7 within PKCS#7 is shown as far as it can be sent, and at once', async () => {
    let message: Uint8Array = Buffer.from('innermost')
    for (let depth = 0; depth < 200; depth += 1) {
      const content = sequence(oid(OIDS.data), explicit(0, octetString(message)))
      message = contentInfo(OIDS.signedData, sequence(integer(1), set(), content, set()))
    }
    const bench = openWorkbench({ milliseconds: 60_000 })
    const outcome = await bench.decode({ text: Buffer.from(message).toString('hex'), rules: '' }, 'ada')
    expect(JSON.stringify(outcome)).toContain('What is nested deeper is left out.')
    await bench.close()
    expect((await decode(Buffer.from(message).toString('hex'))).items).toHaveLength(1)
  })

  test('whoever brings many slow texts delays nobody else', async () => {
    const bench = openWorkbench()
    const answered: string[] = []
    const ask = (whose: string) => bench.decode({ text: '3000'.repeat(20_000), rules: '' }, whose).then(() => answered.push(whose))
    // Both threads have started.
    await Promise.all(['mallory', 'ada'].map(ask))
    answered.length = 0
    await Promise.all(['mallory', 'mallory', 'mallory', 'mallory', 'mallory', 'mallory', 'ada'].map(ask))
    expect(answered.indexOf('ada')).toBeLessThan(4)
    await bench.close()
  })

  test('nobody fills the queue alone', async () => {
    const bench = openWorkbench()
    const outcomes = await Promise.all(
      [...Array.from({ length: waitingEach + 1 }, () => 'mallory'), 'ada'].map((whose) => bench.decode({ text: '3000', rules: '' }, whose)),
    )
    expect(outcomes.map((outcome) => outcome === 'busy')).toEqual([...Array.from({ length: waitingEach }, () => false), true, false])
    await bench.close()
  })

  test('more than a queue of texts is refused at once', async () => {
    const bench = openWorkbench()
    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, at) => bench.decode({ text: '3000', rules: '' }, `person ${at}`)))
    expect(outcomes.filter((outcome) => outcome === 'busy')).toHaveLength(20)
    await bench.close()
  })
})

describe('who may', () => {
  test('needs pEMView', async () => {
    const other = await (await house.tenancy('Other')).person({ permissions: ['certView'] })
    await expect(other.call(decoder.calls.decode, { text: 'x' })).rejects.toMatchObject({ status: 403 })
    await expect(house.signedOut.call(decoder.calls.decode, { text: 'x' })).rejects.toMatchObject({ status: 401 })
  })
})
