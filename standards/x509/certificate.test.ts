import { X509Certificate, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { afterAll, describe, expect, test } from 'vitest'
import { hexOf } from '../der/values.ts'
import { boolean, explicit, integer, octetString, oid, sequence, utcTime } from '../der/writer.ts'
import { splitCertificateText } from '../pem/certificate-text.ts'
import { defaultSignatureAlgorithm, signWith } from './algorithms.ts'
import {
  assembleSigned,
  buildTbsCertificate,
  checkIssuedBy,
  fingerprint,
  isSelfIssued,
  parseCertificate,
  parseTbsCertificate,
  type TbsCertificateInput,
} from './certificate.ts'
import { describe as describeParsed } from './describe.ts'
import { X509Error } from './error.ts'
import type { Extension } from './extension-types.ts'
import { formatName, nameOf } from './names.ts'
import { OIDS } from './oids.ts'
import { OPENSSL_KEY_NAMES, opensslFolder, type OpensslKey } from './openssl-keys.fixture.ts'
import { describeKey, keyIdentifier, parsePublicKey } from './public-key.ts'

const folder = opensslFolder()
afterAll(() => folder.remove())

const EXTENSION_SECTION = `[v3]
basicConstraints=critical,CA:TRUE,pathlen:1
keyUsage=critical,keyCertSign,cRLSign,digitalSignature
extendedKeyUsage=serverAuth,clientAuth,1.2.3.4
subjectAltName=DNS:*.a.example,IP:10.0.0.1,IP:2001:db8::1,email:a@b.example,URI:https://x.example/,otherName:1.3.6.1.4.1.311.20.2.3;UTF8:ada@x,RID:1.2.3,dirName:dn
issuerAltName=DNS:issuer.example
certificatePolicies=1.2.3.4,@pol
policyConstraints=critical,requireExplicitPolicy:3,inhibitPolicyMapping:1
policyMappings=1.2.3.4:1.2.3.6
inhibitAnyPolicy=critical,2
nameConstraints=critical,permitted;IP:10.0.0.0/255.0.0.0,permitted;email:.example.com,excluded;DNS:x.example,excluded;dirName:dn
tlsfeature=status_request
noCheck=yes
crlDistributionPoints=dp1,URI:http://c.example/crl
freshestCRL=URI:http://c.example/delta
authorityInfoAccess=OCSP;URI:http://o.example,caIssuers;URI:http://o.example/ca
subjectInfoAccess=caRepository;URI:http://o.example/repo
nsComment=an extension we keep as bytes
[dp1]
fullname=URI:http://c.example/crl1
CRLissuer=dirName:dn
reasons=keyCompromise,CACompromise
[dn]
C=NL
CN=foo
[pol]
policyIdentifier=1.2.3.5
CPS.1=http://cps.example
userNotice.1=@n
[n]
explicitText=UTF8:Hello
organization=Org
noticeNumbers=1,2
`
folder.write('v3.cnf', `[req]\ndistinguished_name=dn\n${EXTENSION_SECTION}`)

describe.each(OPENSSL_KEY_NAMES)('with a key of kind %s', (kind: OpensslKey) => {
  const file = kind.replaceAll(' ', '-')
  const key = folder.key(file, kind)
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const algorithm = defaultSignatureAlgorithm(parsePublicKey(spki))

  test('what openssl issues is read, verified, and written again to the byte', () => {
    folder.run(
      'req',
      '-x509',
      '-new',
      '-key',
      `${file}.key`,
      '-config',
      'v3.cnf',
      '-extensions',
      'v3',
      '-days',
      '90',
      '-utf8',
      '-subj',
      '/C=NL/O=Ünion, Ltd./CN=Root CA',
      '-out',
      `${file}.pem`,
      ...(kind.startsWith('Ed') ? [] : [`-${algorithm.match(/sha\d+/i)?.[0].toLowerCase()}`]),
    )
    const der = folder.run('x509', '-in', `${file}.pem`, '-outform', 'DER')
    const certificate = parseCertificate(der)
    const node = new X509Certificate(der)
    expect(certificate.version).toBe(3)
    expect(certificate.serialHex).toBe(node.serialNumber.toLowerCase())
    expect(certificate.notBefore.getTime()).toBe(Date.parse(node.validFrom))
    expect(certificate.notAfter.getTime()).toBe(Date.parse(node.validTo))
    expect(fingerprint(certificate)).toBe(node.fingerprint256.replaceAll(':', '').toLowerCase())
    expect(formatName(certificate.subject)).toBe('CN=Root CA,O=Ünion\\, Ltd.,C=NL')
    expect(describeKey(certificate.publicKey)).toBe(kind)
    expect(certificate.signatureAlgorithm).toBe(algorithm)
    expect(checkIssuedBy(certificate, certificate)).toEqual({ ok: true })
    expect(isSelfIssued(certificate)).toBe(true)
    expect(certificate.extensions.filter(({ type }) => type === 'unknown')).toMatchObject([{ oid: OIDS.netscapeComment }])
    expect(hexOf(buildTbsCertificate({ ...certificate, publicKey: spki, signatureAlgorithm: algorithm }))).toBe(hexOf(certificate.tbs))
    expect(hexOf(assembleSigned(certificate.tbs, algorithm, certificate.signature))).toBe(hexOf(der))
  })

  test('what we issue is read and verified by openssl, as root, subordinate and leaf', () => {
    const authority = nameOf(['C', 'NL'], ['O', 'Chancery'], ['CN', `Root ${kind}`])
    const identifier = keyIdentifier(spki)
    const base = {
      signatureAlgorithm: algorithm,
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 86_400_000),
      publicKey: spki,
    }
    const sign = (input: TbsCertificateInput): Uint8Array => {
      const tbs = buildTbsCertificate(input)
      return assembleSigned(tbs, algorithm, signWith(algorithm, key, tbs))
    }
    const caExtensions: Extension[] = [
      { type: 'basicConstraints', critical: true, cA: true },
      { type: 'keyUsage', critical: true, usages: ['keyCertSign', 'cRLSign'] },
      { type: 'subjectKeyIdentifier', critical: false, keyIdentifier: identifier },
      { type: 'authorityKeyIdentifier', critical: false, keyIdentifier: identifier },
    ]
    const root = sign({ ...base, serialNumber: randomBytes(16), issuer: authority, subject: authority, extensions: caExtensions })
    const leaf = sign({
      ...base,
      serialNumber: randomBytes(16),
      issuer: parseCertificate(root).subjectEncoded,
      subject: nameOf(['CN', 'www.a.example']),
      extensions: [
        { type: 'keyUsage', critical: true, usages: ['digitalSignature'] },
        { type: 'extKeyUsage', critical: false, purposes: ['1.3.6.1.5.5.7.3.1'] },
        { type: 'authorityKeyIdentifier', critical: false, keyIdentifier: identifier },
        {
          type: 'subjectAltName',
          critical: false,
          names: [
            { type: 'dNSName', value: 'www.a.example' },
            { type: 'iPAddress', value: '2001:db8::1' },
          ],
        },
        { type: 'microsoftCertificateTemplate', critical: false, templateId: '1.3.6.1.4.1.311.21.8.1', majorVersion: 100, minorVersion: 2 },
        { type: 'microsoftSecurityIdentifier', critical: false, sid: 'S-1-5-21-1-2-3-1001' },
      ],
    })
    folder.writePem(`${file}-root.pem`, 'CERTIFICATE', root)
    folder.writePem(`${file}-leaf.pem`, 'CERTIFICATE', leaf)
    const verified = folder.run(
      'verify',
      '-x509_strict',
      '-purpose',
      'sslserver',
      '-verify_hostname',
      'www.a.example',
      '-CAfile',
      `${file}-root.pem`,
      `${file}-leaf.pem`,
    )
    expect(verified.toString()).toContain(': OK')
    const text = folder.run('x509', '-in', `${file}-leaf.pem`, '-noout', '-text', '-nameopt', 'RFC2253').toString()
    expect(text).toContain(`Issuer: CN=Root ${kind},O=Chancery,C=NL`)
    expect(text).toContain('DNS:www.a.example, IP Address:2001:DB8:0:0:0:0:0:1')
    expect(checkIssuedBy(parseCertificate(leaf), parseCertificate(root))).toEqual({ ok: true })
  })
})

