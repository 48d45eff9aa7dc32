// The tables of places, of cards in stock and of counts, and every question that is asked of them.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { StockState } from '../rules.ts'

export type PlaceRecord = { tenant_id: string; id: string; name: string; custodian_id: string | null }
export type CardRecord = {
  tenant_id: string
  serial: string
  prefix: string
  number: number
  digits: number
  place_id: string
  state: StockState
  changed_at: Date
}
export type CountRecord = {
  tenant_id: string
  id: string
  place_id: string
  place_name: string
  by_name: string
  at: Date
  expected: number
  found: number
  missing: number
  surplus: number
}

type StockTables = { stock_places: PlaceRecord; stock_cards: CardRecord; stock_counts: CountRecord }

const tables = (db: Database) => db.withTables<StockTables>()
const anyOf = <T extends string>(texts: readonly T[]) => sql<T>`any(${[...texts]}::text[])`

export const listPlaces = ({ db, tenantId }: Tenancy): Promise<PlaceRecord[]> =>
  tables(db)
    .selectFrom('stock_places')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy(sql`lower(name)`)
    .execute()

export const findPlace = ({ db, tenantId }: Tenancy, id: string): Promise<PlaceRecord | undefined> =>
  tables(db).selectFrom('stock_places').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** Holds the place until the commit, so that nobody removes it meanwhile. */
export const lockPlace = ({ db, tenantId }: Tenancy, id: string): Promise<PlaceRecord | undefined> =>
  tables(db).selectFrom('stock_places').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

/** Throws where the name is taken: the constraint `stock_places_by_name`. */
export const insertPlace = async ({ db, tenantId }: Tenancy, row: Omit<PlaceRecord, 'tenant_id'>): Promise<void> =>
  void (await tables(db)
    .insertInto('stock_places')
    .values({ tenant_id: tenantId, ...row })
    .execute())

/** Throws where the name is taken: the constraint `stock_places_by_name`. */
export const updatePlace = async ({ db, tenantId }: Tenancy, { id, ...change }: Omit<PlaceRecord, 'tenant_id'>): Promise<void> =>
  void (await tables(db).updateTable('stock_places').set(change).where('tenant_id', '=', tenantId).where('id', '=', id).execute())

export const deletePlace = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('stock_places').where('tenant_id', '=', tenantId).where('id', '=', id).execute())

export const releaseCustodian = async ({ db, tenantId }: Omit<Tenancy, 'now'>, userId: string): Promise<void> =>
  void (await tables(db)
    .updateTable('stock_places')
    .set({ custodian_id: null })
    .where('tenant_id', '=', tenantId)
    .where('custodian_id', '=', userId)
    .execute())

