// What a text finds. A word that somebody types finds one certificate, or some, or most of them, and each is quick in another way: some are read
// from the index of words and then cut like any list; of very many no list is made, but the certificates are looked at in the order of the list
// until the page is full.

import { sql, type RawBuilder } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { prefixRange, searchTerms } from '#core/server/search-words.ts'
import { normalSerial } from '../rules.ts'
import { wordsOfCertificate } from './words.ts'
import type { CertificateRecord } from './store.ts'

/** Of so many hits at most a list is made; beyond, counts are not told. */
export const mostHits = 10_000

/** Serials and fingerprints are found by four digits or more: fewer find too many of them to be meant. */
const fewestDigits = 4
const hexDigits = /^[0-9a-f:]+$/

/** No digit of hex follows this letter, so it ends the range of a prefix in every collation. */
const behindHex = 'g'

/** The ids of what one term finds: by words, and where it may be the beginning of one, by serial and fingerprint. */
export function hitsOf(tenantId: string, term: string): RawBuilder<{ id: string }> {
  const { from, to } = prefixRange(term)
  const byWord = sql<{ id: string }>`select certificate_id as id from certificate_words where tenant_id = ${tenantId} and word >= ${from} and word < ${to}`
  const hex = hexPrefix(term)
  if (hex === undefined) return byWord
  const byHex = (column: 'serial_hex' | 'fingerprint_sha256', prefix: string) =>
    sql`select id from certificates where tenant_id = ${tenantId} and ${sql.ref(column)} >= ${prefix} and ${sql.ref(column)} < ${prefix + behindHex}`
  return sql<{ id: string }>`${byWord} union ${byHex('serial_hex', hex.serial)} union ${byHex('fingerprint_sha256', hex.fingerprint)}`
}

/** Grouped digits are read as a whole serial is. */
function hexPrefix(term: string): { serial: string; fingerprint: string } | undefined {
  if (!hexDigits.test(term)) return undefined
  const digits = term.replaceAll(':', '')
  return digits.length < fewestDigits ? undefined : { serial: term.includes(':') ? (normalSerial(term) ?? digits) : digits, fingerprint: digits }
}

/** How many each term finds, counted up to one past `mostHits`; the rarest first. */
export async function termsByRarity(db: Database, tenantId: string, text: string): Promise<{ term: string; hits: number }[]> {
  const terms = searchTerms(text)
  if (terms.length === 0) return []
  const counted = terms.map((term) => sql`(select count(*)::int from (${hitsOf(tenantId, term)} limit ${sql.lit(mostHits + 1)}) as hits)`)
  const { rows } = await sql<{ hits: number[] }>`select array[${sql.join(counted)}] as hits`.execute(db)
  return terms.map((term, at) => ({ term, hits: rows[0]?.hits[at] ?? 0 })).toSorted((a, b) => a.hits - b.hits)
}

type Searched = Parameters<typeof wordsOfCertificate>[0] & Pick<CertificateRecord, 'serial_hex' | 'fingerprint_sha256'>

/** Whether every term finds this certificate: the same answer as the index gives. */
export function isFoundBy(record: Searched, terms: readonly string[]): boolean {
  const words = wordsOfCertificate(record)
  return terms.every((term) => {
    const hex = hexPrefix(term)
    return words.some((word) => word.startsWith(term)) || (hex !== undefined && (record.serial_hex.startsWith(hex.serial) || record.fingerprint_sha256.startsWith(hex.fingerprint)))
  })
}
