// Requests that ask for more than the template gives: rights, names and extensions.

import { ia5String, nullValue, octetString, oid, sequence, set, utf8String } from '#standards/der/writer.ts'
import type { Extension } from '#standards/x509/extension-types.ts'
import { encodeGeneralName, hardwareModuleName, userPrincipalName, type GeneralName } from '#standards/x509/general-names.ts'
import { KEY_PURPOSES } from '#standards/x509/key-purposes.ts'
import { nameOf } from '#standards/x509/names.ts'
import { OIDS } from '#standards/x509/oids.ts'
import type { RequestCase } from './case.ts'
import {
  asking,
  dnsName,
  extension,
  extensionRequest,
  generalText,
  host,
  pairInRdn,
  pemOf,
  rdn,
  request,
  sans,
  subjectOf,
  tagged,
} from './make.ts'

type Line = readonly [name: string, make: () => Uint8Array, reason: RegExp, more?: Partial<Pick<RequestCase, 'expects' | 'template'>>]
const ignored = (className: RequestCase['class'], table: readonly Line[]): RequestCase[] =>
  table.map(([name, make, reason, more]) => ({ class: className, name, make: () => pemOf(make()), expects: 'ignored', reason, ...more }))

const alternative = (...names: (GeneralName | Uint8Array)[]): Uint8Array =>
  asking(sans(dnsName(host), ...names.map((name) => (name instanceof Uint8Array ? name : encodeGeneralName(name)))))
const beside = (...extensions: (Extension | Uint8Array)[]): Uint8Array => asking(sans(dnsName(host)), ...extensions)
const always = { expects: 'refused' } as const
const forms = { template: 'forms' } as const
const client = { template: 'client' } as const
const constrained = { template: 'constrained' } as const

