// What a text finds. A word that somebody types finds one certificate, or some, or most of them, and each is quick in another way: some are read
// from the index of words and then cut like any list; of very many no list is made, but the certificates are looked at in the order of the list
// until the page is full.

import { sql, type RawBuilder } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { prefixRange } from '#core/server/search-terms.ts'
import { normalSerial } from '../../rules.ts'
import type { CertificateRecord } from '../store.ts'
import { givenTerms, organisationTerms, searchedTexts, sha1Term, termsOfNames } from './search-terms.ts'

/** Of so many hits at most a list is made; beyond, counts are not told. */
export const mostHits = 10_000

/** Serials and fingerprints are found by four digits or more: fewer find too many of them to be meant. */
const fewestDigits = 4
const hexDigits = /^[0-9a-f:]+$/

/** No digit of hex follows this letter, so it ends the range of a prefix in every collation. */
const behindHex = 'g'

const wordsFrom = (tenantId: string, beginning: string): RawBuilder<{ id: string }> => {
  const { from, to } = prefixRange(beginning)
  return sql<{
    id: string
  }>`select certificate_id as id from certificate_words where tenant_id = ${tenantId} and word >= ${from} and word < ${to}`
}

/** Whether these digits begin a certificate's SHA-1 fingerprint. */
export const isSha1Of = (tenantId: string, digits: string): RawBuilder<boolean> => {
  const term = hexDigits.test(digits) ? sha1Term(digits) : undefined
  return term === undefined ? sql<boolean>`false` : sql<boolean>`certificates.id in (${wordsFrom(tenantId, term)})`
}

/** The ids of what one term finds: by words, and where it may be the beginning of one, by serial and fingerprint. */
export function hitsOf(tenantId: string, term: string): RawBuilder<{ id: string }> {
  const hex = hexPrefix(term)
  if (hex === undefined) return wordsFrom(tenantId, term)
  const sha1 = sha1Term(hex.fingerprint)
  const decimal = decimalSerial(term)
  const byDecimal =
    decimal === undefined ? sql`` : sql` union select id from certificates where tenant_id = ${tenantId} and serial_hex = ${decimal}`
  const bySha1 = sha1 === undefined ? sql`` : sql` union ${wordsFrom(tenantId, sha1)}`
  const byHex = (column: 'serial_hex' | 'fingerprint_sha256', prefix: string) =>
    sql`select id from certificates where tenant_id = ${tenantId} and ${sql.ref(column)} >= ${prefix} and ${sql.ref(column)} < ${prefix + behindHex}`
  return sql<{
    id: string
  }>`${wordsFrom(tenantId, term)}${bySha1} union ${byHex('serial_hex', hex.serial)} union ${byHex('fingerprint_sha256', hex.fingerprint)}${byDecimal}`
}

/** A whole serial as tools print it that count in tens; shorter ones are the beginnings of others in hex. */
const decimalSerial = (term: string): string | undefined => (/^\d{16,49}$/.test(term) ? normalSerial(BigInt(term).toString(16)) : undefined)

/** Grouped digits are read as a whole serial is. */
function hexPrefix(term: string): { serial: string; fingerprint: string } | undefined {
  if (!hexDigits.test(term)) return undefined
  const digits = term.replaceAll(':', '')
  return digits.length < fewestDigits
    ? undefined
    : { serial: term.includes(':') ? (normalSerial(term) ?? digits) : digits, fingerprint: digits }
}

/** Terms that find more than `mostHits`, by tenancy. It is looked along the list for such a term, which is right for one that finds few by now, too, only slower. */
const tooMany = new Set<string>()
const mostTooMany = 10_000

export function findsTooMany(tenantId: string, term: string): void {
  if (tooMany.size >= mostTooMany) tooMany.clear()
  tooMany.add(`${tenantId} ${term}`)
}

/** How many each term finds, counted up to one past `mostHits`; the rarest first. A term that stands alone is not counted: who makes the list of what it finds counts as well. */
export async function termsByRarity(db: Database, tenantId: string, terms: readonly string[]): Promise<{ term: string; hits: number }[]> {
  const known = (term: string) => tooMany.has(`${tenantId} ${term}`)
  const open = terms.length === 1 ? [] : terms.filter((term) => !known(term))
  const hits = new Map(terms.map((term) => [term, known(term) ? mostHits + 1 : 0]))
  if (open.length > 0) {
    const counted = open.map((term) => sql`(select count(*)::int from (${hitsOf(tenantId, term)} limit ${sql.lit(mostHits + 1)}) as hits)`)
    const { rows } = await sql<{ hits: number[] }>`select array[${sql.join(counted)}] as hits`.execute(db)
    for (const [at, term] of open.entries()) hits.set(term, rows[0]?.hits[at] ?? 0)
    for (const term of open) if ((hits.get(term) ?? 0) > mostHits) findsTooMany(tenantId, term)
  }
  return terms.map((term) => ({ term, hits: hits.get(term) ?? 0 })).toSorted((a, b) => a.hits - b.hits)
}

type Searched = Parameters<typeof termsOfNames>[0] & Pick<CertificateRecord, 'serial_hex' | 'fingerprint_sha256'>

/** Whether every term finds this certificate: the same answer as the index gives, of terms that each find very many. The beginning of a SHA-1 fingerprint does not. */
export function isFoundBy(record: Searched, terms: readonly string[]): boolean {
  const texts = [...searchedTexts(record), ...organisationTerms(record.subject), ...givenTerms(record)].map((text) =>
    text.normalize('NFKC').toLowerCase(),
  )
  let words: readonly string[] | undefined
  // Most are not: their words need not be made.
  const beginsWord = (term: string) =>
    texts.some((text) => text.includes(term)) && (words ??= termsOfNames(record)).some((word) => word.startsWith(term))
  return terms.every((term) => {
    const hex = hexPrefix(term)
    return (
      beginsWord(term) ||
      record.serial_hex === decimalSerial(term) ||
      (hex !== undefined && (record.serial_hex.startsWith(hex.serial) || record.fingerprint_sha256.startsWith(hex.fingerprint)))
    )
  })
}
