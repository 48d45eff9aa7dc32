import { generateKeyPairSync } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { generalizedTime, integer, octetString, oid, sequence, utcTime, explicit } from '../der/writer.ts'
import { signWith } from '../x509/algorithms.ts'
import { assembleSigned, buildTbsCertificate, type TbsCertificateInput } from '../x509/certificate.ts'
import { buildCsrInfo } from '../x509/csr.ts'
import type { Extension, ExtensionType } from '../x509/extension-types.ts'
import { extensionOid } from '../x509/extensions.ts'
import type { GeneralName } from '../x509/general-names.ts'
import { KEY_PURPOSES } from '../x509/key-purposes.ts'
import { attribute, encodeName, nameOf, type Name } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import { opensslFolder } from '../x509/openssl-keys.fixture.ts'
import { keyIdentifier, rsaPublicKey } from '../x509/public-key.ts'
import { LINT_RULES, lintCertificate, lintCsr, refuses, type LintContext } from './lint.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const spki = publicKey.export({ type: 'spki', format: 'der' })
const keyId = keyIdentifier(spki)
const dns = (value: string): GeneralName => ({ type: 'dNSName', value })
const san = (...names: GeneralName[]): Extension => ({ type: 'subjectAltName', critical: false, names })

const leafExtensions: Extension[] = [
  { type: 'basicConstraints', critical: true, cA: false },
  { type: 'keyUsage', critical: true, usages: ['digitalSignature'] },
  { type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.serverAuth] },
  { type: 'subjectKeyIdentifier', critical: false, keyIdentifier: keyId },
  { type: 'authorityKeyIdentifier', critical: false, keyIdentifier: keyId },
  san(dns('www.a.example')),
]
const caExtensions: Extension[] = [
  { type: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
  { type: 'keyUsage', critical: true, usages: ['keyCertSign', 'cRLSign'] },
  { type: 'subjectKeyIdentifier', critical: false, keyIdentifier: keyId },
  { type: 'authorityKeyIdentifier', critical: false, keyIdentifier: keyId },
]
const leafSubject = nameOf(['C', 'NL'], ['CN', 'www.a.example'])
const leaf: TbsCertificateInput = {
  serialNumber: new Uint8Array(16).fill(7),
  signatureAlgorithm: 'ecdsa-with-SHA256',
  issuer: nameOf(['CN', 'Issuer']),
  subject: leafSubject,
  notBefore: new Date('2026-01-01'),
  notAfter: new Date('2026-04-01'),
  publicKey: spki,
  extensions: leafExtensions,
}
const authority: TbsCertificateInput = { ...leaf, subject: nameOf(['CN', 'Sub CA']), extensions: caExtensions }
const shortSpki = generateKeyPairSync('ec', { namedCurve: 'secp224r1' }).publicKey.export({ type: 'spki', format: 'der' })
const rsaSpki = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' })

/** The extensions with some replaced by kind, added where the kind is new. */
function replaced(base: readonly Extension[], ...changes: Extension[]): Extension[] {
  return [...base.filter((each) => !changes.some((change) => extensionOid(change) === extensionOid(each))), ...changes]
}
const leafWith = (...changes: Extension[]): TbsCertificateInput => ({ ...leaf, extensions: replaced(leafExtensions, ...changes) })
const caWith = (...changes: Extension[]): TbsCertificateInput => ({ ...authority, extensions: replaced(caExtensions, ...changes) })
const without = (input: TbsCertificateInput, type: ExtensionType): TbsCertificateInput => ({
  ...input,
  extensions: input.extensions.filter((each) => each.type !== type),
})
const withName = (...names: GeneralName[]): TbsCertificateInput => leafWith(san(dns('www.a.example'), ...names))
const withSubject = (subject: Name): TbsCertificateInput => ({ ...leaf, subject: [...leafSubject, ...subject] })

/** A tbsCertificate that the builder would refuse. */
function handMade(parts: { serial?: Uint8Array; notAfter?: Uint8Array; algorithm?: Uint8Array; version?: boolean }): Uint8Array {
  const {
    serial = integer(leaf.serialNumber),
    notAfter = utcTime(leaf.notAfter),
    algorithm = sequence(oid(OIDS['ecdsa-with-SHA256'])),
    version = true,
  } = parts
  const built = buildTbsCertificate(leaf)
  const extensions = built.subarray(built.length - lengthOfLast(built))
  return sequence(
    ...(version ? [explicit(0, integer(2))] : []),
    serial,
    algorithm,
    encodeName(nameOf(['CN', 'Issuer'])),
    sequence(utcTime(leaf.notBefore), notAfter),
    encodeName(nameOf(['CN', 'www.a.example'])),
    spki,
    ...(version ? [extensions] : []),
  )
}
function lengthOfLast(tbs: Uint8Array): number {
  // The extensions are the last field, and the first place after the key where [3] stands.
  return tbs.length - (Buffer.from(tbs).indexOf(spki) + spki.length)
}

const CASES: readonly (readonly [code: string, input: TbsCertificateInput | Uint8Array, context?: LintContext])[] = [
  ['e_serial_number_not_positive', handMade({ serial: integer(0) })],
  ['e_serial_number_not_positive', handMade({ serial: integer(-(1n << 70n)) })],
  ['e_serial_number_too_long', handMade({ serial: integer(1n << 161n) })],
  ['w_serial_number_short', { ...leaf, serialNumber: Uint8Array.of(1) }],
  ['e_validity_order', { ...leaf, notAfter: leaf.notBefore }],
  ['e_validity_time_type', handMade({ notAfter: generalizedTime(leaf.notAfter) })],
  ['w_validity_expired', leaf, { now: new Date('2026-05-01') }],
  ['w_validity_tls_server_long', { ...leaf, notAfter: new Date('2028-01-01') }, { profile: 'tlsServer' }],
  ['w_validity_authority_long', { ...authority, notAfter: new Date('2041-01-02') }],
  ['w_validity_authority_long', { ...authority, issuer: authority.subject, notAfter: new Date('2056-01-02') }],
  ['e_key_weak', { ...leaf, publicKey: shortSpki }],
  ['w_key_unusual', { ...leaf, publicKey: rsaPublicKey(Uint8Array.of(0x80, 1), 3) }],
  ['e_signature_weak', handMade({ algorithm: sequence(oid(OIDS['ecdsa-with-SHA1'])) })],
  ['w_signature_unknown', handMade({ algorithm: sequence(oid('1.2.3')) })],
  ['w_version_not_3', handMade({ version: false })],
  ['w_self_signed_leaf', { ...leaf, issuer: leaf.subject }],
  ['e_subject_empty_without_critical_san', { ...leaf, subject: [] }],
  ['e_ca_subject_empty', { ...authority, subject: [] }],
  ['e_tls_server_without_san', without(leaf, 'subjectAltName')],
  ['w_common_name_not_in_san', { ...leaf, subject: nameOf(['CN', 'other.example']) }],
  ['e_name_forbidden_character', withSubject(nameOf(['O', 'good\0evil']))],
  ['e_name_forbidden_character', withSubject(nameOf(['O', 'moc.\u202eknab']))],
  ['e_name_forbidden_character', withName({ type: 'directoryName', name: nameOf(['O', 'x\u200by']) })],
  ['e_subject_country_code', withSubject(nameOf(['C', 'nl']))],
  ['e_subject_country_code', withSubject(nameOf(['C', 'NLD']))],
  ['w_subject_country_unassigned', { ...leaf, subject: nameOf(['C', 'ZZ'], ['CN', 'www.a.example']) }],
  ['e_subject_attribute_too_long', withSubject(nameOf(['O', 'x'.repeat(65)]))],
  ['e_subject_attribute_empty', withSubject(nameOf(['O', ' ']))],
  ['w_subject_attribute_spaces', withSubject(nameOf(['O', 'Chancery ']))],
  ['w_subject_string_type', withSubject([[{ ...attribute('O', 'x'), stringType: 'bmpString' }]])],
  ['w_subject_several_common_names', withSubject(nameOf(['CN', 'www.a.example']))],
  ['w_subject_mail_not_in_san', withSubject(nameOf(['emailAddress', 'ada@a.example']))],
  ['e_dns_name_syntax', withName(dns('-a.example'))],
  ['e_dns_name_is_address', withName(dns('192.0.2.1'))],
  ['e_dns_name_wildcard', withName(dns('www.*.example'))],
  ['e_dns_name_punycode', withName(dns('xn--a.example'))],
  ['w_dns_name_underscore', withName(dns('_dmarc.a.example'))],
  ['e_mail_address_syntax', withName({ type: 'rfc822Name', value: 'ada' })],
  ['e_uri_syntax', withName({ type: 'uniformResourceIdentifier', value: '/relative' })],
  ['w_uri_user_info', withName({ type: 'uniformResourceIdentifier', value: 'https://ada:secret@a.example/' })],
  ['w_address_link_local', withName({ type: 'iPAddress', value: '169.254.0.1' })],
  ['w_address_link_local', withName({ type: 'iPAddress', value: 'fe80::1' })],
  ['w_address_unspecified', withName({ type: 'iPAddress', value: '::' })],
  ['w_san_duplicate', withName(dns('WWW.a.example'))],
  ['e_ca_without_key_cert_sign', caWith({ type: 'keyUsage', critical: true, usages: ['cRLSign'] })],
  ['e_ca_without_key_usage', without(authority, 'keyUsage')],
  ['e_key_cert_sign_without_ca', leafWith({ type: 'keyUsage', critical: true, usages: ['keyCertSign'] })],
  ['e_path_length_without_ca', leafWith({ type: 'basicConstraints', critical: true, cA: false, pathLenConstraint: 1 })],
  ['e_ca_basic_constraints_not_critical', caWith({ type: 'basicConstraints', critical: false, cA: true })],
  ['e_key_usage_empty', leafWith({ type: 'keyUsage', critical: true, usages: [] })],
  ['e_key_usage_encoding', leafWith({ type: 'unknown', oid: OIDS.keyUsage, critical: true, value: Buffer.from('030200a0', 'hex') })],
  ['w_key_usage_not_critical', leafWith({ type: 'keyUsage', critical: false, usages: ['digitalSignature'] })],
  ['e_key_usage_unfit', leafWith({ type: 'keyUsage', critical: true, usages: ['keyEncipherment'] })],
  ['e_key_usage_unfit', { ...leafWith({ type: 'keyUsage', critical: true, usages: ['keyAgreement'] }), publicKey: rsaSpki }],
  ['e_key_usage_only_without_agreement', leafWith({ type: 'keyUsage', critical: true, usages: ['digitalSignature', 'encipherOnly'] })],
  ['w_purpose_any', leafWith({ type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.anyExtendedKeyUsage] })],
  ['w_purpose_duplicate', leafWith({ type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.serverAuth, KEY_PURPOSES.serverAuth] })],
  ['e_purpose_missing', leaf, { profile: 'tlsClient' }],
  ['e_profile_ca', leaf, { profile: 'ca' }],
  ['e_profile_ca', authority, { profile: 'tlsServer' }],
  ['e_ca_subject_key_identifier_missing', without(authority, 'subjectKeyIdentifier')],
  ['w_subject_key_identifier_missing', without(leaf, 'subjectKeyIdentifier')],
  ['e_authority_key_identifier_missing', without(leaf, 'authorityKeyIdentifier')],
  ['e_extension_criticality', caWith({ type: 'nameConstraints', critical: false, excludedSubtrees: [{ base: dns('x') }] })],
  ['e_extension_criticality', leafWith({ type: 'subjectKeyIdentifier', critical: true, keyIdentifier: keyId })],
  ['e_unknown_critical_extension', leafWith({ type: 'unknown', oid: '1.2.3', critical: true, value: octetString() })],
  ['e_name_constraints_without_ca', leafWith({ type: 'nameConstraints', critical: true, excludedSubtrees: [{ base: dns('x') }] })],
  ['e_name_constraints_minimum', caWith({ type: 'nameConstraints', critical: true, excludedSubtrees: [{ base: dns('x'), maximum: 3 }] })],
  ['w_name_constraints_leading_dot', caWith({ type: 'nameConstraints', critical: true, permittedSubtrees: [{ base: dns('.a.example') }] })],
  [
    'e_policy_duplicate',
    leafWith({ type: 'certificatePolicies', critical: false, policies: [{ policyIdentifier: '1.2.3' }, { policyIdentifier: '1.2.3' }] }),
  ],
  [
    'e_policy_text_too_long',
    leafWith({
      type: 'certificatePolicies',
      critical: false,
      policies: [
        {
          policyIdentifier: '1.2.3',
          policyQualifiers: [{ type: 'userNotice', explicitText: { stringType: 'utf8String', value: 'x'.repeat(201) } }],
        },
      ],
    }),
  ],
  ['w_ocsp_signer_without_no_check', leafWith({ type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.OCSPSigning] })],
  [
    'w_address_not_http',
    leafWith({
      type: 'cRLDistributionPoints',
      critical: false,
      distributionPoints: [{ fullName: [{ type: 'uniformResourceIdentifier', value: 'https://a.example/crl' }] }],
    }),
  ],
]

