import { say } from '#standards/say/say.ts'
import { elementsOf, fieldsOf, finish, setElementsOf, take } from '../der/fields.ts'
// Distinguished names (RFC 5280 4.1.2.4): a list of relative names, each a set of attributes, almost always one.
// A name read from a certificate keeps the string type of each attribute, so that encoding it again gives the same bytes.
import { readDer, type DerValue } from '../der/reader.ts'
import { checkSetOfOrder, hexOf, isString, readOid, readString, type Oid, type StringType } from '../der/values.ts'
import { characterString, isOid, oid, sequence, setOf } from '../der/writer.ts'
import { X509Error } from './error.ts'
import { OIDS, oidName } from './oids.ts'

export interface NameAttribute {
  type: Oid
  /** the text; for `der` the hex of the whole encoded value */
  value: string
  /** `der` for a value that is no character string */
  stringType: StringType | 'der'
}
export type RDN = NameAttribute[]
export type Name = RDN[]

interface AttributeRule {
  oid: Oid
  /** the string type this attribute must have; UTF8String where the standard leaves the choice */
  stringType?: StringType
  /** upper bound in characters (RFC 5280 appendix A.1) */
  upperBound?: number
}

/** The keywords of RFC 4514 section 3 and those that OpenSSL and Windows write, each with its attribute. */
export const ATTRIBUTE_KEYWORDS: { readonly [keyword: string]: AttributeRule } = {
  CN: { oid: OIDS.commonName, upperBound: 64 },
  SN: { oid: OIDS.surname, upperBound: 32_768 },
  serialNumber: { oid: OIDS.serialNumber, stringType: 'printableString', upperBound: 64 },
  C: { oid: OIDS.countryName, stringType: 'printableString', upperBound: 2 },
  L: { oid: OIDS.localityName, upperBound: 128 },
  ST: { oid: OIDS.stateOrProvinceName, upperBound: 128 },
  street: { oid: OIDS.streetAddress, upperBound: 128 },
  O: { oid: OIDS.organizationName, upperBound: 64 },
  OU: { oid: OIDS.organizationalUnitName, upperBound: 64 },
  title: { oid: OIDS.title, upperBound: 64 },
  description: { oid: OIDS.description, upperBound: 1024 },
  businessCategory: { oid: OIDS.businessCategory, upperBound: 128 },
  postalCode: { oid: OIDS.postalCode, upperBound: 40 },
  telephoneNumber: { oid: OIDS.telephoneNumber, stringType: 'printableString', upperBound: 32 },
  name: { oid: OIDS.name, upperBound: 32_768 },
  GN: { oid: OIDS.givenName, upperBound: 32_768 },
  initials: { oid: OIDS.initials, upperBound: 32_768 },
  generationQualifier: { oid: OIDS.generationQualifier, upperBound: 32_768 },
  dnQualifier: { oid: OIDS.dnQualifier, stringType: 'printableString' },
  pseudonym: { oid: OIDS.pseudonym, upperBound: 128 },
  organizationIdentifier: { oid: OIDS.organizationIdentifier },
  UID: { oid: OIDS.userId, upperBound: 256 },
  DC: { oid: OIDS.domainComponent, stringType: 'ia5String', upperBound: 63 },
  emailAddress: { oid: OIDS.emailAddress, stringType: 'ia5String', upperBound: 255 },
  unstructuredName: { oid: OIDS.unstructuredName, upperBound: 255 },
  unstructuredAddress: { oid: OIDS.unstructuredAddress, upperBound: 255 },
  jurisdictionL: { oid: OIDS.jurisdictionLocalityName, upperBound: 128 },
  jurisdictionST: { oid: OIDS.jurisdictionStateOrProvinceName, upperBound: 128 },
  jurisdictionC: { oid: OIDS.jurisdictionCountryName, stringType: 'printableString', upperBound: 2 },
}

const OTHER_KEYWORDS: { readonly [keyword: string]: string } = {
  surname: 'SN',
  givenname: 'GN',
  g: 'GN',
  s: 'ST',
  e: 'emailAddress',
  email: 'emailAddress',
  mail: 'emailAddress',
  t: 'title',
  userid: 'UID',
  commonname: 'CN',
  countryname: 'C',
  localityname: 'L',
  stateorprovincename: 'ST',
  organizationname: 'O',
  organizationalunitname: 'OU',
  domaincomponent: 'DC',
  streetaddress: 'street',
  phone: 'telephoneNumber',
  sp: 'ST',
  generation: 'generationQualifier',
}
const BY_KEYWORD = new Map(Object.entries(ATTRIBUTE_KEYWORDS).map(([keyword, rule]) => [keyword.toLowerCase(), rule]))
const KEYWORD_OF = new Map(Object.entries(ATTRIBUTE_KEYWORDS).map(([keyword, rule]) => [rule.oid, keyword]))
const RULE_OF = new Map(Object.values(ATTRIBUTE_KEYWORDS).map((rule) => [rule.oid, rule]))