describe('the roots that Node trusts', () => {
  test('are all read, described, and verified by themselves', () => {
    expect(rootCertificates.length).toBeGreaterThan(100)
    for (const { kind, bytes } of splitCertificateText(rootCertificates.join('\n'))) {
      const certificate = parseCertificate(bytes)
      const checked = checkIssuedBy(certificate, certificate)
      expect([kind, describeParsed(certificate).label, checked.ok || checked.reason]).toEqual([
        'certificate',
        'Certificate',
        certificate.signatureAlgorithm === 'sha1WithRSAEncryption' ? 'The signature algorithm sha1WithRSAEncryption is too weak.' : true,
      ])
    }
  })
})

describe('rules of the certificate', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const input: TbsCertificateInput = {
    serialNumber: Uint8Array.of(0x80, 1),
    signatureAlgorithm: 'ecdsa-with-SHA256',
    issuer: nameOf(['CN', 'Issuer']),
    notBefore: new Date('2026-01-01T00:00:00Z'),
    notAfter: new Date('2056-01-01T00:00:00Z'),
    subject: nameOf(['CN', 'Subject']),
    publicKey: spki,
    extensions: [{ type: 'basicConstraints', critical: true, cA: false }],
  }
  const signed = (tbs: Uint8Array): Uint8Array => assembleSigned(tbs, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, tbs))

  test('the serial is unsigned, and its hex has neither sign byte nor capitals', () => {
    const certificate = parseCertificate(signed(buildTbsCertificate(input)))
    expect(certificate.serialHex).toBe('8001')
    expect(hexOf(certificate.serialContent)).toBe('008001')
    expect(certificate.notAfter.getUTCFullYear()).toBe(2056)
    expect(parseTbsCertificate(certificate.tbs)).toMatchObject({ serialHex: '8001' })
  })

  test.each<[string, Partial<TbsCertificateInput>, string]>([
    ['no serial', { serialNumber: new Uint8Array() }, 'serialNumber: must be positive'],
    ['serial zero', { serialNumber: new Uint8Array(4) }, 'serialNumber: must be positive'],
    ['a serial of 21 bytes', { serialNumber: new Uint8Array(20).fill(0xff) }, 'serialNumber: must not have more than 20 bytes'],
    ['an empty issuer', { issuer: [] }, 'issuer: must not be empty'],
    ['a date that is none', { notAfter: new Date(Number.NaN) }, 'notAfter: is not a date'],
    ['the year 10000', { notAfter: new Date('+010000-01-01T00:00:00Z') }, 'notAfter: the year must be 0 to 9999'],
    [
      'a name that its string type cannot hold',
      { subject: [[{ type: OIDS.countryName, value: 'Ü', stringType: 'printableString' }]] },
      'countryName',
    ],
    ['an extension twice', { extensions: [...input.extensions, ...input.extensions] }, 'basicConstraints stands twice'],
    [
      'an alternative name outside ASCII',
      { extensions: [{ type: 'subjectAltName', critical: false, names: [{ type: 'dNSName', value: 'bücher.example' }] }] },
      'outside ASCII',
    ],
    [
      'no IP address',
      { extensions: [{ type: 'subjectAltName', critical: false, names: [{ type: 'iPAddress', value: '10.0.0.256' }] }] },
      'not an IP address',
    ],
    ['an empty list', { extensions: [{ type: 'extKeyUsage', critical: false, purposes: [] }] }, 'must not be empty'],
  ])('%s cannot be built', (_, change, message) => {
    expect(() => buildTbsCertificate({ ...input, ...change })).toThrow(X509Error)
    expect(() => buildTbsCertificate({ ...input, ...change })).toThrow(message)
  })

  const name = sequence()
  const body = (options: { version?: Uint8Array; extensions?: Uint8Array; algorithm?: Uint8Array }): Uint8Array => {
    const algorithm = options.algorithm ?? sequence(oid(OIDS['ecdsa-with-SHA256']))
    const validity = sequence(utcTime(input.notBefore), utcTime(input.notBefore))
    return sequence(
      ...(options.version === undefined ? [] : [explicit(0, options.version)]),
      integer(1),
      algorithm,
      name,
      validity,
      name,
      spki,
      ...(options.extensions === undefined ? [] : [explicit(3, options.extensions)]),
    )
  }
  const constraints = sequence(oid(OIDS.basicConstraints), octetString(sequence()))

  test.each<[string, Uint8Array, string]>([
    ['version 1 written out', body({ version: integer(0) }), 'tbsCertificate.version: Version 1 is the default'],
    ['version 4', body({ version: integer(3) }), 'tbsCertificate.version: The number must be between 0 and 2'],
    ['extensions in version 1', body({ extensions: sequence(constraints) }), 'Only a version 3 certificate has extensions'],
    [
      'an empty list of extensions',
      body({ version: integer(2), extensions: sequence() }),
      'tbsCertificate.extensions: The list must not be empty',
    ],
    [
      'an extension twice',
      body({ version: integer(2), extensions: sequence(constraints, constraints) }),
      'tbsCertificate.extensions[1]: The extension basicConstraints stands twice',
    ],
    [
      'critical FALSE written out',
      body({ version: integer(2), extensions: sequence(sequence(oid(OIDS.keyUsage), boolean(false), octetString(sequence()))) }),
      'tbsCertificate.extensions[0].critical: FALSE is the default',
    ],
    [
      'bytes after an extension value',
      body({ version: integer(2), extensions: sequence(sequence(oid(OIDS.basicConstraints), octetString(sequence(), sequence()))) }),
      'tbsCertificate.extensions[0].extnValue(basicConstraints): 2 bytes follow the end of the value',
    ],
    [
      'another algorithm outside than inside',
      body({ algorithm: sequence(oid(OIDS['ecdsa-with-SHA384'])) }),
      'signatureAlgorithm: The algorithm differs',
    ],
  ])('%s is refused, naming the field', (_, tbs, message) => {
    expect(() => parseCertificate(signed(tbs))).toThrow(message)
  })

  test('a fault of the DER itself names the part and the byte', () => {
    const der = signed(body({}))
    der[der.indexOf(0x17) + 1] = 0x80
    expect(() => parseCertificate(der)).toThrow(
      `tbsCertificate[3][0]: Indefinite lengths are not allowed in DER (byte ${der.indexOf(0x80, der.indexOf(0x17))})`,
    )
  })

  test('a certificate of version 1 is read', () => {
    expect(parseCertificate(signed(body({})))).toMatchObject({ version: 1, extensions: [] })
  })
})