const more = ignored('asking for more', [
  [
    'a UPN in an otherName',
    () => alternative(userPrincipalName('administrator@northwind.example')),
    /OTHER_NAME:administrator@northwind\.example, for which the template has no place/,
  ],
  [
    'another otherName',
    () => alternative({ type: 'otherName', typeId: OIDS.kerberosPrincipalName, value: utf8String('a') }),
    /OTHER_NAME:.*no place|no user principal name/,
  ],
  [
    'an otherName with a SID',
    () =>
      alternative({
        type: 'otherName',
        typeId: OIDS.microsoftSecurityIdentifierName,
        value: octetString(Buffer.from('S-1-5-21-1-2-3-500')),
      }),
    /OTHER_NAME:.*no place|no user principal name/,
  ],
  [
    'a directoryName',
    () => alternative({ type: 'directoryName', name: nameOf(['CN', 'Northwind Root']) }),
    /DIRECTORY_NAME:CN=Northwind Root.*no place/,
  ],
  ['a URI', () => alternative({ type: 'uniformResourceIdentifier', value: 'https://northwind.example/' }), /URI:https.*no place/],
  [
    'an e-mail address',
    () => alternative({ type: 'rfc822Name', value: 'ceo@northwind.example' }),
    /RFC822:ceo@northwind\.example.*no place/,
  ],
  ['a registeredID', () => alternative({ type: 'registeredID', value: '1.2.3.4' }), /REGISTERED_ID:1\.2\.3\.4.*no place/],
  ['a hardware module', () => alternative(hardwareModuleName('1.2.3', Buffer.of(1))), /HARDWARE_MODULE_NAME:.*no place/],
  ['an X.400 address', () => alternative(Buffer.of(0xa3, 2, 5, 0)), /X400_ADDRESS.*no place/],
  ['an EDI party', () => alternative(Buffer.of(0xa5, 2, 5, 0)), /EDI_PARTY_NAME.*no place/],
  [
    'a domain not allowed',
    () => alternative(dnsName('www.contoso.example')),
    /"www\.contoso\.example" is outside the names that this template allows/,
  ],
  ['one domain allowed, one not', () => alternative(dnsName(host), dnsName('contoso.example')), /"contoso\.example" is outside/],
  ['a domain that ends alike', () => alternative(dnsName('evilnorthwind.example')), /"evilnorthwind\.example" is outside/],
  ['a domain below another', () => alternative(dnsName('northwind.example.contoso.example')), /is outside/],
  [
    'a common name not allowed',
    () => request({ subject: subjectOf(['CN', 'www.contoso.example']), attributes: [extensionRequest(sans(dnsName(host)))] }),
    /common name "www\.contoso\.example" of a server must be one of its DNS names/,
  ],
  [
    'a subject attribute more',
    () => request({ subject: subjectOf(['O', 'Microsoft Corporation'], ['CN', host]) }),
    /O=Microsoft Corporation, for which the template has no place/,
  ],
  [
    'a subject attribute unknown',
    () => request({ subject: sequence(rdn('1.2.3.4', 'x'), rdn(OIDS.commonName, host)) }),
    /1\.2\.3\.4=x, for which the template has no place/,
  ],
  ['domain components', () => request({ subject: subjectOf(['DC', 'example'], ['CN', host]) }), /DC=example, for which/],
  [
    'hundreds of names',
    () => alternative(...Array.from({ length: 300 }, (_, at) => dnsName(`a${at}.northwind.example`))),
    /At most 20 names/,
  ],
  ['CA:TRUE', () => beside({ type: 'basicConstraints', critical: true, cA: true }), /asks for a certificate authority/, always],
  [
    'CA:TRUE with a path length',
    () => beside({ type: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 3 }),
    /asks for a certificate authority/,
    always,
  ],
  [
    'keyCertSign',
    () => beside({ type: 'keyUsage', critical: true, usages: ['digitalSignature', 'keyCertSign'] }),
    /asks for keyCertSign/,
    always,
  ],
  ['cRLSign', () => beside({ type: 'keyUsage', critical: true, usages: ['cRLSign'] }), /asks for cRLSign/, always],
  [
    'the key usage nonRepudiation',
    () => beside({ type: 'keyUsage', critical: true, usages: ['nonRepudiation'] }),
    /the key usage .*which the template does not give/,
  ],
  [
    'all key usages',
    () =>
      beside({
        type: 'keyUsage',
        critical: true,
        usages: [
          'digitalSignature',
          'nonRepudiation',
          'keyEncipherment',
          'dataEncipherment',
          'keyAgreement',
          'encipherOnly',
          'decipherOnly',
        ],
      }),
    /the key usage .*which the template does not give/,
  ],
  [
    'the EKU any',
    () => beside({ type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.anyExtendedKeyUsage] }),
    /the extended usage .*which the template does not give/,
  ],
  [
    'the EKU codeSigning',
    () => beside({ type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.serverAuth, KEY_PURPOSES.codeSigning] }),
    /the extended usage Code signing/,
  ],
  [
    'the EKU smartcard logon',
    () => beside({ type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.microsoftSmartcardLogon] }),
    /the extended usage .*which/,
  ],
  [
    'the EKU OCSPSigning',
    () => beside({ type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.OCSPSigning] }),
    /the extended usage OCSP/,
  ],
  [
    'the EKU certificate request agent',
    () => beside({ type: 'extKeyUsage', critical: false, purposes: ['1.3.6.1.4.1.311.20.2.1'] }),
    /the extended usage 1\.3\.6\.1\.4\.1\.311\.20\.2\.1|the extended usage .*agent/,
  ],
  ['an EKU unknown', () => beside({ type: 'extKeyUsage', critical: true, purposes: ['1.2.3.4'] }), /the extended usage 1\.2\.3\.4/],
  ['a critical extension unknown', () => beside(extension('1.2.3.4.5', nullValue(), true)), /the extension 1\.2\.3\.4\.5/],
  ['an extension unknown', () => beside(extension('1.2.3.4.5', nullValue())), /the extension 1\.2\.3\.4\.5/],
  [
    'a SID',
    () => beside({ type: 'microsoftSecurityIdentifier', critical: false, sid: 'S-1-5-21-1-2-3-500' }),
    /the extension microsoftSecurityIdentifier/,
  ],
  ['a CT poison', () => beside({ type: 'precertificatePoison', critical: true }), /the extension precertificatePoison/],
  [
    'an SCT list',
    () => beside(extension(OIDS.signedCertificateTimestampList, octetString(Buffer.of(0, 0)))),
    /signedCertificateTimestampList|timestamp/i,
  ],
  [
    'an AIA',
    () =>
      beside({
        type: 'authorityInfoAccess',
        critical: false,
        descriptions: [{ accessMethod: OIDS.ocsp, accessLocation: { type: 'uniformResourceIdentifier', value: 'http://evil.example/' } }],
      }),
    /the extension authorityInfoAccess/,
  ],
  [
    'a CRL distribution point',
    () =>
      beside({
        type: 'cRLDistributionPoints',
        critical: false,
        distributionPoints: [{ fullName: [{ type: 'uniformResourceIdentifier', value: 'http://evil.example/' }] }],
      }),
    /the extension cRLDistributionPoints/,
  ],
  [
    'an authorityKeyIdentifier',
    () => beside({ type: 'authorityKeyIdentifier', critical: false, keyIdentifier: Buffer.alloc(20, 7) }),
    /the extension authorityKeyIdentifier/,
  ],
  [
    'an issuerAltName',
    () => beside({ type: 'issuerAltName', critical: false, names: [{ type: 'dNSName', value: host }] }),
    /the extension issuerAltName/,
  ],
  [
    'name constraints',
    () => beside({ type: 'nameConstraints', critical: true, permittedSubtrees: [{ base: { type: 'dNSName', value: 'example' } }] }),
    /the extension nameConstraints/,
  ],
  [
    'policies',
    () => beside({ type: 'certificatePolicies', critical: false, policies: [{ policyIdentifier: OIDS.anyPolicy }] }),
    /the extension certificatePolicies/,
  ],
  ['ocspNoCheck', () => beside({ type: 'ocspNoCheck', critical: false }), /the extension ocspNoCheck/],
  [
    'a qualified statement',
    () => beside(extension(OIDS.qcStatements, sequence(sequence(oid(OIDS.qcCompliance))))),
    /the extension qcStatements/,
  ],
  [
    'the ACME identifier',
    () => beside({ type: 'acmeIdentifier', critical: true, digest: Buffer.alloc(32, 1) }),
    /the extension acmeIdentifier/,
  ],
])

