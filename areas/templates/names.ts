// Which names are well formed, and which a template allows. A refusal is a sentence; undefined is consent.

/** As much of a text that anybody wrote as one reads in a sentence that quotes it. */
export const clipped = (text: string): string =>
  text.length <= longestQuoted ? text : `${text.slice(0, longestQuoted - 1).replace(/[\ud800-\udbff]$/, '')}…`
const longestQuoted = 80

/** Typed or read from a request. What is much longer does not fit the index that lists are sorted by. */
export const longestName = 300

export const lengthFault = (name: string): string | undefined =>
  charactersIn(name) > longestName
    ? `"${clipped(name)}" has ${charactersIn(name)} characters. A name has at most ${longestName}`
    : undefined

/** Counts as the upper bounds of X.520 do: a letter beyond the basic plane is one character, although it is two units of UTF-16. */
export const charactersIn = (text: string): number => [...text].length

/** As the last label it makes an address of a name. */
const isNumber = (text: string): boolean => /^(?:\d+|0x[0-9a-f]*)$/i.test(text)

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The fault of a DNS name (RFC 1034 3.5 with RFC 1123 2.1), lower case; `*` only as the whole first label, and only where allowed. */
export function dnsFault(name: string, { wildcard = false }: { wildcard?: boolean } = {}): string | undefined {
  if (name === '') return 'Enter a name'
  if (name.length > 253) return 'A DNS name has at most 253 characters'
  if (/[^\u0021-\u007e]/.test(name))
    return `"${clipped(name)}" has spaces or letters outside ASCII. Write international names in their xn-- form`
  if (name.endsWith('.')) return `Write "${clipped(name)}" without the dot at the end`
  const labels = name.toLowerCase().split('.')
  if (labels[0] === '*') {
    if (!wildcard) return `"${clipped(name)}" is a wildcard, which the template does not allow`
    labels.shift()
    if (labels.length < 2) return `"${clipped(name)}" would stand for a whole top-level domain`
  }
  const wrong = labels.find((part) => !label.test(part))
  if (wrong !== undefined) {
    if (wrong === '') return `"${clipped(name)}" has an empty part between its dots`
    if (wrong.includes('_')) return `"${clipped(name)}" has an underscore, which no host name may have`
    if (wrong.includes('*')) return `In "${clipped(name)}" the * must be the whole first part`
    return `"${clipped(name)}" is not a DNS name: "${clipped(wrong)}" is no part of one`
  }
  if (isNumber(labels.at(-1) ?? '')) return `"${clipped(name)}" is not a DNS name: it ends like an IP address`
  return undefined
}

/** The fault of a pattern in a template's rules. */
export function domainPatternFault(pattern: string): string | undefined {
  const bare = pattern.startsWith('*.') ? pattern.slice(2) : pattern
  return dnsFault(bare)
}

/** Whether a DNS name stands under one of the patterns: `example.org` is that name, `*.example.org` any name below it. */
export function isAllowedDomain(name: string, patterns: readonly string[]): boolean {
  if (patterns.length === 0) return true
  // A wildcard covers names below its domain, so it needs a pattern for those.
  const asked = name.toLowerCase()
  return patterns.some((pattern) => {
    const allowed = pattern.toLowerCase()
    if (!allowed.startsWith('*.')) return asked === allowed
    return asked.length > allowed.length - 1 && asked.endsWith(allowed.slice(1))
  })
}

export function emailFault(address: string): string | undefined {
  const at = address.lastIndexOf('@')
  const local = address.slice(0, Math.max(at, 0))
  if (
    at < 1 ||
    !/^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/.test(local) ||
    local.startsWith('.') ||
    local.endsWith('.') ||
    local.includes('..')
  )
    return `"${clipped(address)}" is not an e-mail address`
  return dnsFault(address.slice(at + 1)) === undefined ? undefined : `"${clipped(address)}" is not an e-mail address`
}

/** The four numbers of an IPv4 address without leading zeros, or an IPv6 address without a zone. */
export function addressFault(address: string): string | undefined {
  return isIPv4(address) || isIPv6(address) ? undefined : `"${clipped(address)}" is not an IP address`
}

