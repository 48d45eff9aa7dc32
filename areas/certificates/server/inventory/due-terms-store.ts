// Job: gives the certificates that were here before migration 0013 the words that came with it. A few at a time, each in a commit of its own, so that nobody waits
// for it and it goes on where it was interrupted; nothing is left for it to do after that.

import { runStatement } from '#core/server/batch.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { insertRows } from '#core/server/insert-rows.ts'
import type { TakeTurn } from '#core/server/serve.ts'
import { tables, wordColumns } from '../store.ts'
import { laterTerms } from './search-terms.ts'

const batchSize = 500

export const addDueTerms: TakeTurn = async ({ house, tenantId }) => {
  if (await inTenant(house.database, tenantId, (db) => addSome(db, tenantId))) return 'more'
}

/** False where none is left. */
async function addSome(db: Database, tenantId: string): Promise<boolean> {
  const due = await tables(db)
    .selectFrom('certificate_words_due')
    .select('after')
    .where('tenant_id', '=', tenantId)
    .forUpdate()
    .executeTakeFirst()
  if (due === undefined) return false
  const some = await tables(db)
    .selectFrom('certificates')
    .select(['id', 'subject', 'certificate'])
    .where('tenant_id', '=', tenantId)
    .where('id', '>', due.after)
    .orderBy('id')
    .limit(batchSize)
    .execute()
  const last = some.at(-1)
  if (last === undefined) {
    await tables(db).deleteFrom('certificate_words_due').where('tenant_id', '=', tenantId).execute()
    return false
  }
  const words = some.flatMap((certificate) =>
    laterTerms(certificate).map((word) => ({ tenant_id: tenantId, word, certificate_id: certificate.id })),
  )
  await runStatement(db, insertRows('certificate_words', wordColumns, words, 'on conflict do nothing'))
  await tables(db).updateTable('certificate_words_due').set({ after: last.id }).where('tenant_id', '=', tenantId).execute()
  return true
}
