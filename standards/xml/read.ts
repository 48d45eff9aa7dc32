// Reads XML 1.0 with namespaces as programs send it to each other, and nothing besides: no document type, so no entities of anybody's making; no comments,
// processing instructions or CDATA, which readers join differently; no text beside elements. Size, depth and number are bounded.

export interface XmlAttribute {
  namespace: string
  name: string
  value: string
}

export interface XmlElement {
  namespace: string
  name: string
  attributes: XmlAttribute[]
  children: XmlElement[]
  /** Empty where there are children. */
  text: string
}

export interface XmlLimits {
  maxBytes?: number
  maxDepth?: number
  maxElements?: number
}

/** Says what is wrong as a sentence, and at which character. */
export class XmlError extends Error {
  constructor(fault: string, offset: number) {
    super(`${fault} (character ${offset})`)
    this.name = 'XmlError'
  }
}

const MOST_ATTRIBUTES = 32
const LONGEST_NAME = 200
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/'

// XML 1.0 2.2; names without the characters that no protocol has in its own.
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u
const nameAt = /[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?/y
const spaceAt = /[\t\n\r ]*/y
const declarationAt =
  /<\?xml[\t\n\r ]+version=(["'])1\.0\1(?:[\t\n\r ]+encoding=(["'])([A-Za-z0-9-]{1,20})\2)?(?:[\t\n\r ]+standalone=(["'])(?:yes|no)\4)?[\t\n\r ]*\?>/y
const onlySpace = /^[\t\n\r ]*$/
const predefined: ReadonlyMap<string, string> = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' }))

type Scope = ReadonlyMap<string, string>
type Open = { element: XmlElement; tag: string; scope: Scope; text: string }

/** Throws XmlError. */
export function readXml(bytes: Uint8Array, { maxBytes = 128 * 1024, maxDepth = 24, maxElements = 2_000 }: XmlLimits = {}): XmlElement {
  if (bytes.length > maxBytes) throw new XmlError(`The document is longer than ${maxBytes} bytes`, 0)
  const text = decoded(bytes)
  const strange = forbidden.exec(text)
  if (strange !== null) throw new XmlError('No document may have this character', strange.index)
  let at = afterDeclaration(text)
  let count = 0
  let root: XmlElement | undefined
  const open: Open[] = []

  while (at < text.length) {
    const innermost = open.at(-1)
    const next = text.indexOf('<', at)
    const piece = text.slice(at, next < 0 ? text.length : next)
    if (innermost !== undefined) innermost.text += resolved(piece, at)
    else if (!onlySpace.test(piece)) throw new XmlError('There is text outside the document', at)
    if (next < 0) break
    at = next
    if (text[at + 1] === '!' || text[at + 1] === '?')
      throw new XmlError('Document types, comments, CDATA and processing instructions are not read here', at)
    if (text[at + 1] === '/') {
      if (innermost === undefined) throw new XmlError('An element ends that did not begin', at)
      at = endOf(text, at, innermost.tag)
      close(innermost, at)
      open.pop()
      continue
    }
    if (innermost === undefined && root !== undefined) throw new XmlError('There is a second document', at)
    if ((count += 1) > maxElements) throw new XmlError(`There are more than ${maxElements} elements`, at)
    if (open.length >= maxDepth) throw new XmlError(`Elements stand more than ${maxDepth} deep in each other`, at)
    const begun = startOf(text, at, innermost?.scope ?? scopeOfAll)
    at = begun.at
    if (innermost === undefined) root = begun.open.element
    else innermost.element.children.push(begun.open.element)
    if (!begun.isEmpty) open.push(begun.open)
  }
  if (root === undefined || open.length > 0) throw new XmlError('The document ends before its end', text.length)
  return root
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new XmlError('The document is not UTF-8', 0)
  }
}

const scopeOfAll: Scope = new Map([
  ['', ''],
  ['xml', XML_NAMESPACE],
])

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const afterSpace = (text: string, at: number): number => at + (match(spaceAt, text, at)?.[0].length ?? 0)

function afterDeclaration(text: string): number {
  if (!text.startsWith('<?xml')) return 0
  const found = match(declarationAt, text, 0)
  if (found === null) throw new XmlError('The declaration is not that of XML 1.0', 0)
  if (found[3] !== undefined && found[3].toLowerCase() !== 'utf-8') throw new XmlError('The document is not UTF-8', 0)
  return found[0].length
}

function readName(text: string, at: number): string {
  const name = match(nameAt, text, at)?.[0]
  if (name === undefined || name.length > LONGEST_NAME) throw new XmlError('There is no name that could stand here', at)
  return name
}

/** Behind an end tag. */
function endOf(text: string, at: number, tag: string): number {
  const name = readName(text, at + 2)
  if (name !== tag) throw new XmlError(`The element ${tag} ends as ${name}`, at)
  const end = afterSpace(text, at + 2 + name.length)
  if (text[end] !== '>') throw new XmlError('An end tag does not end', end)
  return end + 1
}

function close({ element, text }: Open, at: number): void {
  if (element.children.length === 0) element.text = text
  else if (!onlySpace.test(text)) throw new XmlError('There is text beside elements', at)
}

