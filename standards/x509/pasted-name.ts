// A distinguished name as people paste it, out of whichever tool wrote it: by commas (RFC 4514), `CN = x, O = y` (OpenSSL), `/O=y/CN=x` (OpenSSL before 1.1), a
// line each (Windows), with the label before it. Unlike parseDistinguishedName it refuses nothing: what is no attribute is handed back as it stands.

import { attributeKeyword, attributeType } from './names.ts'

/** `keyword` as RFC 4514 writes it: `CN`, `O`. */
export type PastedAttribute = { keyword: string; value: string }

const beginning = /(?<=^|[\s,;+/=:"])([a-z]+|(?:oid\.)?\d+(?:\.\d+)+)\s*=\s*/giu
const label = /\b(?:subject|issuer)(?: ?name)?\s*[=:]?\s*$/iu

/** `rest` is what stands before the first attribute, without its label. Values keep their letter case. */
export function readPastedName(text: string): { attributes: PastedAttribute[]; rest: string } {
  const begun = [...text.matchAll(beginning)].flatMap(({ 0: whole, 1: word = '', index }) => {
    const type = attributeType(word.replace(/^oid\./i, ''))
    return type === undefined ? [] : [{ keyword: attributeKeyword(type), index, from: index + whole.length }]
  })
  const [first] = begun
  if (first === undefined) return { attributes: [], rest: text }
  return {
    attributes: begun.map(({ keyword, from }, at) => ({ keyword, value: plainValue(text.slice(from, begun[at + 1]?.index)) })),
    rest: text
      .slice(0, first.index)
      .replace(/[\s,;+/"]+$/u, '')
      .replace(label, '')
      .trim(),
  }
}

/** Without separators behind it, quotation marks and escapes; a control character is a space. */
const plainValue = (text: string): string =>
  text
    .slice(0, endOf(text))
    .replace(/^"(.*?)"?$/su, '$1')
    .replaceAll(/(?:\\[0-9a-f]{2})+/giu, (bytes) => Buffer.from(bytes.replaceAll('\\', ''), 'hex').toString('utf8'))
    .replaceAll(/\\([ "#+,;<=>\\])/g, '$1')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()

/** Where the separators behind a value begin. Counted back, as a pattern tried from each of many spaces would take the square of their number. */
function endOf(text: string): number {
  let end = text.length
  while (end > 0 && /[\s,;+/]/u.test(text.charAt(end - 1)) && text.charAt(end - 2) !== '\\') end -= 1
  return end
}