export const countByPlace = ({ db, tenantId }: Tenancy): Promise<{ place_id: string; state: StockState; count: number }[]> =>
  tables(db)
    .selectFrom('stock_cards')
    .select((all) => ['place_id', 'state', all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .groupBy(['place_id', 'state'])
    .execute()

/** False where none names the place. */
export const isInUse = async ({ db, tenantId }: Tenancy, placeId: string): Promise<boolean> =>
  (await tables(db)
    .selectFrom('stock_cards')
    .select('serial')
    .where('tenant_id', '=', tenantId)
    .where('place_id', '=', placeId)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Those of these that are in stock, in the order of their numbers, held until the commit. */
export const lockCards = ({ db, tenantId }: Tenancy, serials: readonly string[]): Promise<CardRecord[]> =>
  tables(db)
    .selectFrom('stock_cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('serial', '=', anyOf(serials))
    .orderBy('serial')
    .forUpdate()
    .execute()

export const deleteCards = async ({ db, tenantId }: Tenancy, serials: readonly string[]): Promise<void> =>
  void (await tables(db).deleteFrom('stock_cards').where('tenant_id', '=', tenantId).where('serial', '=', anyOf(serials)).execute())

export const findCards = ({ db, tenantId }: Tenancy, serials: readonly string[]): Promise<CardRecord[]> =>
  tables(db).selectFrom('stock_cards').selectAll().where('tenant_id', '=', tenantId).where('serial', '=', anyOf(serials)).execute()

export const listLying = ({ db, tenantId }: Tenancy, placeId: string, states: readonly StockState[]): Promise<{ serial: string }[]> =>
  tables(db)
    .selectFrom('stock_cards')
    .select('serial')
    .where('tenant_id', '=', tenantId)
    .where('place_id', '=', placeId)
    .where('state', '=', anyOf(states))
    .orderBy('prefix')
    .orderBy('digits')
    .orderBy('number')
    .execute()

/** Answers how many are new: whoever took the others in came first. */
export async function insertCards(
  { db, tenantId, now }: Tenancy,
  placeId: string,
  cards: readonly Pick<CardRecord, 'serial' | 'prefix' | 'number' | 'digits'>[],
): Promise<number> {
  let added = 0
  for (let at = 0; at < cards.length; at += 2_000) {
    const rows = await tables(db)
      .insertInto('stock_cards')
      .values(
        cards.slice(at, at + 2_000).map(({ serial, prefix, number, digits }) => ({
          tenant_id: tenantId,
          serial,
          prefix,
          number,
          digits,
          place_id: placeId,
          state: 'blank' as const,
          changed_at: now,
        })),
      )
      .onConflict((conflict) => conflict.columns(['tenant_id', 'serial']).doNothing())
      .returning('serial')
      .execute()
    added += rows.length
  }
  return added
}

export const updateCards = async (
  { db, tenantId, now }: Tenancy,
  serials: readonly string[],
  change: Partial<Pick<CardRecord, 'place_id' | 'state'>>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('stock_cards')
    .set({ ...change, changed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('serial', '=', anyOf(serials))
    .execute())

type Question = { page: number; size: number; text: string; placeId?: string | undefined; state?: StockState | undefined }
export type RangeRecord = { first: string; last: string; count: number; state: StockState; place_id: string; changed_at: Date }

/** Numbers that follow one another, of one place and state, are one range: the number less its row number is the same for all of them. */
export async function pageOfRanges({ db, tenantId }: Tenancy, question: Question): Promise<{ rows: RangeRecord[]; total: number }> {
  const { text, placeId, state } = question
  const ranges = tables(db)
    .selectFrom(
      tables(db)
        .selectFrom('stock_cards')
        .select(['serial', 'prefix', 'number', 'digits', 'place_id', 'state', 'changed_at'])
        .select(sql<number>`number - row_number() over (partition by place_id, state, prefix, digits order by number)`.as('island'))
        .where('tenant_id', '=', tenantId)
        .$if(placeId !== undefined, (query) => query.where('place_id', '=', placeId ?? ''))
        .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'blank'))
        .as('cards'),
    )
    .groupBy(['place_id', 'state', 'prefix', 'digits', 'island'])
    .select((all) => [
      'place_id',
      'state',
      'prefix',
      all.fn.min<string>('serial').as('first'),
      all.fn.max<string>('serial').as('last'),
      all.fn.countAll<number>().as('count'),
      all.fn.max<Date>('changed_at').as('changed_at'),
    ])
    // A range is found by each of its numbers.
    .$if(text.trim() !== '', (query) => query.having(sql<boolean>`bool_or(strpos(lower(serial), ${text.trim().toLowerCase()}) > 0)`))
    .as('ranges')
  return readPage(tables(db).selectFrom(ranges), question, (all) =>
    all.select(['first', 'last', 'count', 'state', 'place_id', 'changed_at']).orderBy('prefix').orderBy('first').orderBy('state'),
  ) as Promise<{ rows: RangeRecord[]; total: number }>
}

export const insertCount = async ({ db, tenantId, now }: Tenancy, row: Omit<CountRecord, 'tenant_id' | 'at'>): Promise<void> =>
  void (await tables(db)
    .insertInto('stock_counts')
    .values({ tenant_id: tenantId, ...row, at: now })
    .execute())

export const pageOfCounts = (
  { db, tenantId }: Tenancy,
  question: { page: number; size: number },
): Promise<{ rows: CountRecord[]; total: number }> =>
  readPage(tables(db).selectFrom('stock_counts').where('tenant_id', '=', tenantId), question, (all) =>
    all.selectAll().orderBy('at', 'desc').orderBy('id'),
  )

export const lastCounts = ({ db, tenantId }: Tenancy): Promise<{ place_id: string; at: Date }[]> =>
  tables(db)
    .selectFrom('stock_counts')
    .select((all) => ['place_id', all.fn.max<Date>('at').as('at')])
    .where('tenant_id', '=', tenantId)
    .groupBy('place_id')
    .execute()