const cn = (value: string, type?: Parameters<typeof rdn>[2]) =>
  request({ subject: sequence(rdn(OIDS.commonName, value, type)), attributes: [extensionRequest(sans(dnsName(host)))] })
const named = (name: string) => alternative(dnsName(name))

const names = ignored('names', [
  ['NUL in a DNS name', () => named('www.northwind.example\u0000.evil.example'), /control|spaces or letters outside ASCII|NUL/],
  ['NUL in the common name', () => cn('www.northwind.example\u0000.evil.example'), /control character|NUL character/],
  ['a control character in the common name', () => cn('www\u0007.northwind.example'), /control character|NUL character/],
  ['a C1 control character in the common name', () => cn('www\u009b.northwind.example'), /control character|NUL character/],
  ['a bidirectional override in the common name', () => cn('www.\u202eelpmaxe.dniwhtron'), /direction|invisible|bidirectional/],
  ['a zero-width space in the common name', () => cn('www.\u200bnorthwind.example'), /direction|invisible|zero/],
  ['homoglyphs in the common name', () => cn('www.nоrthwind.example'), /look alike|letters of|scripts|mixes/],
  ['a line separator in the common name', () => cn('a\u2028b'), /control|invisible|line/],
  ['a common name too long', () => cn('a'.repeat(65)), /at most 64|64 characters/],
  ['a common name of 30,000', () => cn('a'.repeat(30_000)), /at most 64|64 characters/],
  ['an empty common name', () => cn(''), /empty|CN=,|Enter the Common name|has no text/],
  ['a common name of blanks', () => cn('   '), /empty|blank|Enter the Common name|has no text|spaces/],
  ['an empty subject and no name', () => request({ subject: sequence() }), /Enter the DNS name|would name nobody/],
  [
    'two common names',
    () =>
      request({ subject: subjectOf(['CN', host], ['CN', 'evil.northwind.example']), attributes: [extensionRequest(sans(dnsName(host)))] }),
    /CN more than once/,
  ],
  [
    'two common names in one RDN',
    () =>
      request({
        subject: sequence(set(pairInRdn(OIDS.commonName, 'a.northwind.example'), pairInRdn(OIDS.commonName, 'b.northwind.example'))),
        attributes: [extensionRequest(sans(dnsName(host)))],
      }),
    /CN more than once/,
  ],
  ['a common name not among the SANs', () => cn('other.northwind.example'), /must be one of its DNS names/],
  [
    'an e-mail address only in the subject',
    () =>
      request({
        subject: subjectOf(['emailAddress', 'ceo@northwind.example'], ['CN', host]),
        attributes: [extensionRequest(sans(dnsName(host)))],
      }),
    /emailAddress=ceo@northwind\.example, for which the template has no place/,
  ],
  ['an illegal string type: INTEGER', () => request({ subject: sequence(rdn(OIDS.commonName, Uint8Array.of(2, 1, 5))) }), /string|text/i],
  ['an illegal string type: IA5String', () => cn(host, 'ia5String'), /string type|IA5String/i],
  ['an illegal string type: TeletexString', () => cn(host, 'teletexString'), /string type|TeletexString/i],
  ['an illegal string type: UniversalString', () => cn(host, 'universalString'), /string type|UniversalString/i],
  [
    'a PrintableString with @',
    () => request({ subject: sequence(rdn(OIDS.commonName, Buffer.concat([Buffer.of(0x13, 3), Buffer.from('a@b')]))) }),
    /PrintableString/i,
  ],
  ['a broken UTF-8', () => request({ subject: sequence(rdn(OIDS.commonName, Buffer.of(0x0c, 2, 0xc3, 0x28))) }), /UTF/],
  ['an overlong UTF-8', () => request({ subject: sequence(rdn(OIDS.commonName, Buffer.of(0x0c, 2, 0xc0, 0xaf))) }), /UTF/],
  [
    'a country as UTF8String',
    () => request({ subject: sequence(rdn(OIDS.countryName, 'AU'), rdn(OIDS.commonName, host)) }),
    /C has a string type that it may not have/,
    forms,
  ],
  [
    'a country of three letters',
    () => request({ subject: sequence(rdn(OIDS.countryName, 'AUS', 'printableString'), rdn(OIDS.commonName, host)) }),
    /C=AUS|countr/i,
    forms,
  ],
  [
    'a country in lower case',
    () => request({ subject: sequence(rdn(OIDS.countryName, 'au', 'printableString'), rdn(OIDS.commonName, host)) }),
    /C=au|countr/i,
    forms,
  ],
  ['a DNS name with a space', () => named('www northwind.example'), /spaces or letters outside ASCII/],
  ['a DNS name with an underscore', () => named('a_b.northwind.example'), /underscore/],
  ['a DNS name with an empty label', () => named('a..northwind.example'), /empty part/],
  ['a DNS name with a dot before it', () => named('.northwind.example'), /empty part/],
  ['a DNS name with a dot behind it', () => named('www.northwind.example.'), /dot at the end/],
  ['a DNS name with a hyphen first', () => named('-a.northwind.example'), /no part of one|not a DNS name/],
  ['a DNS label of 64', () => named(`${'a'.repeat(64)}.northwind.example`), /no part of one|not a DNS name|63/],
  ['a DNS name of 300', () => named(`${'a.'.repeat(150)}northwind.example`), /253/],
  ['a DNS name empty', () => named(''), /Enter a name|empty/],
  ['a DNS name with a port', () => named('www.northwind.example:443'), /no part of one|not a DNS name/],
  ['a DNS name as a URL', () => named('https://www.northwind.example'), /no part of one|not a DNS name/],
  ['a DNS name beyond ASCII', () => named('b\u00fccher.northwind.example'), /ASCII|IA5String/],
  ['a wildcard', () => named('*.northwind.example'), /wildcard, which the template does not allow/],
  ['a wildcard in the middle', () => named('www.*.northwind.example'), /must be the whole first part/],
  ['a wildcard with letters', () => named('w*.northwind.example'), /must be the whole first part/],
  ['two wildcards', () => named('*.*.northwind.example'), /wildcard/],
  ['a wildcard for a top-level domain', () => named('*.example'), /wildcard|top-level/, forms],
  ['a wildcard alone', () => named('*'), /wildcard|top-level/, forms],
  ['broken punycode', () => named('xn--a.northwind.example'), /xn--|punycode|international/],
  ['punycode that is plain ASCII', () => named('xn--northwind-.northwind.example'), /xn--|no part of one/],
  ['punycode with two hyphens elsewhere', () => named('ab--cd.northwind.example'), /not a valid internationalised label/],
  ['an IP address as DNS', () => named('192.0.2.1'), /ends like an IP address/],
  ['an IPv6 address as DNS', () => named('2001:db8::1'), /no part of one|not a DNS name/],
  ['a number as DNS', () => named('3232235777'), /ends like an IP address/],
  ['a hexadecimal address as DNS', () => named('0xc0a80101'), /IP address|number/],
  ['an IP address of 3 bytes', () => alternative(tagged(7, Buffer.of(192, 0, 2))), /address/],
  ['an IP address of 5 bytes', () => alternative(tagged(7, Buffer.of(192, 0, 2, 1, 1))), /address/],
  ['an IP address with its mask', () => alternative(tagged(7, Buffer.of(192, 0, 2, 0, 255, 255, 255, 0))), /address/],
  ['an IP address of no bytes', () => alternative(tagged(7, Buffer.alloc(0))), /address/],
  ['the IP address 0.0.0.0', () => alternative(dnsName(host), { type: 'iPAddress', value: '0.0.0.0' }), /reserved|no host|not the address/],
  [
    'the IP address 127.0.0.1',
    () => alternative(dnsName(host), { type: 'iPAddress', value: '127.0.0.1' }),
    /reserved|loopback|every machine/,
  ],
  [
    'the IP address 255.255.255.255',
    () => alternative(dnsName(host), { type: 'iPAddress', value: '255.255.255.255' }),
    /reserved|broadcast|no host/,
  ],
  ['the IP address 224.0.0.1', () => alternative(dnsName(host), { type: 'iPAddress', value: '224.0.0.1' }), /reserved|multicast|no host/],
  ['the IP address ::', () => alternative(dnsName(host), { type: 'iPAddress', value: '::' }), /reserved|no host/],
  ['the IP address ::1', () => alternative(dnsName(host), { type: 'iPAddress', value: '::1' }), /reserved|loopback/],
  ['the IP address ff02::1', () => alternative(dnsName(host), { type: 'iPAddress', value: 'ff02::1' }), /reserved|multicast/],
  [
    'an IPv4 address mapped into IPv6',
    () => alternative(dnsName(host), { type: 'iPAddress', value: '::ffff:192.0.2.1' }),
    /reserved|mapped|IPv4/,
  ],
  ['the URI scheme javascript', () => alternative(generalText(6, 'javascript:alert(1)')), /not a URI with a host|scheme/, forms],
  [
    'the URI scheme data',
    () => alternative(generalText(6, 'data:text/html,<script>alert(1)</script>')),
    /not a URI with a host|scheme/,
    forms,
  ],
  ['the URI scheme file', () => alternative(generalText(6, 'file:///etc/passwd')), /not a URI with a host|scheme/, forms],
  ['the URI scheme file with a host', () => alternative(generalText(6, 'file://www.northwind.example/etc/passwd')), /scheme/, forms],
  [
    'the URI scheme javascript with a host',
    () => alternative(generalText(6, 'javascript://www.northwind.example/%0aalert(1)')),
    /scheme/,
    forms,
  ],
  [
    'a URI with another host behind an @',
    () => alternative(generalText(6, 'https://www.northwind.example@evil.example/')),
    /outside the names|user|password/,
    forms,
  ],
  [
    'a URI with a backslash',
    () => alternative(generalText(6, 'https://evil.example\\@www.northwind.example/')),
    /not a URI with a host|no user and no password/,
    forms,
  ],
  ['a relative URI', () => alternative(generalText(6, '/index.html')), /not a URI with a host/, forms],
  ['a URI beyond ASCII', () => alternative(generalText(6, 'https://b\u00fccher.northwind.example/')), /ASCII|IA5String/, forms],
  ['an e-mail address with two @', () => alternative(generalText(1, 'a@b@northwind.example')), /not an e-mail address/, forms],
  [
    'an e-mail address with a display name',
    () => alternative(generalText(1, 'Ada <ada@northwind.example>')),
    /not an e-mail address/,
    forms,
  ],
  [
    'an e-mail address with a line break',
    () => alternative(generalText(1, 'ada@northwind.example\r\nBcc: all@evil.example')),
    /not an e-mail address|control/,
    forms,
  ],
  [
    'an e-mail address in the subject with a NUL',
    () =>
      request({
        subject: sequence(rdn(OIDS.emailAddress, ia5String('a@northwind.example\u0000.evil.example')), rdn(OIDS.commonName, host)),
      }),
    /control|no place|not an e-mail address/,
    forms,
  ],
  [
    'an otherName that is no UPN',
    () => alternative({ type: 'otherName', typeId: OIDS.userPrincipalName, value: octetString(Buffer.of(1)) }),
    /OTHER_NAME|principal/,
    forms,
  ],
  ['a UPN of another domain', () => alternative(userPrincipalName('administrator@contoso.example')), /outside the names/, forms],
  ['a directory name with a NUL', () => alternative({ type: 'directoryName', name: nameOf(['CN', 'a\u0000b']) }), /NUL character/, forms],
  ['a directory name, empty', () => alternative(Buffer.of(0xa4, 2, 0x30, 0)), /empty|not a directory name/, forms],
  [
    'a directory name of an unknown attribute',
    () => alternative({ type: 'directoryName', name: [[{ type: '1.2.3', value: '020105', stringType: 'der' }]] }),
    /text|not a directory name/,
    forms,
  ],
  ['a GeneralName of an unknown form', () => alternative(Buffer.of(0x8b, 1, 0x61)), /no form of GeneralName/],
])

