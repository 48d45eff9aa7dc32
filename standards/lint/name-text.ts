// What text in a certificate may look like. A name is read by people and by programs, and must say the same to both: a
// NUL ends a string early in C, a bidirectional control makes `moc.knab` read as `bank.com`, an invisible character
// makes two names look the same.
import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'

/** C0 and C1 controls, separators, bidirectional and invisible characters, tags, and what is no character at all. */
const FORBIDDEN =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\0/, 'a NUL character'],
  [/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/, 'a character that changes the direction of writing'],
  [/[\p{Cc}\p{Zl}\p{Zp}]/u, 'a control character'],
]

/** The fault of a text as a sentence, or undefined: characters that no name in a certificate may hold. */
export function checkNameText(field: string, value: string): string | undefined {
  const found = FORBIDDEN.exec(value)?.[0]
  if (found === undefined) return undefined
  const kind = KINDS.find(([pattern]) => pattern.test(found))?.[1] ?? 'an invisible or invalid character'
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `${field} holds ${kind} (U+${code}).`
}

export type DnsFault = { code: 'syntax' | 'wildcard' | 'underscore' | 'punycode' | 'address'; message: string }

/** The first fault of a DNS name in its ASCII form (RFC 1034 3.5, RFC 5890), a wildcard in the left-most label allowed. */
export function dnsNameFault(name: string): DnsFault | undefined {
  const quoted = `"${name.length > 80 ? `${name.slice(0, 80)}...` : name}"`
  const syntax = (fault: string): DnsFault => ({ code: 'syntax', message: `${quoted} is not a DNS name: ${fault}.` })
  if (name === '') return { code: 'syntax', message: 'A DNS name must not be empty.' }
  if (isIP(name) !== 0) return { code: 'address', message: `${quoted} is an IP address; it belongs into an iPAddress.` }
  if (name.length > 253) return syntax('it is longer than 253 characters')
  if (name.endsWith('.')) return syntax('it ends with a dot')
  const labels = name.split('.')
  if (labels.some((label) => label === '')) return syntax('a label is empty')
  if (labels.some((label) => label.length > 63)) return syntax('a label is longer than 63 characters')
  const bad = /[^A-Za-z0-9\-_.*]/u.exec(name)?.[0]
  if (bad !== undefined) return syntax(`it holds ${JSON.stringify(bad)}; a name in another script is written in its xn-- form`)
  const star = labels.findIndex((label) => label.includes('*'))
  if (star > 0 || labels.slice(1).some((label) => label.includes('*')) || (star === 0 && labels[0] !== '*')) {
    return { code: 'wildcard', message: `${quoted}: the wildcard must be the whole left-most label.` }
  }
  if (star === 0 && labels.length < 3) return { code: 'wildcard', message: `${quoted}: a wildcard needs at least two labels after it.` }
  if (labels.some((label) => label.startsWith('-') || label.endsWith('-'))) return syntax('a label begins or ends with a hyphen')
  if (/^\d+$/.test(labels.at(-1) ?? '')) return syntax('its last label is a number')
  if (name.includes('_')) return { code: 'underscore', message: `${quoted} has an underscore, which host names must not have.` }
  const wrong = labels.find((label) => /^..--/.test(label) && !isPunycode(label))
  if (wrong !== undefined) return { code: 'punycode', message: `${quoted}: "${wrong}" is not a valid internationalised label.` }
  return undefined
}

function isPunycode(label: string): boolean {
  const lower = label.toLowerCase()
  const unicode = domainToUnicode(lower)
  return lower.startsWith('xn--') && unicode !== '' && unicode !== lower && domainToASCII(unicode) === lower
}

/** The fault of an Internet mail address (RFC 5321 4.1.2; quoted local parts are refused), or undefined. */
export function mailAddressFault(address: string): string | undefined {
  const shown = `"${address.slice(0, 80)}"`
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at)
  if (at < 1) return `${shown} is not a mail address: it needs a part before and after the @.`
  if (address.length > 254 || local.length > 64) return `${shown} is not a mail address: it is too long.`
  if (!/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(local)) {
    return `${shown} is not a mail address: the part before the @ has a character or a dot that is not allowed.`
  }
  const domain = address.slice(at + 1)
  const fault = domain.includes('*') ? 'a mail domain has no wildcard' : dnsNameFault(domain)?.message
  return fault === undefined ? undefined : `${shown} is not a mail address: ${fault}`
}

/** The fault of a URI in a certificate (RFC 5280 4.2.1.6), or undefined. */
export function uriFault(uri: string): string | undefined {
  const shown = `"${uri.slice(0, 80)}"`
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:./.test(uri)) return `${shown} is not an absolute URI: it must begin with a scheme such as https:.`
  if (!/^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/.test(uri) || /%(?![0-9A-Fa-f]{2})/.test(uri))
    return `${shown} holds a character that a URI must not have.`
  if (/^[^:]+:\/\/(?!\/)/.test(uri) && !URL.canParse(uri)) return `${shown} is not a valid URI.`
  return undefined
}
