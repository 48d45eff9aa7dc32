// Extensions of every kind at random, for the tests that write and read them.
import fc from 'fast-check'
import { implicitConstructed, nullValue, sequence, utf8String } from '../der/writer.ts'
import { KEY_USAGES, REASON_FLAGS, type Extension } from './extension-types.ts'
import { formatAddress, type GeneralName } from './general-names.ts'
import { nameOf } from './names.ts'

const ascii = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 })
const dotted = fc.array(fc.nat(99_999), { maxLength: 6 }).map((arcs) => ['1', '3', ...arcs].join('.'))
const bytes = fc.uint8Array({ minLength: 1, maxLength: 24 })
const name = fc
  .array(fc.constantFrom('CN', 'O', 'OU'), { maxLength: 3 })
  .map((types) => nameOf(...types.map((type) => [type, 'Ünion'] as const)))
const address = fc.oneof(fc.ipV4(), fc.uint8Array({ minLength: 16, maxLength: 16 }).map(formatAddress))

const generalName: fc.Arbitrary<GeneralName> = fc.oneof(
  fc.record({ type: fc.constant('otherName' as const), typeId: dotted, value: ascii.map(utf8String) }),
  fc.record({ type: fc.constantFrom('rfc822Name' as const, 'dNSName' as const, 'uniformResourceIdentifier' as const), value: ascii }),
  fc.record({ type: fc.constant('directoryName' as const), name }),
  fc.record({ type: fc.constant('iPAddress' as const), value: address }),
  fc.record({ type: fc.constant('registeredID' as const), value: dotted }),
  fc.constant({ type: 'x400Address' as const, encoded: implicitConstructed(3, sequence()) }),
  fc.constant({ type: 'ediPartyName' as const, encoded: implicitConstructed(5, implicitConstructed(1, utf8String('x'))) }),
)
const names = fc.array(generalName, { minLength: 1, maxLength: 4 })
const number = fc.nat(0x7fff_ffff)
const critical = fc.boolean()
const points = fc.array(
  fc.record(
    {
      fullName: names,
      reasons: fc.uniqueArray(fc.constantFrom(...REASON_FLAGS)).map((list) => REASON_FLAGS.filter((flag) => list.includes(flag))),
      cRLIssuer: names,
    },
    { requiredKeys: ['fullName'] },
  ),
  { minLength: 1, maxLength: 3 },
)
const text = fc.record({ stringType: fc.constantFrom('utf8String' as const, 'bmpString' as const), value: ascii })
const policies = fc.array(
  fc.record(
    {
      policyIdentifier: dotted,
      policyQualifiers: fc.array(
        fc.oneof(
          fc.record({ type: fc.constant('cps' as const), uri: ascii }),
          fc.record(
            {
              type: fc.constant('userNotice' as const),
              explicitText: text,
              noticeRef: fc.record({ organization: text, noticeNumbers: fc.array(fc.bigInt({ min: 0n, max: 1n << 70n })) }),
            },
            { requiredKeys: ['type'] },
          ),
          fc.constant({ type: 'unknown' as const, policyQualifierId: '1.2.3', qualifier: nullValue() }),
        ),
        { minLength: 1, maxLength: 3 },
      ),
    },
    { requiredKeys: ['policyIdentifier'] },
  ),
  { minLength: 1, maxLength: 3 },
)
const access = fc.array(fc.record({ accessMethod: dotted, accessLocation: generalName }), { minLength: 1, maxLength: 3 })
const subtrees = fc.array(
  fc.oneof(
    fc.record({ base: fc.record({ type: fc.constant('dNSName' as const), value: ascii }) }),
    fc.record(
      { base: fc.constant({ type: 'iPAddress' as const, value: '10.0.0.0/255.0.0.0' }), minimum: fc.constant(1), maximum: number },
      { requiredKeys: ['base'] },
    ),
  ),
  { minLength: 1, maxLength: 3 },
)

