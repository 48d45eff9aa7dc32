// Identifiers of orders (RFC 8555 7.1.3, RFC 8738): brought to one spelling, so that two orders mean the same when their texts are equal.

import { AcmeError, isObject, type AcmeIdentifier } from './problem.ts'

export const identifierTypes = ['dns', 'ip', 'permanent-identifier'] as const
export type IdentifierType = (typeof identifierTypes)[number]
export type Identifier = { type: IdentifierType; value: string }

const isIPv4 = (text: string): boolean => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text)
const isIPv6 = (text: string): boolean => /^[0-9a-f:.]{2,45}$/i.test(text) && text.includes(':') && URL.canParse(`http://[${text}]/`)

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Reads what an order names. Throws a problem about this identifier. */
export function readIdentifier(asked: unknown): Identifier {
  const { type, value } = isObject(asked) ? asked : {}
  if (typeof type !== 'string' || typeof value !== 'string')
    throw new AcmeError('malformed', 'An identifier has a type and a value, both texts')
  const identifier: AcmeIdentifier = { type: type.slice(0, 60), value: value.slice(0, 300) }
  const refuse = (detail: string) => new AcmeError('malformed', detail, { identifier })
  if (type === 'dns') {
    const fault = nameFault(value)
    if (fault !== undefined)
      throw canonicalAddress(value) === undefined ? refuse(fault) : refuse(`${value} is an address: its type is ip (RFC 8738)`)
    return { type, value: value.toLowerCase() }
  }
  if (type === 'ip') {
    const canonical = canonicalAddress(value)
    if (canonical === undefined) throw refuse('An address is written as 192.0.2.1 or 2001:db8::1')
    if (canonical !== value.toLowerCase()) throw refuse(`Write the address as ${canonical} (RFC 5952)`)
    return { type, value: canonical }
  }
  if (type === 'permanent-identifier') {
    if (!/^[\u0021-\u007e]{1,128}$/.test(value)) throw refuse('A permanent identifier has 1 to 128 letters, digits and signs')
    return { type, value }
  }
  throw new AcmeError('unsupportedIdentifier', `Identifiers of the type ${identifier.type} are not certified here`, { identifier })
}

/** Tells what is wrong with a DNS name of an order; `*.` may stand before it. */
export function nameFault(name: string): string | undefined {
  const bare = name.startsWith('*.') ? name.slice(2) : name
  const labels = bare.toLowerCase().split('.')
  if (bare === '' || bare.length > 253) return 'A DNS name has 1 to 253 characters'
  if (bare.endsWith('.')) return 'Write the DNS name without the dot at its end'
  if (bare.includes('*')) return 'A wildcard is the whole first label of a name'
  if (/[^\u0021-\u007e]/.test(bare)) return 'Write an international name in its xn-- form'
  if (!labels.every((one) => label.test(one))) return `${name.slice(0, 80)} is not a DNS name`
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) return 'The last label of a DNS name is no number'
  return name.startsWith('*.') && labels.length < 2 ? 'A wildcard stands for no whole top-level domain' : undefined
}

/** RFC 5952 and RFC 1123; undefined where it is no address, or one with a zone. */
export function canonicalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  if (!isIPv6(text)) return undefined
  return new URL(`http://[${text}]/`).hostname.slice(1, -1)
}

/** What an authorisation is for: the name without its wildcard (7.1.4). */
export const bareValue = ({ value }: Pick<Identifier, 'value'>): string => (value.startsWith('*.') ? value.slice(2) : value)
export const isWildcard = ({ type, value }: Identifier): boolean => type === 'dns' && value.startsWith('*.')

export const identifierText = ({ type, value }: AcmeIdentifier): string => `${type} ${value}`

/** Whether two lists name the same, whatever the order and however often. */
export function sameIdentifiers(one: readonly Identifier[], other: readonly Identifier[]): boolean {
  const [a, b] = [new Set(one.map(identifierText)), new Set(other.map(identifierText))]
  return a.size === b.size && [...a].every((text) => b.has(text))
}