/** What some program takes for a host, in the common name of what is no server and has no other name. */
const read = [
  'www.contoso.example',
  '*.northwind.example',
  'w*.contoso.example',
  'www.contoso.example.',
  'www.contoso.example:443',
  'http://www.contoso.example',
  'https://www.northwind.example@contoso.example/',
  '_x.contoso.example',
  'ceo@contoso.example',
  'www\uff0econtoso\uff0eexample',
  '10.0.0.1:443',
  '[2001:db8::1]:443',
].map((text): Line => [
  `the common name ${text}`,
  () => request({ subject: sequence(rdn(OIDS.commonName, text)) }),
  /outside the names that this template allows|wildcard|whole first part|is an address, and this template/,
  client,
])

/** The subject alone, where the template allows any name and its authority does not. */
const outside = ([['www.contoso.example'], ['www.contoso.example:443'], ['10.0.0.1'], ['Printer 12', 'ceo@contoso.example']] as const).map(
  ([name, mail = 'ada@northwind.example']): Line => [
    `${name}, ${mail} outside the name constraints`,
    () => request({ subject: sequence(rdn(OIDS.commonName, name), rdn(OIDS.emailAddress, mail, 'ia5String')) }),
    /is not among those that .* permits \(name constraints\)/,
    constrained,
  ],
)