export function attributeRule(type: Oid): AttributeRule | undefined {
  return RULE_OF.get(type)
}

/** `CN`, `O`, ... or the dotted identifier. */
export function attributeKeyword(type: Oid): string {
  return KEYWORD_OF.get(type) ?? type
}

/** The identifier for `CN`, `commonName`, `E` or `2.5.4.3`, in any case; undefined for what is not known. */
export function attributeType(keyword: string): Oid | undefined {
  const lower = keyword.trim().toLowerCase()
  const rule = BY_KEYWORD.get(OTHER_KEYWORDS[lower]?.toLowerCase() ?? lower)
  if (rule !== undefined) return rule.oid
  return isOid(lower) ? lower : undefined
}

/** One attribute with the string type its standard asks for. `type` is a keyword or an identifier. Throws X509Error. */
export function attribute(type: string, value: string): NameAttribute {
  const known = attributeType(type)
  if (known === undefined) throw new X509Error(say`"${type}" is not an attribute type`)
  return { type: known, value, stringType: attributeRule(known)?.stringType ?? 'utf8String' }
}

/** A name of single attributes, the most significant (country) first: `nameOf(['C', 'NL'], ['CN', 'Root'])`. */
export function nameOf(...attributes: readonly (readonly [type: string, value: string])[]): Name {
  return attributes.map(([type, value]) => [attribute(type, value)])
}

/** Throws X509Error for a character that the attribute's string type cannot hold. */
export function encodeName(name: Name): Uint8Array {
  return sequence(...name.map(encodeRdn))
}

export function encodeRdn(rdn: RDN): Uint8Array {
  return setOf(...rdn.map((item) => sequence(oid(item.type), encodeAttributeValue(item))))
}

function encodeAttributeValue({ type, value, stringType }: NameAttribute): Uint8Array {
  if (stringType === 'der') return readDer(Buffer.from(value, 'hex')).encoded
  try {
    return characterString(stringType, value)
  } catch (error) {
    if (error instanceof RangeError) throw new X509Error(say`${oidName(type) ?? type}: ${error.message}`)
    throw error
  }
}

/** A Name from its DER value or bytes. Throws DerError. */
export function parseName(name: Uint8Array | DerValue, path = 'name'): Name {
  const value = name instanceof Uint8Array ? readDer(name, { path }) : name
  return elementsOf(value).map(parseRdn)
}

export function parseRdn(rdn: DerValue): RDN {
  const attributes = setElementsOf(rdn, 1).map(parseAttribute)
  checkSetOfOrder(rdn)
  return attributes
}

function parseAttribute(item: DerValue): NameAttribute {
  const fields = fieldsOf(item)
  const type = readOid(take(fields, 'type'))
  const value = take(fields, 'value')
  finish(fields)
  if (!isString(value)) return { type, value: hexOf(value.encoded), stringType: 'der' }
  const text = readString(value)
  return { type, value: text.value, stringType: text.type }
}

/** The text of RFC 4514: the last relative name first. */
export function formatName(name: Name): string {
  return name.toReversed().map(formatRdn).join(',')
}

export function formatRdn(rdn: RDN): string {
  return rdn
    .map(({ type, value, stringType }) => {
      const keyword = attributeKeyword(type)
      return `${keyword}=${stringType === 'der' ? `#${value}` : escapeValue(value)}`
    })
    .join('+')
}