function startOf(text: string, start: number, outer: Scope): { open: Open; at: number; isEmpty: boolean } {
  const tag = readName(text, start + 1)
  let at = start + 1 + tag.length
  const written: { name: string; value: string; at: number }[] = []
  for (;;) {
    const next = afterSpace(text, at)
    if (text[next] === '>' || text.startsWith('/>', next)) {
      const isEmpty = text[next] === '/'
      const scope = scopeWith(outer, written)
      return { open: { element: elementOf(tag, start, written, scope), tag, scope, text: '' }, at: next + (isEmpty ? 2 : 1), isEmpty }
    }
    if (next === at) throw new XmlError('A tag does not end', at)
    if (written.length >= MOST_ATTRIBUTES) throw new XmlError(`An element has more than ${MOST_ATTRIBUTES} attributes`, next)
    const name = readName(text, next)
    const equals = afterSpace(text, next + name.length)
    const quote = afterSpace(text, equals + 1)
    const mark = text[quote] ?? ''
    const end = text[equals] === '=' && (mark === '"' || mark === "'") ? text.indexOf(mark, quote + 1) : -1
    if (end < 0) throw new XmlError(`The attribute ${name} has no value in quotes`, next)
    const raw = text.slice(quote + 1, end)
    if (raw.includes('<')) throw new XmlError('An attribute holds "<"', quote)
    // XML 1.0 3.3.3: a space for each end of line and tabulator.
    written.push({ name, value: resolved(raw.replace(/\r\n|[\t\n\r]/g, ' '), quote + 1), at: next })
    at = end + 1
  }
}

function scopeWith(outer: Scope, written: readonly { name: string; value: string; at: number }[]): Scope {
  let scope: Map<string, string> | undefined
  for (const { name, value, at } of written) {
    const prefix = name === 'xmlns' ? '' : name.startsWith('xmlns:') ? name.slice(6) : undefined
    if (prefix === undefined) continue
    const isReserved = prefix === 'xmlns' || value === XMLNS_NAMESPACE || (prefix === 'xml') !== (value === XML_NAMESPACE)
    if (isReserved || (value === '' && prefix !== '')) throw new XmlError(`The prefix ${prefix} cannot be declared so`, at)
    scope ??= new Map(outer)
    scope.set(prefix, value)
  }
  return scope ?? outer
}

function elementOf(tag: string, start: number, written: readonly { name: string; value: string; at: number }[], scope: Scope): XmlElement {
  const names = new Set<string>()
  const attributes: XmlAttribute[] = []
  for (const { name, value, at } of written) {
    const isDeclaration = name === 'xmlns' || name.startsWith('xmlns:')
    const read = isDeclaration ? { namespace: XMLNS_NAMESPACE, name } : expanded(name, scope, at, '')
    const key = `${read.namespace} ${read.name}`
    if (names.has(key)) throw new XmlError(`The attribute ${name} stands twice`, at)
    names.add(key)
    if (!isDeclaration) attributes.push({ ...read, value })
  }
  return { ...expanded(tag, scope, start, scope.get('') ?? ''), attributes, children: [], text: '' }
}

/** Namespaces 6.2: `unprefixed` is that of a name without a prefix, which attributes do not have. */
function expanded(name: string, scope: Scope, at: number, unprefixed: string): { namespace: string; name: string } {
  const colon = name.indexOf(':')
  if (colon < 0) return { namespace: unprefixed, name }
  const namespace = scope.get(name.slice(0, colon))
  if (namespace === undefined) throw new XmlError(`The prefix ${name.slice(0, colon)} is not declared`, at)
  return { namespace, name: name.slice(colon + 1) }
}

/** Text as it is meant: line ends as one character (XML 1.0 2.11), references to characters, and the five entities that need no declaration. */
function resolved(text: string, at: number): string {
  if (text.includes(']]>')) throw new XmlError('There is "]]>" in a text', at)
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  if (!lines.includes('&')) return lines
  return lines.replace(/&([^;&]{0,12});?/g, (whole, inside: string) => {
    const known = whole.endsWith(';') ? (predefined.get(inside) ?? character(inside)) : undefined
    if (known === undefined) throw new XmlError('There is an entity that is not read here', at)
    return known
  })
}

function character(reference: string): string | undefined {
  const [, hexadecimal, decimal] = /^#(?:x([0-9A-Fa-f]{1,6})|(\d{1,7}))$/.exec(reference) ?? []
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)
  if (!Number.isInteger(code) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined
  const text = String.fromCodePoint(code)
  return forbidden.test(text) ? undefined : text
}

/** The only child of this name; undefined for none and for several. */
export function onlyChild({ children }: XmlElement, namespace: string, name: string): XmlElement | undefined {
  const found = children.filter((child) => child.namespace === namespace && child.name === name)
  return found.length === 1 ? found[0] : undefined
}

export const attributeOf = ({ attributes }: XmlElement, name: string, namespace = ''): string | undefined =>
  attributes.find((one) => one.namespace === namespace && one.name === name)?.value