/** Why no certificate names this address (RFC 6890): it stands for no machine, for every machine, or for many. Private addresses are fine here. */
export function reservedAddressFault(address: string): string | undefined {
  const why = reservedAddresses.find(([pattern]) => pattern.test(address))?.[1]
  return why === undefined ? undefined : `"${clipped(address)}" is a reserved address: ${why}`
}

const reservedAddresses: readonly (readonly [RegExp, string])[] = [
  [/^0\.|^[0:]*:[0:]*$/, 'it is no machine'],
  [/^127\.|^[0:]*:0*1$/, 'it is the loopback, which every machine calls itself'],
  [/^169\.254\.|^fe[89ab][0-9a-f]:/i, 'it is link-local, and means another machine on every network'],
  [/^22[4-9]\.|^23\d\.|^ff[0-9a-f]{2}:/i, 'it is for multicast'],
  [/^2[45]\d\./, 'it is for no use yet, or for broadcast'],
  [/^[0:]*:ffff:/i, 'it is an IPv4 address mapped into IPv6. Write it as IPv4'],
]

/** The bits of an address, or of a network's first address with how many of them count. Undefined where it is neither. */
function networkOf(text: string): { bits: string; length: number } | undefined {
  const [address = '', prefix, more] = text.split('/')
  const bits = isIPv4(address)
    ? address
        .split('.')
        .map((part) => binary(Number(part), 8))
        .join('')
    : isIPv6(address)
      ? bitsOfIPv6(address)
      : undefined
  if (bits === undefined || more !== undefined || (prefix !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(prefix))) return undefined
  const length = prefix === undefined ? bits.length : Number(prefix)
  return length > bits.length ? undefined : { bits, length }
}

const binary = (value: number, width: number): string => value.toString(2).padStart(width, '0')

function bitsOfIPv6(address: string): string {
  const tail = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const [, before = '', a = '0', b = '0', c = '0', d = '0'] = tail ?? []
  const plain =
    tail === null ? address : `${before}${(Number(a) * 256 + Number(b)).toString(16)}:${(Number(c) * 256 + Number(d)).toString(16)}`
  const [front = '', back] = plain.split('::')
  const groups = (half: string) => (half === '' ? [] : half.split(':'))
  const [first, last] = [groups(front), groups(back ?? '')]
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0')
  return [...first, ...zeros, ...last].map((group) => binary(Number.parseInt(group, 16), 16)).join('')
}

/** The fault of a network in a template's rules: an address, a slash, and how many bits count; no bit beyond them is set. */
export function networkFault(text: string): string | undefined {
  const network = text.includes('/') ? networkOf(text) : undefined
  if (network === undefined) return `"${clipped(text)}" is not a network such as 10.0.0.0/8 or 2001:db8::/32`
  return network.bits.slice(network.length).includes('1')
    ? `"${clipped(text)}" has bits beyond its first ${network.length}: write the first address of the network`
    : undefined
}

/** Whether an address lies in one of the networks. */
export function isAllowedAddress(address: string, networks: readonly string[]): boolean {
  const asked = networkOf(address)
  return (
    asked !== undefined &&
    networks.some((text) => {
      const network = networkOf(text)
      return (
        network !== undefined && network.bits.length === asked.bits.length && asked.bits.startsWith(network.bits.slice(0, network.length))
      )
    })
  )
}

/**
 * The hosts and addresses that somebody may read in a text, such as a common name: bare, with a port, in a URL, behind a mailbox, with a wildcard anywhere.
 * A text of several words is a name of a person or a thing, and so is a word whose last part is a number, such as "v2.0".
 */
export function hostsIn(text: string): string[] {
  if (/^[\w -]*$/.test(text)) return []
  // Some programs take the full stops of other scripts for dots (UTS 46 4).
  const word = text
    .normalize('NFKC')
    .replaceAll('\u3002', '.')
    .trim()
    .replace(/^(?:(?:mailto|sips?|xmpp):)?[\p{L}\p{N}._+-]+@/iu, '')
  if (/\s/.test(word)) return []
  const pieces = word.split(/[^\p{L}\p{M}\p{N}:._*-]+/u).flatMap((piece) => (isIPv6(piece) ? [piece] : piece.split(':')))
  return pieces
    .map((piece) => piece.replace(/^\.+|\.+$/g, ''))
    .filter((piece) => piece === '*' || isIPv4(piece) || isIPv6(piece) || isDotted(piece))
}

