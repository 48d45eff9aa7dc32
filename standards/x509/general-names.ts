import { isIPv4, isIPv6 } from 'node:net'
// GeneralName (RFC 5280 4.2.1.6): the alternative names of certificates, and the addresses of CRLs and OCSP responders.
import { say } from '#standards/say/say.ts'
import { elementsOf, fieldsOf, finish, take } from '../der/fields.ts'
import { TAG, readDer, type DerValue } from '../der/reader.ts'
import { explicitContent, faultAt, hexOf, implicit, readOid, readOctetString, readString, readStringOf, type Oid } from '../der/values.ts'
import {
  concat,
  explicit,
  implicitConstructed,
  implicitPrimitive,
  oid,
  oidContent,
  octetString,
  sequence,
  stringContent,
  utf8String,
} from '../der/writer.ts'
import { X509Error } from './error.ts'
import { encodeName, parseName, type Name } from './names.ts'
import { OIDS } from './oids.ts'

export type GeneralName =
  /** `value` is the DER inside the explicit tag */
  | { type: 'otherName'; typeId: Oid; value: Uint8Array }
  | { type: 'rfc822Name' | 'dNSName' | 'uniformResourceIdentifier'; value: string }
  | { type: 'directoryName'; name: Name }
  /** `192.0.2.1` or `2001:db8::1`; in name constraints `192.0.2.0/255.255.255.0` and so on */
  | { type: 'iPAddress'; value: string }
  | { type: 'registeredID'; value: Oid }
  /** kept as the whole DER value, tag included */
  | { type: 'x400Address' | 'ediPartyName'; encoded: Uint8Array }

/** Throws X509Error for a value that its form cannot hold. */
export function encodeGeneralName(name: GeneralName): Uint8Array {
  switch (name.type) {
    case 'otherName':
      return implicitConstructed(0, oid(name.typeId), explicit(0, name.value))
    case 'rfc822Name':
      return implicitPrimitive(1, ia5(name.type, name.value))
    case 'dNSName':
      return implicitPrimitive(2, ia5(name.type, name.value))
    case 'x400Address':
    case 'ediPartyName':
      return name.encoded
    case 'directoryName':
      return explicit(4, encodeName(name.name))
    case 'uniformResourceIdentifier':
      return implicitPrimitive(6, ia5(name.type, name.value))
    case 'iPAddress':
      return implicitPrimitive(7, encodeAddress(name.value))
    case 'registeredID':
      return implicitPrimitive(8, oidContent(name.value))
  }
}

function ia5(type: string, value: string): Uint8Array {
  try {
    return stringContent('ia5String', value)
  } catch {
    throw new X509Error(say`${type}: "${value.slice(0, 80)}" has characters outside ASCII`)
  }
}

/** Reads one GeneralName. `range` allows the address with mask of name constraints. Throws DerError. */
export function parseGeneralName(value: DerValue, range = false): GeneralName {
  if (value.tagClass !== 'context') throw faultAt(value, say`Expected a GeneralName`)
  switch (value.tagNumber) {
    case 0: {
      const fields = fieldsOf(implicit(value, TAG.sequence))
      const typeId = readOid(take(fields, 'type-id'))
      const wrapped = take(fields, 'value')
      finish(fields)
      if (wrapped.tagClass !== 'context' || wrapped.tagNumber !== 0)
        throw faultAt(wrapped, say`The value of an otherName must be tagged [0]`)
      return { type: 'otherName', typeId, value: explicitContent(wrapped).encoded }
    }
    case 1:
      return { type: 'rfc822Name', value: readIa5(value) }
    case 2:
      return { type: 'dNSName', value: readIa5(value) }
    case 3:
    case 5:
      if (!value.constructed) throw faultAt(value, say`The name must be constructed`)
      return { type: value.tagNumber === 3 ? 'x400Address' : 'ediPartyName', encoded: value.encoded }
    case 4:
      return { type: 'directoryName', name: parseName(explicitContent(value)) }
    case 6:
      return { type: 'uniformResourceIdentifier', value: readIa5(value) }
    case 7:
      return { type: 'iPAddress', value: decodeAddress(implicit(value, TAG.octetString), range) }
    case 8:
      return { type: 'registeredID', value: readOid(implicit(value, TAG.objectIdentifier)) }
    default:
      throw faultAt(value, say`[${value.tagNumber}] is no form of GeneralName`)
  }
}

function readIa5(value: DerValue): string {
  return readStringOf(implicit(value, TAG.ia5String), 'ia5String')
}

/** The elements of GeneralNames, without the outer SEQUENCE header: for IMPLICIT tags. */
export function encodeGeneralNames(names: readonly GeneralName[]): Uint8Array {
  if (names.length === 0) throw new X509Error(say`A list of names must not be empty`)
  return concat(...names.map(encodeGeneralName))
}

