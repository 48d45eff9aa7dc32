// What people say of certificates, and what they take out of the inventory: owner, tags, "replaced", and the removal of what was uploaded.

import { sql, type RawBuilder } from 'kysely'
import { runStatement } from '#core/server/batch.ts'
import type { Database } from '#core/server/database.ts'
import { insertRows } from '#core/server/insert-rows.ts'
import { tables, wordColumns, type CertificateRecord } from '../store.ts'
import { termsOfCertificate } from './search-terms.ts'

export type Said = Partial<Pick<CertificateRecord, 'owner' | 'owner_user_id' | 'tags'>>

/** Writes what was said, with the words that it is found by. */
export async function changeSaid(db: Database, tenantId: string, before: CertificateRecord, said: Said): Promise<void> {
  const after = { ...before, ...said }
  const [old, fresh] = [termsOfCertificate(before), termsOfCertificate(after)]
  await tables(db).updateTable('certificates').set(said).where('tenant_id', '=', tenantId).where('id', '=', before.id).execute()
  const gone = old.filter((word) => !fresh.includes(word))
  if (gone.length > 0)
    await tables(db)
      .deleteFrom('certificate_words')
      .where('tenant_id', '=', tenantId)
      .where('certificate_id', '=', before.id)
      .where('word', 'in', gone)
      .execute()
  const words = fresh.filter((word) => !old.includes(word)).map((word) => ({ tenant_id: tenantId, word, certificate_id: before.id }))
  if (words.length > 0) await runStatement(db, insertRows('certificate_words', wordColumns, words, 'on conflict do nothing'))
  await markChanged(db, tenantId, before)
}

/** A change of nothing in the counters: what is remembered of a search holds only while they are the same, and other words find this certificate now. */
const markChanged = (db: Database, tenantId: string, { id }: Pick<CertificateRecord, 'id'>) =>
  sql`
    insert into certificate_count_changes (tenant_id, ends_on, revoked, replaced, template_id, ca_id, traits, count)
    select tenant_id, (not_after at time zone 'UTC')::date, revoked_at is not null, renewed_by is not null or replaced_at is not null, coalesce(template_id, '00000000-0000-0000-0000-000000000000'), coalesce(ca_id, '00000000-0000-0000-0000-000000000000'), traits, 0
    from certificates where tenant_id = ${tenantId} and id = ${id}`.execute(db)

/** Of a certificate that others issued. That its key was compromised stays known. */
export async function deleteExternal(db: Database, tenantId: string, id: string): Promise<void> {
  for (const table of ['certificate_words', 'foreign_keys'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('certificate_id', '=', id).execute()
  await tables(db).deleteFrom('certificates').where('tenant_id', '=', tenantId).where('id', '=', id).where('ca_id', 'is', null).execute()
}

/** A request here was answered with it. */
export const answersRequest = async (db: Database, tenantId: string, id: string): Promise<boolean> =>
  (await tables(db)
    .selectFrom('certificate_requests')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('certificate_id', '=', id)
    .limit(1)
    .executeTakeFirst()) !== undefined

const mostChoices = 200

/** The marked words that there are, each with one certificate that has it: from one to the next along the index, whatever the number of certificates. */
async function markedWords(db: Database, tenantId: string, mark: string): Promise<{ word: string; certificate_id: string }[]> {
  const behind = `${mark}\u{10ffff}`
  const { rows } = await sql<{ word: string; certificate_id: string }>`
    with recursive marked (word, certificate_id, place) as (
      (select word, certificate_id, 1 from certificate_words where tenant_id = ${tenantId} and word >= ${mark} and word < ${behind} order by word, certificate_id limit 1)
      union all
      select next.word, next.certificate_id, marked.place + 1 from marked, lateral (
        select word, certificate_id from certificate_words where tenant_id = ${tenantId} and word > marked.word and word < ${behind} order by word, certificate_id limit 1
      ) as next where marked.place < ${mostChoices}
    ) select word, certificate_id from marked`.execute(db)
  return rows
}

/** What the list can be filtered by. A tag is shown as it is written on one of those that have it. */
export async function saidChoices(db: Database, tenantId: string): Promise<{ tags: string[]; owners: { value: string; label: string }[] }> {
  const tagWords = await markedWords(db, tenantId, 'tag:')
  const ownerWords = await markedWords(db, tenantId, 'owner:')
  const ids = [...tagWords, ...ownerWords].map(({ certificate_id: id }) => id)
  if (ids.length === 0) return { tags: [], owners: [] }
  const rows = await tables(db)
    .selectFrom('certificates')
    .select(['id', 'owner_user_id', 'owner', 'tags'])
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...new Set(ids)])
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return {
    tags: [...new Set(tagWords.flatMap(({ certificate_id: id }) => byId.get(id)?.tags ?? []))].toSorted((a, b) => a.localeCompare(b)),
    owners: ownerWords.flatMap(({ certificate_id: id }) => {
      const row = byId.get(id)
      return row === undefined || row.owner_user_id === null ? [] : [{ value: row.owner_user_id, label: row.owner }]
    }),
  }
}

/** The bytes of those that were chosen, up to `most`. */
export const chosenFiles = (db: Database, chosen: RawBuilder<{ id: string }>, tenantId: string, most: number) =>
  tables(db)
    .selectFrom('certificates')
    .select(['name', 'serial_hex', 'certificate'])
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`id in (select id from (${chosen}) as chosen)`)
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .limit(most)
    .execute()