const script = '<img src=x onerror=document.title=1>'
/** Text that means something to what shows, stores, exports or logs it. `plain`: it has no character that no name may have. */
export const payloads: readonly { name: string; text: string; plain: boolean }[] = [
  { name: 'markup', text: script, plain: true },
  { name: 'a script', text: '</td><script>document.title=1</script>', plain: true },
  { name: 'a formula', text: '=HYPERLINK("http://evil.example","x")', plain: true },
  { name: 'a formula with @', text: "@SUM(1+1)*cmd|' /C calc'!A0", plain: true },
  { name: 'a formula with +', text: "+1+cmd|' /C calc'!A0", plain: true },
  { name: 'a formula with -', text: '-2+3', plain: true },
  { name: 'LDAP', text: '*)(uid=*))(|(uid=*', plain: true },
  { name: 'SQL', text: "'; drop table certificates; --", plain: true },
  { name: 'a template', text: '${process.exit(1)}{{7*7}}', plain: true },
  { name: 'a path', text: '../../../../etc/passwd', plain: true },
  { name: 'a prototype', text: '__proto__', plain: true },
  { name: 'ANSI', text: '\u001b[2J\u001b[31mroot', plain: false },
  { name: 'CRLF', text: 'a\r\nBcc: all@evil.example', plain: false },
  { name: 'a line feed', text: 'a\n{"level":"error"}', plain: false },
  { name: 'a formula behind a tab', text: '\t=1+1', plain: false },
]

