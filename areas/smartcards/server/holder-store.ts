// Who has cards of a template.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { CardRecord } from './store.ts'

type HolderTables = { cards: CardRecord }

const tables = (db: Database) => db.withTables<HolderTables>()

/** Of these people those who have a card of the template that is issued or assigned to them. */
export const holdersOfKind = async ({ db, tenantId }: Tenancy, cardTemplateId: string, userIds: readonly string[]): Promise<Set<string>> =>
  new Set(
    (
      await tables(db)
        .selectFrom('cards')
        .select('holder_id')
        .where('tenant_id', '=', tenantId)
        .where('card_template_id', '=', cardTemplateId)
        .where('status', 'in', ['ISSUED', 'ASSIGNED', 'SUSPENDED'])
        .where('holder_id', '=', sql<string>`any(${[...userIds]}::uuid[])`)
        .execute()
    ).flatMap(({ holder_id: id }) => id ?? []),
  )

/** The template by which a card was issued; undefined where it has none. */
export const cardKindOf = async ({ db, tenantId }: Tenancy, cardId: string): Promise<string | undefined> =>
  (
    await tables(db)
      .selectFrom('cards')
      .select('card_template_id')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', cardId)
      .executeTakeFirst()
  )?.card_template_id ?? undefined
