// Text search under row security: a table of lower-case words, read by explicit ranges. (`LIKE` is not leak-proof, so its index is ignored
// under row security; a prepared `LIKE $1` falls into a generic plan besides.)

/** As it is compared. Half a character is made whole here, since the database would write every such half as the same one. */
const folded = (text: string): string => text.normalize('NFKC').toLowerCase().toWellFormed()

/** At most 80 units, and no half of a character at the end: two words that differ in such halves alone would be one in the database. */
const cut = (text: string): string => (text.length <= 80 ? text : text.slice(0, 80).replace(/[\ud800-\udbff]$/, ''))

/** A text that is one word or one term, however many spaces are in it. */
export const wholeWord = (text: string): string => cut(folded(text).replaceAll(/\s+/g, ' ').trim())

/** The words that a record is found by: whole texts and their parts, lower-case, each at most 80 characters. */
export function termsOf(...texts: readonly (string | undefined)[]): string[] {
  const words = new Set<string>()
  for (const text of texts) {
    if (text === undefined || text === '') continue
    const lower = folded(text)
    words.add(cut(lower))
    for (const part of lower.split(/[^\p{L}\p{N}]+/u)) if (part.length > 1) words.add(cut(part))
  }
  return [...words].slice(0, 200)
}

/**
 * For texts that are names: each from every place where a part of it begins, lower-case, at most 80 characters, without those that are the beginning of another.
 * Fewer than `wordsOf` gives, and what is typed may go on over several parts.
 */
export function tailsOf(...texts: readonly (string | undefined)[]): string[] {
  const tails = new Set<string>()
  for (const text of texts) {
    if (text === undefined || text === '') continue
    const lower = folded(text)
    tails.add(cut(lower))
    for (const { index } of lower.matchAll(partsOfTwo)) tails.add(cut(lower.slice(index, index + 81)))
  }
  const sorted = [...tails].sort()
  return sorted.filter((tail, at) => sorted[at + 1]?.startsWith(tail) !== true).slice(0, 200)
}
const partsOfTwo = /[\p{L}\p{N}]{2,}/gu

/** The words typed into a search box: each must match the beginning of a word of the record. */
export const searchTerms = (text: string): string[] =>
  [...new Set(folded(text).trim().split(/\s+/))]
    .filter((term) => term !== '')
    .slice(0, 5)
    .map(cut)

/** The range of words that begin with `term`, for `word >= from and word < to` in the C collation. */
export const prefixRange = (term: string): { from: string; to: string } => ({ from: term, to: `${term}\u{10ffff}` })

/** What tools write before a serial number or fingerprint: `SHA1 Fingerprint=`, `Thumbprint:`, `serial=`, `sha256:`. */
const labels =
  /\b(?:(?:sha-?(?:1|256)[\s-]*)?(?:fingerprint|thumbprint|serial(?: ?number)?)\s*[=:]\s*|sha-?(?:1|256)\s*[=:]\s*)(?=(?:0x)?[0-9a-f]{2})/giu
/** Windows copies one along with a thumbprint. */
const directionMarks = /[\u200e\u200f\u202a-\u202e\ufeff]/g
/** Three groups of four digits or more, as the console shows a serial number or fingerprint; eight pairs or more, as Windows and .NET do. */
const groups = [/(?<!\S)[0-9a-f]{4}(?: [0-9a-f]{4}){2,}(?: [0-9a-f]{1,3})?(?!\S)/gi, /(?<!\S)[0-9a-f]{2}(?:[ -][0-9a-f]{2}){7,}(?!\S)/gi]

/** Serial numbers and fingerprints in a pasted text, each as one word with colons in it or none, without its label. */
export const joinedDigits = (text: string): string => {
  const plain = text
    .replaceAll(directionMarks, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(labels, '')
    .trim()
    .replaceAll(/(?<!\S)0x(?=[0-9a-f]{4})/gi, '')
  return groups.reduce((joined, group) => joined.replaceAll(group, (digits) => digits.replaceAll(/[ -]/g, ':')), plain)
}
