// How each person reads what is written to them: their language, and how days and times are written.

import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { languages, type Language, type Reader } from '#core/server/texts.ts'
import { findSettings } from './store.ts'

type ReaderTables = { readers: { tenant_id: string; user_id: string; language: string; date_locale: string; time_zone: string } }
const tables = (db: Database) => db.withTables<ReaderTables>()

/** Each is empty where the person has chosen none. */
export type ReaderChoice = { language: string; dateLocale: string; timeZone: string }

const languageOf = (name: string): Language | undefined => languages.find((one) => one === name)

export async function findReader({ db, tenantId }: Tenancy, userId: string): Promise<ReaderChoice> {
  const row = await tables(db)
    .selectFrom('readers')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return { language: row?.language ?? '', dateLocale: row?.date_locale ?? '', timeZone: row?.time_zone ?? '' }
}

export async function keepReader(tenancy: Tenancy, userId: string, change: Partial<ReaderChoice>): Promise<void> {
  const { language, dateLocale, timeZone } = { ...(await findReader(tenancy, userId)), ...change }
  const columns = { language, date_locale: dateLocale, time_zone: timeZone }
  await tables(tenancy.db)
    .insertInto('readers')
    .values({ tenant_id: tenancy.tenantId, user_id: userId, ...columns })
    .onConflict((met) => met.columns(['tenant_id', 'user_id']).doUpdateSet(columns))
    .execute()
}

export const deleteReader = async ({ db, tenantId }: Tenancy, userId: string): Promise<void> =>
  void (await tables(db).deleteFrom('readers').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute())

/** How mail to a person is written. Who has no account here, and who has chosen no language, reads that of the tenancy's mail. */
export async function readerOf(tenancy: Tenancy, userId: string | undefined): Promise<Reader> {
  const chosen = userId === undefined ? { language: '', dateLocale: '', timeZone: '' } : await findReader(tenancy, userId)
  const language = languageOf(chosen.language) ?? languageOf((await findSettings(tenancy)).language) ?? 'en-GB'
  return { ...chosen, language }
}