/** Each kind once, so that a new kind without a generator does not compile. */
export const KINDS: { [Type in Extension['type']]: fc.Arbitrary<Extract<Extension, { type: Type }>> } = {
  basicConstraints: fc.record(
    { type: fc.constant('basicConstraints' as const), critical, cA: fc.boolean(), pathLenConstraint: number },
    { requiredKeys: ['type', 'critical', 'cA'] },
  ),
  keyUsage: fc.record({ type: fc.constant('keyUsage' as const), critical, usages: fc.subarray([...KEY_USAGES], { minLength: 1 }) }),
  extKeyUsage: fc.record({
    type: fc.constant('extKeyUsage' as const),
    critical,
    purposes: fc.array(dotted, { minLength: 1, maxLength: 5 }),
  }),
  subjectAltName: fc.record({ type: fc.constant('subjectAltName' as const), critical, names }),
  issuerAltName: fc.record({ type: fc.constant('issuerAltName' as const), critical, names }),
  subjectKeyIdentifier: fc.record({ type: fc.constant('subjectKeyIdentifier' as const), critical, keyIdentifier: bytes }),
  authorityKeyIdentifier: fc.record(
    {
      type: fc.constant('authorityKeyIdentifier' as const),
      critical,
      keyIdentifier: bytes,
      authorityCertIssuer: names,
      authorityCertSerialNumber: fc.constant(Uint8Array.of(200, 1)),
    },
    { requiredKeys: ['type', 'critical'] },
  ),
  authorityInfoAccess: fc.record({ type: fc.constant('authorityInfoAccess' as const), critical, descriptions: access }),
  subjectInfoAccess: fc.record({ type: fc.constant('subjectInfoAccess' as const), critical, descriptions: access }),
  cRLDistributionPoints: fc.record({ type: fc.constant('cRLDistributionPoints' as const), critical, distributionPoints: points }),
  freshestCRL: fc.record({ type: fc.constant('freshestCRL' as const), critical, distributionPoints: points }),
  certificatePolicies: fc.record({ type: fc.constant('certificatePolicies' as const), critical, policies }),
  microsoftApplicationPolicies: fc.record({ type: fc.constant('microsoftApplicationPolicies' as const), critical, policies }),
  policyMappings: fc.record({
    type: fc.constant('policyMappings' as const),
    critical,
    mappings: fc.array(fc.record({ issuerDomainPolicy: dotted, subjectDomainPolicy: dotted }), { minLength: 1, maxLength: 3 }),
  }),
  policyConstraints: fc.record(
    { type: fc.constant('policyConstraints' as const), critical, requireExplicitPolicy: number, inhibitPolicyMapping: number },
    { requiredKeys: ['type', 'critical', 'requireExplicitPolicy'] },
  ),
  nameConstraints: fc.record(
    { type: fc.constant('nameConstraints' as const), critical, permittedSubtrees: subtrees, excludedSubtrees: subtrees },
    { requiredKeys: ['type', 'critical', 'excludedSubtrees'] },
  ),
  inhibitAnyPolicy: fc.record({ type: fc.constant('inhibitAnyPolicy' as const), critical, skipCerts: number }),
  tlsFeature: fc.record({ type: fc.constant('tlsFeature' as const), critical, features: fc.array(fc.nat(65_535), { minLength: 1 }) }),
  ocspNoCheck: fc.record({ type: fc.constant('ocspNoCheck' as const), critical }),
  microsoftCertificateTemplate: fc.record(
    {
      type: fc.constant('microsoftCertificateTemplate' as const),
      critical,
      templateId: dotted,
      majorVersion: number,
      minorVersion: number,
    },
    { requiredKeys: ['type', 'critical', 'templateId', 'majorVersion'] },
  ),
  microsoftSecurityIdentifier: fc.record({
    type: fc.constant('microsoftSecurityIdentifier' as const),
    critical,
    sid: fc.array(fc.nat(), { minLength: 1, maxLength: 8 }).map((parts) => `S-1-5-${parts.join('-')}`),
  }),
  signedCertificateTimestampList: fc.record({
    type: fc.constant('signedCertificateTimestampList' as const),
    critical,
    timestamps: fc.array(
      fc.oneof(
        fc.record({
          version: fc.constant(0 as const),
          logId: fc.uint8Array({ minLength: 32, maxLength: 32 }),
          timestamp: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
          extensions: fc.uint8Array({ maxLength: 9 }),
          hash: fc.nat(255),
          signer: fc.nat(255),
          signature: bytes,
        }),
        fc.record({ version: fc.constant('unknown' as const), content: bytes.map((content) => Uint8Array.of(1, ...content)) }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  precertificatePoison: fc.record({ type: fc.constant('precertificatePoison' as const), critical }),
  microsoftCertificateTemplateName: fc.record(
    {
      type: fc.constant('microsoftCertificateTemplateName' as const),
      critical,
      name: ascii,
      stringType: fc.constant('utf8String' as const),
    },
    { requiredKeys: ['type', 'critical', 'name'] },
  ),
  microsoftCaVersion: fc.record({
    type: fc.constant('microsoftCaVersion' as const),
    critical,
    certificateIndex: fc.nat(0xffff),
    keyIndex: fc.nat(0x7fff),
  }),
  acmeIdentifier: fc.record({
    type: fc.constant('acmeIdentifier' as const),
    critical,
    digest: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  }),
  qcStatements: fc.record({
    type: fc.constant('qcStatements' as const),
    critical,
    statements: fc.array(
      fc.oneof(
        fc.record({ type: fc.constantFrom('qcCompliance' as const, 'qcSscd' as const) }),
        fc.record({
          type: fc.constant('qcLimitValue' as const),
          currency: fc.constantFrom<string | number>('EUR', 978),
          amount: number,
          exponent: fc.integer({ min: -9, max: 9 }),
        }),
        fc.record({ type: fc.constant('qcRetentionPeriod' as const), years: fc.nat(100) }),
        fc.record({
          type: fc.constant('qcPds' as const),
          locations: fc.array(fc.record({ url: ascii, language: fc.constantFrom('en', 'de') }), { minLength: 1, maxLength: 2 }),
        }),
        fc.record({ type: fc.constant('qcType' as const), types: fc.array(dotted, { minLength: 1, maxLength: 3 }) }),
        fc.record({
          type: fc.constant('qcCcLegislation' as const),
          countries: fc.array(fc.constantFrom('NL', 'CH'), { minLength: 1, maxLength: 2 }),
        }),
        fc.record(
          { type: fc.constant('unknown' as const), statementId: fc.constant('1.2.3.4'), statementInfo: fc.constant(sequence(nullValue())) },
          { requiredKeys: ['type', 'statementId'] },
        ),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  unknown: fc.record({ type: fc.constant('unknown' as const), critical, oid: fc.constant('1.2.3.4'), value: bytes }),
}