function isDotted(text: string): boolean {
  const labels = text.split('.')
  return labels.length > 1 && !labels.includes('') && !isNumber(labels.at(-1) ?? '')
}

/** Letters of different alphabets in one word, as in a Latin name with a Cyrillic o: no eye tells it from another name. */
export function lookalikeFault(text: string): string | undefined {
  const mixed = text
    .split(/[^\p{L}\p{M}]+/u)
    .find(
      (word) =>
        [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u, /\p{Script=Cherokee}/u].filter(
          (script) => script.test(word),
        ).length > 1,
    )
  return mixed === undefined ? undefined : `"${clipped(mixed)}" mixes letters of different alphabets, which look alike`
}

const isIPv4 = (text: string): boolean => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text)

function isIPv6(text: string): boolean {
  if (text.length > 45 || !/^[0-9a-fA-F:.]+$/.test(text)) return false
  const dotted = /^(.*:)([\d.]+)$/.exec(text)
  if (text.includes('.') && (dotted === null || !isIPv4(dotted[2] ?? ''))) return false
  const plain = dotted !== null && text.includes('.') ? `${dotted[1]}0:0` : text
  const halves = plain.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false
  return halves.length === 2 ? groups.length <= 7 : groups.length === 8
}

/** The host of an absolute URI; undefined where it has none or is not one. What a browser reads otherwise than we do (`\\`, `%`, a second `@`) is none. */
export function uriHost(uri: string): string | undefined {
  const found = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/(?:[^/?#@\\\s]*@)?([a-zA-Z0-9._-]+)(?::\d{1,5})?(?:[/?#]\S*)?$/.exec(uri)
  return found?.[1]?.toLowerCase()
}

export function uriFault(uri: string): string | undefined {
  if (/[^\u0021-\u007e]/.test(uri)) return `"${clipped(uri)}" has spaces or letters outside ASCII`
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase() ?? ''
  if (refusedSchemes.has(scheme)) return `"${clipped(uri)}" has the scheme ${scheme}, which names no service`
  // Quotes nothing of it, because a refusal is written down and a password must not be.
  if (/^[^:]+:\/\/[^/?#]*@/.test(uri)) return 'A URI in a certificate names no user and no password, because everybody can read it'
  return uriHost(uri) === undefined ? `"${clipped(uri)}" is not a URI with a host` : undefined
}

/** What a program runs, or reads from its own machine, instead of asking a host. */
const refusedSchemes: ReadonlySet<string> = new Set(['javascript', 'vbscript', 'data', 'file', 'blob', 'about', 'view-source'])

/** A dotted object identifier (X.660): the first arc 0 to 2, the second below 40 under 0 and 1, no leading zeros. */
export const isDottedId = (text: string): boolean =>
  text.length <= 200 && /^(?:[01]\.(?:[1-3]?\d)|2\.(?:0|[1-9]\d{0,20}))(?:\.(?:0|[1-9]\d{0,20}))+$/.test(text)

/** A hardware module (RFC 4108 5): the type's object identifier, a colon, and the serial number in hex. */
export function hardwareModuleFault(text: string): string | undefined {
  const [type = '', serial = '', more] = text.split(':')
  if (more !== undefined || !isDottedId(type) || !/^(?:[0-9a-fA-F]{2}){1,64}$/.test(serial))
    return `"${clipped(text)}" is not a hardware module such as 1.3.6.1.4.1.99:0A1B (its type, a colon, and its serial number in hex)`
  return undefined
}

export const registeredIdFault = (text: string): string | undefined =>
  isDottedId(text) ? undefined : `"${clipped(text)}" is not an object identifier such as 1.3.6.1.4.1.99.1`
