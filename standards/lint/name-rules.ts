import type { Extension } from '../x509/extension-types.ts'
import { findExtension } from '../x509/extensions.ts'
import { generalNameText, type GeneralName } from '../x509/general-names.ts'
import { KEY_PURPOSES } from '../x509/key-purposes.ts'
// Rules about subject, issuer and alternative names.
import { attributeKeyword, attributeRule, attributeValues, formatName, type Name } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import { when, type Fault, type LintRule, type LintSubject } from './finding.ts'
import { checkNameText, dnsNameFault, mailAddressFault, uriFault, type DnsFault } from './name-text.ts'

/** What names are judged by; requests have it as well as certificates. */
export interface NamedThing {
  subject: Name
  extensions: readonly Extension[]
}

interface Attribute {
  field: string
  type: string
  value: string
  stringType: string
}

interface AlternativeName {
  field: string
  name: GeneralName
  value: string
}

/** All names of one thing, laid out once for every rule; the DNS names that have a fault are judged once. */
interface Names {
  attributes: readonly Attribute[]
  alternatives: readonly AlternativeName[]
  dnsFaults: readonly { field: string; fault: DnsFault }[]
}

function namesIn(thing: NamedThing): Names {
  const known = laidOut.get(thing)
  if (known !== undefined) return known
  const attributes = thing.subject.flat().map((item): Attribute => ({ ...item, field: `subject.${attributeKeyword(item.type)}` }))
  const alternatives = (findExtension(thing.extensions, 'subjectAltName')?.names ?? []).map((name, index): AlternativeName => ({
    name,
    field: `subjectAltName.names[${index}]`,
    value: generalNameText(name, formatName),
  }))
  const dnsFaults: { field: string; fault: DnsFault }[] = []
  for (const { name, field, value } of alternatives) {
    const fault = name.type === 'dNSName' ? dnsNameFault(value) : undefined
    if (fault !== undefined) dnsFaults.push({ field, fault })
  }
  const names = { attributes, alternatives, dnsFaults }
  laidOut.set(thing, names)
  return names
}
const laidOut = new WeakMap<NamedThing, Names>()

const namesOf = (thing: NamedThing, type: GeneralName['type']): readonly AlternativeName[] =>
  namesIn(thing).alternatives.filter(({ name }) => name.type === type)

function* dnsFaults(thing: NamedThing, ...codes: DnsFault['code'][]): Iterable<Fault> {
  for (const { field, fault } of namesIn(thing).dnsFaults) if (codes.includes(fault.code)) yield { field, message: fault.message }
}

function* faultsOf(thing: NamedThing, type: GeneralName['type'], check: (value: string) => string | undefined): Iterable<Fault> {
  for (const { value, field } of namesOf(thing, type)) {
    const message = check(value)
    if (message !== undefined) yield { field, message }
  }
}

function* attributeFaults(thing: NamedThing, check: (attribute: Attribute) => string | undefined): Iterable<Fault> {
  for (const attribute of namesIn(thing).attributes) {
    const message = check(attribute)
    if (message !== undefined) yield { field: attribute.field, message }
  }
}

const COUNTRIES: readonly string[] = [OIDS.countryName, OIDS.jurisdictionCountryName]
/** ISO 3166-1: the codes that countries have. */
const ASSIGNED_COUNTRIES: ReadonlySet<string> = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ ' +
    'DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT ' +
    'JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ ' +
    'NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ ' +
    'TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
  ).split(' '),
)
const OLD_STRINGS: readonly string[] = ['teletexString', 'bmpString', 'universalString']