const lint = (input: TbsCertificateInput | Uint8Array, context?: LintContext) =>
  lintCertificate(input instanceof Uint8Array ? input : buildTbsCertificate(input), context)

describe('lint of certificates', () => {
  test('a good leaf, a good authority and a good root have no findings', () => {
    expect(lint(leaf, { profile: 'tlsServer', now: new Date('2026-02-01') })).toEqual([])
    expect(lint(authority, { profile: 'ca' })).toEqual([])
    expect(
      lint(
        {
          ...authority,
          issuer: authority.subject,
          extensions: authority.extensions.filter(({ type }) => type !== 'authorityKeyIdentifier'),
        },
        { profile: 'ca' },
      ),
    ).toEqual([])
  })

  test.for(CASES)('%s is found, with its severity, source and field', ([code, input, context]) => {
    const found = lint(input, context).filter((each) => each.code === code)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({
      severity: code.startsWith('w_') ? 'warn' : 'error',
      source: expect.stringMatching(/^(RFC|CA\/B|X\.)/),
      field: expect.stringMatching(/./),
    })
    expect(found[0]?.message).toMatch(/^.+\.$/s)
  })

  test('every rule has a case here, and no code stands twice', () => {
    const codes = LINT_RULES.map(({ code }) => code)
    expect(new Set(codes).size).toBe(codes.length)
    const covered = new Set(CASES.map(([code]) => code))
    // An empty issuer cannot be built, and is tried below by hand.
    expect(codes.filter((code) => !covered.has(code))).toEqual(['e_issuer_empty'])
  })

  test('an empty issuer is found', () => {
    const tbs = sequence(
      integer(leaf.serialNumber),
      sequence(oid(OIDS['ecdsa-with-SHA256'])),
      sequence(),
      sequence(utcTime(leaf.notBefore), utcTime(leaf.notAfter)),
      encodeName(leafSubject),
      spki,
    )
    expect(lintCertificate(tbs).map(({ code }) => code)).toContain('e_issuer_empty')
  })

  test('what cannot be read is one fatal finding that names the place', () => {
    expect(lintCertificate(Uint8Array.of(0x30, 1))).toEqual([
      expect.objectContaining({ code: 'f_structure', severity: 'fatal', message: 'The value claims 1 bytes where 0 are left.' }),
    ])
    const bad = lintCertificate(sequence(explicit(0, integer(7))))
    expect(bad).toEqual([expect.objectContaining({ code: 'f_structure', severity: 'fatal', field: 'tbsCertificate.version' })])
    expect(refuses(bad)).toBe(true)
  })

  test('the field says which name is meant', () => {
    const [found] = lint(withName(dns('good.example'), dns('bad..example')))
    expect(found).toMatchObject({
      code: 'e_dns_name_syntax',
      field: 'subjectAltName.names[2]',
      message: '"bad..example" is not a DNS name: a label is empty.',
    })
  })

  test('warnings alone do not refuse', () => {
    const warned = lint(without(leaf, 'subjectKeyIdentifier'))
    expect(warned).toHaveLength(1)
    expect(refuses(warned)).toBe(false)
    expect(refuses([])).toBe(false)
  })

  test('a signed certificate is judged like its unsigned part', () => {
    const tbs = buildTbsCertificate(leafWith(san(dns('-a'))))
    expect(lintCertificate(assembleSigned(tbs, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, tbs)))).toEqual(
      lintCertificate(tbs),
    )
  })
})