function escapeValue(value: string): string {
  return escapeControls(value.replaceAll(/["+,;<>\\]|^[ #]| $/g, '\\$&'))
}

/** Control characters as RFC 4514 writes them, by their bytes: `\\00`. For a text out of a certificate that is to stand where such characters cannot. */
export const escapeControls = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (character) => Buffer.from(character, 'utf8').toString('hex').replaceAll(/../g, '\\$&'))

/** Reads the text of RFC 4514 (`CN=x,O=y,C=NL`, last relative name first). Throws X509Error naming the position. */
export function parseDistinguishedName(text: string): Name {
  if (text.length > 16_384) throw new X509Error(say`The distinguished name is longer than 16,384 characters`)
  const rdns: RDN[] = []
  let rdn: RDN = []
  let at = 0
  while (/[^\s]/.test(text.slice(at))) {
    const keyword = /^\s*([A-Za-z][A-Za-z0-9-]*|(?:OID\.)?\d+(?:\.\d+)+)\s*= */i.exec(text.slice(at))
    if (keyword === null) throw new X509Error(say`Expected an attribute such as CN=name at character ${at + 1}`)
    const type = attributeType((keyword[1] ?? '').replace(/^OID\./i, ''))
    if (type === undefined) throw new X509Error(say`"${keyword[1]}" is not an attribute type`)
    at += keyword[0].length
    const { value, stringType, end } = readValueText(text, at)
    rdn.push(
      stringType === 'der' ? { type, value, stringType } : { type, value, stringType: attributeRule(type)?.stringType ?? 'utf8String' },
    )
    at = end
    const separator = text[at]
    at += 1
    if (separator === '+') continue
    rdns.push(rdn)
    rdn = []
    if (separator !== undefined && text.slice(at).trim() === '') throw new X509Error(say`The distinguished name ends with a separator`)
  }
  if (rdn.length > 0) throw new X509Error(say`The distinguished name ends with a separator`)
  return rdns.reverse()
}

function readValueText(text: string, start: number): { value: string; stringType: 'der' | 'text'; end: number } {
  if (text[start] === '#') {
    const hex = /^#((?:[0-9a-f]{2})+)\s*(?=[,;+]|$)/i.exec(text.slice(start))
    if (hex === null) throw new X509Error(say`Expected hexadecimal digits at character ${start + 2}`)
    readDer(Buffer.from(hex[1] ?? '', 'hex'), { path: 'attribute value' })
    return { value: (hex[1] ?? '').toLowerCase(), stringType: 'der', end: start + hex[0].length }
  }
  const bytes: number[] = []
  const quoted = text[start] === '"'
  let at = quoted ? start + 1 : start
  let keep = 0
  for (; at < text.length; at += 1) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    if (quoted ? character === '"' : /[,;+]/.test(character)) break
    if (character === '\\') {
      const pair = /^[0-9a-f]{2}/i.exec(text.slice(at + 1, at + 3))
      if (pair === null && !/^[ "#+,;<=>\\]/.test(text.slice(at + 1))) throw new X509Error(say`Unknown escape at character ${at + 1}`)
      if (pair === null) bytes.push(text.charCodeAt(at + 1))
      else bytes.push(Number.parseInt(pair[0], 16))
      at += pair === null ? 1 : 2
      keep = bytes.length
      continue
    }
    bytes.push(...Buffer.from(character, 'utf8'))
    at += character.length - 1
    if (quoted || character !== ' ') keep = bytes.length
  }
  if (quoted) {
    if (text[at] !== '"') throw new X509Error(say`A quotation mark is not closed`)
    at += 1
    while (text[at] === ' ') at += 1
    if (at < text.length && !/[,;+]/.test(text[at] ?? '')) throw new X509Error(say`Expected a comma at character ${at + 1}`)
  }
  try {
    return {
      value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes.slice(0, keep))),
      stringType: 'text',
      end: at,
    }
  } catch {
    throw new X509Error(say`The escaped bytes are not UTF-8`)
  }
}

/** Equal by the rules of RFC 5280 7.1: string type, letter case and runs of spaces do not count. */
export function nameEquals(left: Name, right: Name): boolean {
  return comparableName(left) === comparableName(right)
}

/** A text that is the same for names that are equal: a key for look-ups. */
export function comparableName(name: Name): string {
  return name
    .map((rdn) =>
      rdn
        .map((item) => `${item.type}=${JSON.stringify(comparableValue(item))}`)
        .sort()
        .join('+'),
    )
    .join(',')
}

function comparableValue({ value, stringType }: NameAttribute): string {
  if (stringType === 'der') return `#${value}`
  return value
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}|\u00ad/gu, '')
    .trim()
}

/** The values of one attribute type, in order. */
export function attributeValues(name: Name, type: Oid): string[] {
  return name
    .flat()
    .filter((item) => item.type === type && item.stringType !== 'der')
    .map((item) => item.value)
}

/** The first commonName, if any. */
export function commonNameOf(name: Name): string | undefined {
  return attributeValues(name, OIDS.commonName)[0]
}
