// Text search under row security: a table of lower-case words, read by explicit ranges. (`LIKE` is not leak-proof, so its index is ignored
// under row security; a prepared `LIKE $1` falls into a generic plan besides.)

/** The words that a record is found by: whole texts and their parts, lower-case, each at most 80 characters. */
export function wordsOf(...texts: readonly (string | undefined)[]): string[] {
  const words = new Set<string>()
  for (const text of texts) {
    if (text === undefined || text === '') continue
    const lower = text.normalize('NFKC').toLowerCase()
    words.add(lower.slice(0, 80))
    for (const part of lower.split(/[^\p{L}\p{N}]+/u)) if (part.length > 1) words.add(part.slice(0, 80))
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
    const lower = text.normalize('NFKC').toLowerCase()
    tails.add(lower.slice(0, 80))
    for (const { index } of lower.matchAll(partsOfTwo)) tails.add(lower.slice(index, index + 80))
  }
  const sorted = [...tails].sort()
  return sorted.filter((tail, at) => sorted[at + 1]?.startsWith(tail) !== true).slice(0, 200)
}
const partsOfTwo = /[\p{L}\p{N}]{2,}/gu

/** The words typed into a search box: each must match the beginning of a word of the record. */
export const searchTerms = (text: string): string[] =>
  [...new Set(text.normalize('NFKC').toLowerCase().trim().split(/\s+/))].filter((term) => term !== '').slice(0, 5).map((term) => term.slice(0, 80))

/** The range of words that begin with `term`, for `word >= from and word < to` in the C collation. */
export const prefixRange = (term: string): { from: string; to: string } => ({ from: term, to: `${term}\u{10ffff}` })