describe('lint of requests', () => {
  const folder = opensslFolder()
  afterAll(() => folder.remove())
  const csr = (subject: Name, names: GeneralName[]): Uint8Array => {
    const info = buildCsrInfo({ subject, publicKey: spki, requestedExtensions: names.length === 0 ? [] : [san(...names)] })
    return assembleSigned(info, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, info))
  }

  test("openssl's own request is good, a short key of its is not", () => {
    folder.run(
      'req',
      '-new',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      'k.pem',
      '-subj',
      '/CN=a.example',
      '-outform',
      'DER',
      '-out',
      'good.csr',
    )
    expect(lintCsr(folder.run('req', '-inform', 'DER', '-in', 'good.csr', '-outform', 'DER'))).toEqual([])
    const short = folder.run(
      'req',
      '-new',
      '-newkey',
      'rsa:1024',
      '-nodes',
      '-keyout',
      'k.pem',
      '-subj',
      '/CN=a.example',
      '-outform',
      'DER',
    )
    expect(lintCsr(short).map(({ code }) => code)).toEqual(['e_key_weak'])
  })

  test('bad names and a signature by another key are found before anything is built', () => {
    expect(lintCsr(csr(nameOf(['CN', 'a\nb']), [dns('x y')])).map(({ code, field }) => [code, field])).toEqual([
      ['e_name_forbidden_character', 'subject.CN'],
      ['e_dns_name_syntax', 'subjectAltName.names[0]'],
    ])
    const forged = csr(nameOf(['CN', 'a']), [])
    forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1
    expect(lintCsr(forged)).toMatchObject([{ code: 'e_request_signature', severity: 'error', source: 'RFC 2986 3' }])
    expect(lintCsr(forged.subarray(1))).toMatchObject([{ code: 'f_request_structure', severity: 'fatal' }])
  })
})