const subjectFields = {
  'the common name': OIDS.commonName,
  'the organisation': OIDS.organizationName,
  'the unit': OIDS.organizationalUnitName,
  'the locality': OIDS.localityName,
  'the title': OIDS.title,
  'the user id': OIDS.userId,
}
const inSubject = payloads.flatMap(({ name, text, plain }) =>
  Object.entries(subjectFields).map(([field, type]): Line => [
    `${name} in ${field}`,
    () =>
      request({
        subject: sequence(rdn(type, text), ...(type === OIDS.commonName ? [] : [rdn(OIDS.commonName, host)])),
        attributes: [extensionRequest(sans(dnsName(host)))],
      }),
    type === OIDS.commonName
      ? plain
        ? /must be one of its DNS names|template does not allow/
        : /control character|NUL character/
      : plain
        ? /for which the template has no place/
        : /control character|for which the template has no place/,
  ]),
)
const inNames = payloads.flatMap(({ name, text }): Line[] => [
  [`${name} in a DNS name`, () => named(text), /DNS name|ASCII|wildcard|underscore|empty part|whole first part|control/],
  [`${name} in an e-mail address`, () => alternative(generalText(1, text)), /not an e-mail address|control/, forms],
  [`${name} in a URI`, () => alternative(generalText(6, text)), /not a URI with a host|ASCII|control|scheme/, forms],
  [`${name} in a UPN`, () => alternative(userPrincipalName(text)), /not a user principal name|control/, forms],
])

export const askingCases: readonly RequestCase[] = [
  ...more,
  ...names,
  ...ignored('names', [...read, ...outside]),
  ...ignored('payloads', [...inSubject, ...inNames]),
]