/** Rules that hold for a request as well, before anything is built from it. */
export const NAME_RULES: readonly (Omit<LintRule, 'check'> & { check: (thing: NamedThing) => Iterable<Fault> })[] = [
  {
    code: 'e_name_forbidden_character',
    source: 'RFC 5280 8',
    *check(thing) {
      yield* attributeFaults(thing, ({ field, value }) => checkNameText(field, value))
      for (const { name, field } of namesIn(thing).alternatives) {
        const message = checkNameText(
          field,
          generalNameText(name, (directory) =>
            directory
              .flat()
              .map((item) => item.value)
              .join('/'),
          ),
        )
        if (message !== undefined) yield { field, message }
      }
    },
  },
  {
    code: 'e_subject_country_code',
    source: 'RFC 5280 A.1',
    check: (thing) =>
      attributeFaults(thing, ({ type, value }) =>
        COUNTRIES.includes(type) && !/^[A-Z]{2}$/.test(value)
          ? `"${value.slice(0, 20)}" is not a country code of two capital letters.`
          : undefined,
      ),
  },
  {
    code: 'w_subject_country_unassigned',
    source: 'X.520 6.3.1',
    check: (thing) =>
      attributeFaults(thing, ({ type, value }) =>
        COUNTRIES.includes(type) && /^[A-Z]{2}$/.test(value) && !ASSIGNED_COUNTRIES.has(value)
          ? `${value} is the code of no country.`
          : undefined,
      ),
  },
  {
    code: 'e_subject_attribute_too_long',
    source: 'RFC 5280 A.1',
    check: (thing) =>
      attributeFaults(thing, ({ type, value, field }) => {
        const bound = attributeRule(type)?.upperBound
        return bound !== undefined && [...value].length > bound
          ? `${field} has ${[...value].length} characters; at most ${bound} are allowed.`
          : undefined
      }),
  },
  {
    code: 'e_subject_attribute_empty',
    source: 'RFC 5280 A.1',
    check: (thing) => attributeFaults(thing, ({ value, field }) => (value.trim() === '' ? `${field} is empty.` : undefined)),
  },
  {
    code: 'w_subject_attribute_spaces',
    source: 'RFC 5280 7.1',
    check: (thing) =>
      attributeFaults(thing, ({ value, field }) =>
        value.trim() !== '' && value.trim() !== value ? `${field} begins or ends with a space.` : undefined,
      ),
  },
  {
    code: 'w_subject_string_type',
    source: 'RFC 5280 4.1.2.4',
    check: (thing) =>
      attributeFaults(thing, ({ stringType, field }) =>
        OLD_STRINGS.includes(stringType) ? `${field} is a ${stringType}; new names are UTF8String or PrintableString.` : undefined,
      ),
  },
  {
    code: 'w_subject_several_common_names',
    source: 'CA/B BR 7.1.2.7.2',
    check: ({ subject }) =>
      when(attributeValues(subject, OIDS.commonName).length > 1, 'subject.CN', 'The subject has more than one common name.'),
  },
  {
    code: 'w_subject_mail_not_in_san',
    source: 'RFC 5280 4.1.2.6',
    *check(thing) {
      const mails = new Set(namesOf(thing, 'rfc822Name').map(({ value }) => value.toLowerCase()))
      for (const mail of attributeValues(thing.subject, OIDS.emailAddress)) {
        if (!mails.has(mail.toLowerCase()))
          yield {
            field: 'subject.emailAddress',
            message: `The mail address ${mail.slice(0, 80)} stands only in the subject, not in the subjectAltName.`,
          }
      }
    },
  },
  { code: 'e_dns_name_syntax', source: 'RFC 1034 3.5', check: (thing) => dnsFaults(thing, 'syntax') },
  { code: 'e_dns_name_is_address', source: 'RFC 5280 4.2.1.6', check: (thing) => dnsFaults(thing, 'address') },
  { code: 'e_dns_name_wildcard', source: 'RFC 9525 6.3', check: (thing) => dnsFaults(thing, 'wildcard') },
  { code: 'e_dns_name_punycode', source: 'RFC 5890 2.3.2.1', check: (thing) => dnsFaults(thing, 'punycode') },
  { code: 'w_dns_name_underscore', source: 'RFC 5280 4.2.1.6', check: (thing) => dnsFaults(thing, 'underscore') },
  { code: 'e_mail_address_syntax', source: 'RFC 5280 4.2.1.6', check: (thing) => faultsOf(thing, 'rfc822Name', mailAddressFault) },
  { code: 'e_uri_syntax', source: 'RFC 5280 4.2.1.6', check: (thing) => faultsOf(thing, 'uniformResourceIdentifier', uriFault) },
  {
    code: 'w_uri_user_info',
    source: 'RFC 3986 3.2.1',
    check: (thing) =>
      faultsOf(thing, 'uniformResourceIdentifier', (value) =>
        /^[^:]+:\/\/[^/?#]*@/.test(value) ? 'The URI names a user or a password, which everybody can read.' : undefined,
      ),
  },
  {
    code: 'w_address_link_local',
    source: 'RFC 3927 2.1, RFC 4291 2.5.6',
    check: (thing) =>
      faultsOf(thing, 'iPAddress', (value) =>
        /^169\.254\.|^fe[89ab][0-9a-f]:/i.test(value) ? `${value} is link-local, and means another machine on every network.` : undefined,
      ),
  },
  {
    code: 'w_address_unspecified',
    source: 'RFC 4291 2.5.2',
    check: (thing) =>
      faultsOf(thing, 'iPAddress', (value) => (value === '0.0.0.0' || value === '::' ? `${value} is no one's address.` : undefined)),
  },
  {
    code: 'w_san_duplicate',
    source: 'RFC 5280 4.2.1.6',
    *check(thing) {
      const seen = new Set<string>()
      for (const { name, field, value: text } of namesIn(thing).alternatives) {
        const key = `${name.type} ${name.type === 'otherName' ? `${name.typeId} ${text}` : name.type === 'dNSName' ? text.toLowerCase() : text}`
        if (seen.has(key)) yield { field, message: `The name ${text.slice(0, 80)} stands twice.` }
        seen.add(key)
      }
    },
  },
]

function isTlsServer({ profile, certificate }: LintSubject): boolean {
  const purposes = findExtension(certificate.extensions, 'extKeyUsage')?.purposes ?? []
  return profile === 'tlsServer' || (profile === 'any' && purposes.includes(KEY_PURPOSES.serverAuth))
}

/** Rules that need the whole certificate. */
export const CERTIFICATE_NAME_RULES: readonly LintRule[] = [
  {
    code: 'e_subject_empty_without_critical_san',
    source: 'RFC 5280 4.1.2.6',
    check: ({ certificate: { subject, extensions } }) =>
      when(
        subject.length === 0 && findExtension(extensions, 'subjectAltName')?.critical !== true,
        'subject',
        'The subject is empty, and there is no critical subjectAltName to take its place.',
      ),
  },
  {
    code: 'e_ca_subject_empty',
    source: 'RFC 5280 4.1.2.6',
    check: ({ isCa, certificate: { subject } }) =>
      when(isCa && subject.length === 0, 'subject', 'The subject of a certificate authority must not be empty.'),
  },
  {
    code: 'e_issuer_empty',
    source: 'RFC 5280 4.1.2.4',
    check: ({ certificate: { issuer } }) => when(issuer.length === 0, 'issuer', 'The issuer must not be empty.'),
  },
  {
    code: 'e_tls_server_without_san',
    source: 'RFC 9525 2',
    check: (subject) =>
      when(
        isTlsServer(subject) &&
          !subject.isCa &&
          namesOf(subject.certificate, 'dNSName').length + namesOf(subject.certificate, 'iPAddress').length === 0,
        'subjectAltName',
        'A certificate for a TLS server needs a DNS name or an IP address in the subjectAltName.',
      ),
  },
  {
    code: 'w_common_name_not_in_san',
    source: 'CA/B BR 7.1.4.3',
    *check(subject) {
      if (!isTlsServer(subject) || subject.isCa) return
      const names = new Set(
        [...namesOf(subject.certificate, 'dNSName'), ...namesOf(subject.certificate, 'iPAddress')].map(({ value }) => value.toLowerCase()),
      )
      for (const name of attributeValues(subject.certificate.subject, OIDS.commonName)) {
        if (!names.has(name.toLowerCase()))
          yield { field: 'subject.CN', message: `The common name ${name.slice(0, 80)} does not stand in the subjectAltName.` }
      }
    },
  },
]
