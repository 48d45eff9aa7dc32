// What is known of people beside their accounts, and the questions that are asked of it.

import { sql, type RawBuilder } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { prefixRange } from '#core/server/search-terms.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

type AttributeTables = { user_attributes: { tenant_id: string; user_id: string; name: string; value: string; folded: string } }
const tables = (db: Database) => db.withTables<AttributeTables>()

const fold = (value: string): string => value.toLowerCase().slice(0, 200)

export type Values = Readonly<Record<string, string>>

/** The attributes of these people, by person; who has none is not among them. */
export async function findAttributes({ db, tenantId }: Tenancy, userIds: readonly string[]): Promise<Map<string, Record<string, string>>> {
  const found = new Map<string, Record<string, string>>()
  if (userIds.length === 0) return found
  const rows = await tables(db)
    .selectFrom('user_attributes')
    .select(['user_id', 'name', 'value'])
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', sql<string>`any(${[...userIds]}::uuid[])`)
    .execute()
  for (const { user_id, name, value } of rows) found.set(user_id, { ...found.get(user_id), [name]: value })
  return found
}

/** Writes the named attributes of a person; those with an empty value go. */
export async function updateAttributes({ db, tenantId }: Tenancy, userId: string, values: Values): Promise<void> {
  const names = Object.keys(values)
  if (names.length === 0) return
  await tables(db)
    .deleteFrom('user_attributes')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('name', 'in', names)
    .execute()
  const rows = Object.entries(values).flatMap(([name, value]) =>
    value === '' ? [] : [{ tenant_id: tenantId, user_id: userId, name, value, folded: fold(value) }],
  )
  if (rows.length > 0) await tables(db).insertInto('user_attributes').values(rows).execute()
}

export async function deleteAttributes(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db).deleteFrom('user_attributes').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

/** As a part of another question: the ids of those whose attribute begins with a text, whatever its case. */
export const idsWithAttribute = (tenantId: string, name: string, text: string): RawBuilder<string> => {
  const { from, to } = prefixRange(fold(text))
  return sql<string>`(select user_id from user_attributes where tenant_id = ${tenantId} and name = ${name} and folded >= ${from} and folded < ${to})`
}