/** GeneralNames: at least one. The value is the SEQUENCE, or its IMPLICIT tag already turned into one. */
export function parseGeneralNames(value: DerValue): GeneralName[] {
  return elementsOf(value, 1).map((element) => parseGeneralName(element))
}

function encodeAddress(text: string): Uint8Array {
  const [address = '', mask, more] = text.split('/')
  const bytes = addressBytes(address)
  if (mask === undefined) return bytes
  const maskBytes = addressBytes(mask)
  if (more !== undefined || maskBytes.length !== bytes.length)
    throw new X509Error(say`"${text.slice(0, 80)}" is not an address with its mask`)
  return concat(bytes, maskBytes)
}

/** The 4 or 16 bytes of an address. Throws X509Error. */
export function addressBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split('.').map(Number))
  if (!isIPv6(address) || address.includes('%')) throw new X509Error(say`"${address.slice(0, 80)}" is not an IP address`)
  const tail = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const groups = tail === null ? address : address.slice(0, tail.index) + pairs(tail.slice(1).map(Number))
  const [left = '', right] = groups.split('::')
  const head = left === '' ? [] : left.split(':')
  const rest = right === undefined || right === '' ? [] : right.split(':')
  const filled = [...head, ...Array.from({ length: 8 - head.length - rest.length }, () => '0'), ...rest]
  return Uint8Array.from(filled.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]))
}

function pairs([a = 0, b = 0, c = 0, d = 0]: number[]): string {
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

function decodeAddress(value: DerValue, range: boolean): string {
  const bytes = readOctetString(value)
  const size = range ? bytes.length / 2 : bytes.length
  if (size !== 4 && size !== 16) {
    throw faultAt(value, range ? say`An address range has 8 or 32 bytes` : say`An IP address has 4 or 16 bytes, not ${bytes.length}`)
  }
  const text = formatAddress(bytes.subarray(0, size))
  return range ? `${text}/${formatAddress(bytes.subarray(size))}` : text
}

/** The text of RFC 5952 for 16 bytes, dotted for 4. */
export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[index * 2] ?? 0) * 256 + (bytes[index * 2 + 1] ?? 0)).toString(16))
  const runs = [...groups.join(':').matchAll(/\b0(?::0)+\b/g)]
  const longest = runs.reduce<RegExpMatchArray | undefined>(
    (best, run) => (run[0].length > (best?.[0].length ?? 0) ? run : best),
    undefined,
  )
  const text = groups.join(':')
  if (longest === undefined) return text
  const before = text.slice(0, longest.index).replace(/:$/, '')
  const after = text.slice((longest.index ?? 0) + longest[0].length).replace(/^:/, '')
  return `${before}::${after}`
}

/** A Windows logon name such as `ada@example.org`. */
export function userPrincipalName(name: string): GeneralName {
  return { type: 'otherName', typeId: OIDS.userPrincipalName, value: utf8String(name) }
}

/** RFC 4108 section 5. */
export function hardwareModuleName(hardwareType: Oid, serial: Uint8Array): GeneralName {
  return { type: 'otherName', typeId: OIDS.hardwareModuleName, value: sequence(oid(hardwareType), octetString(serial)) }
}

/** What hardwareModuleName was made of; undefined for other names and malformed ones. */
export function readHardwareModuleName(name: GeneralName): { hardwareType: Oid; serial: Uint8Array } | undefined {
  if (name.type !== 'otherName' || name.typeId !== OIDS.hardwareModuleName) return undefined
  try {
    const fields = fieldsOf(readDer(name.value))
    const module = { hardwareType: readOid(take(fields, 'hwType')), serial: readOctetString(take(fields, 'hwSerialNum')) }
    finish(fields)
    return module
  } catch {
    return undefined
  }
}

/** The text of an otherName whose value is a character string, as a user principal name is; undefined for others. */
export function otherNameText(name: GeneralName): string | undefined {
  if (name.type !== 'otherName') return undefined
  try {
    return readString(readDer(name.value)).value
  } catch {
    return undefined
  }
}

/** For people: the value without its form. */
export function generalNameText(name: GeneralName, formatDirectory: (name: Name) => string): string {
  switch (name.type) {
    case 'otherName': {
      const module = readHardwareModuleName(name)
      return otherNameText(name) ?? (module === undefined ? hexOf(name.value) : `${module.hardwareType} ${hexOf(module.serial)}`)
    }
    case 'directoryName':
      return formatDirectory(name.name)
    case 'x400Address':
    case 'ediPartyName':
      return hexOf(name.encoded)
    default:
      return name.value
  }
}
