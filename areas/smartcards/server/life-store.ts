// Whose cards are, which stand for others, how many are in which state, and for how long temporary ones last.

import { sql } from 'kysely'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { CardStatus } from '../rules.ts'
import { tables, type CardRecord, type SettingsRecord } from './store.ts'

/** The temporary cards that stand for a card, assigned or in use. */
export const listReplacing = ({ db, tenantId }: Tenancy, cardId: string): Promise<CardRecord[]> =>
  tables(db)
    .selectFrom('cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('replaces_id', '=', cardId)
    .where('status', 'in', ['ASSIGNED', 'ISSUED', 'SUSPENDED', 'UNKNOWN'])
    .orderBy('added_at')
    .execute()

/** The cards that are being issued to stand for a card, also where that has stopped. */
export const listBecoming = ({ db, tenantId }: Tenancy, cardId: string): Promise<CardRecord[]> =>
  tables(db)
    .selectFrom('cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', (among) =>
      among
        .selectFrom('card_operations')
        .select('card_id')
        .where('tenant_id', '=', tenantId)
        .where('kind', '=', 'issue')
        .where('state', 'in', ['running', 'waiting', 'failed'])
        .where(sql<string>`plan ->> 'replacesId'`, '=', cardId),
    )
    .orderBy('added_at')
    .execute()

export const listOfHolder = ({ db, tenantId }: Tenancy, userId: string): Promise<CardRecord[]> =>
  tables(db)
    .selectFrom('cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('holder_id', '=', userId)
    .where('status', 'in', ['ASSIGNED', 'ISSUED', 'SUSPENDED', 'LOST', 'REVOKED', 'UNKNOWN'])
    .orderBy('added_at', 'desc')
    .orderBy('id')
    .execute()

/** Temporary cards whose time is over. `after`: the last of those that were read before. */
export const listOverTemporary = ({ db, tenantId, now }: Tenancy, after: string | undefined, most: number): Promise<CardRecord[]> =>
  tables(db)
    .selectFrom('cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('temporary', '=', true)
    .where('status', 'in', ['ISSUED', 'SUSPENDED', 'UNKNOWN'])
    .where('expires_at', '<', now)
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(most)
    .execute()

export const countByStatus = ({ db, tenantId }: Tenancy): Promise<{ status: CardStatus; cards: number }[]> =>
  tables(db)
    .selectFrom('cards')
    .where('tenant_id', '=', tenantId)
    .groupBy('status')
    .select((all) => ['status', all.fn.countAll<number>().as('cards')])
    .execute()

/** Of those that are issued: how many end before each of the two moments, and how many are temporary. */
export const countEnds = ({ db, tenantId, now }: Tenancy, soon: Date) =>
  tables(db)
    .selectFrom('cards')
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'ISSUED')
    .select((all) => [
      all.fn.countAll<number>().filterWhere('expires_at', '<', now).as('over'),
      all.fn.countAll<number>().filterWhere('expires_at', '>=', now).filterWhere('expires_at', '<', soon).as('expiring'),
      all.fn.countAll<number>().filterWhere('temporary', '=', true).as('temporary'),
    ])
    .executeTakeFirstOrThrow()

export const countByFirmware = ({ db, tenantId }: Tenancy): Promise<{ firmware: string; cards: number }[]> =>
  tables(db)
    .selectFrom('cards')
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', 'yubico')
    .where('status', 'not in', ['UNREGISTERED', 'DESTROYED'])
    .groupBy('firmware')
    .select((all) => ['firmware', all.fn.countAll<number>().as('cards')])
    .execute()

export const findSettings = ({ db, tenantId }: Tenancy): Promise<SettingsRecord | undefined> =>
  tables(db).selectFrom('card_settings').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()

export const putSettings = async (
  { db, tenantId, now }: Tenancy,
  row: Pick<SettingsRecord, 'temporary_days' | 'unlimited_is_default'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('card_settings')
    .values({ tenant_id: tenantId, ...row, changed_at: now })
    .onConflict((conflict) => conflict.columns(['tenant_id']).doUpdateSet({ ...row, changed_at: now }))
    .execute())
