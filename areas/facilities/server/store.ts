// The directory and how its sync goes.

import { sql } from 'kysely'
import type { CardStatus } from '#areas/smartcards/rules.ts'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { SyncState } from '../rules.ts'

export type FacilityRecord = {
  tenant_id: string
  csn: string
  card_id: string
  status: CardStatus
  holder_id: string | null
  holder: string
  location_id: string | null
  written_at: Date
}
export type SyncRecord = {
  tenant_id: string
  state: SyncState
  cursor: string
  added: number
  changed: number
  removed: number
  same: number
  started_at: Date
  ended_at: Date | null
}
type FacilityTables = { facility_cards: FacilityRecord; facility_syncs: SyncRecord }
const tables = (db: Database) => db.withTables<FacilityTables>()

export type FacilityQuestion = {
  page: number
  size: number
  text: string
  sort?: 'csn' | 'writtenAt' | undefined
  direction: 'asc' | 'desc'
  locationId?: string | undefined
}

export function pageOfDirectory({ db, tenantId }: Tenancy, { page, size, text, sort = 'csn', direction, locationId }: FacilityQuestion) {
  const typed = text.trim().toLowerCase()
  let query = tables(db).selectFrom('facility_cards').where('tenant_id', '=', tenantId)
  if (typed !== '') query = query.where(sql<boolean>`(strpos(lower(csn), ${typed}) > 0 or strpos(lower(holder), ${typed}) > 0)`)
  if (locationId !== undefined) query = query.where('location_id', '=', locationId)
  return readPage(query, { page, size }, (all) =>
    all
      .selectAll()
      .orderBy(sort === 'csn' ? 'csn' : 'written_at', direction)
      .orderBy('csn'),
  )
}

/** Those whose number lies behind one, up to another; without an end where it is undefined. */
export const listBetween = ({ db, tenantId }: Tenancy, after: string, until: string | undefined): Promise<FacilityRecord[]> =>
  tables(db)
    .selectFrom('facility_cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`csn collate "C" > ${after}`)
    .$if(until !== undefined, (query) => query.where(sql<boolean>`csn collate "C" <= ${until ?? ''}`))
    .execute()

export const findEntry = ({ db, tenantId }: Tenancy, csn: string): Promise<FacilityRecord | undefined> =>
  tables(db)
    .selectFrom('facility_cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('csn', '=', csn)
    .forUpdate()
    .executeTakeFirst()

/** Writes what the cards say; where a card is used stays. */
export const insertEntries = async (
  { db, tenantId, now }: Tenancy,
  rows: readonly Omit<FacilityRecord, 'tenant_id' | 'location_id' | 'written_at'>[],
): Promise<void> => {
  if (rows.length > 0)
    await tables(db)
      .insertInto('facility_cards')
      .values(rows.map((row) => ({ ...row, tenant_id: tenantId, location_id: null, written_at: now })))
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'csn']).doUpdateSet((all) => ({
          card_id: all.ref('excluded.card_id'),
          status: all.ref('excluded.status'),
          holder_id: all.ref('excluded.holder_id'),
          holder: all.ref('excluded.holder'),
          written_at: now,
        })),
      )
      .execute()
}

export const deleteEntries = async ({ db, tenantId }: Tenancy, csns: readonly string[]): Promise<void> => {
  if (csns.length > 0)
    await tables(db)
      .deleteFrom('facility_cards')
      .where('tenant_id', '=', tenantId)
      .where('csn', '=', sql<string>`any(${[...csns]}::text[])`)
      .execute()
}

/** Takes the name of somebody who is gone out of the directory; the card stays until a sync looks at it. */
export const forgetHolder = async ({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, holderId: string): Promise<void> =>
  void (await tables(db)
    .updateTable('facility_cards')
    .set({ holder_id: null, holder: '' })
    .where('tenant_id', '=', tenantId)
    .where('holder_id', '=', holderId)
    .execute())

export const updateLocation = async ({ db, tenantId }: Tenancy, csn: string, locationId: string | null): Promise<void> =>
  void (await tables(db)
    .updateTable('facility_cards')
    .set({ location_id: locationId })
    .where('tenant_id', '=', tenantId)
    .where('csn', '=', csn)
    .execute())

/** Locked until the commit. */
export const lockSync = ({ db, tenantId }: Tenancy): Promise<SyncRecord | undefined> =>
  tables(db).selectFrom('facility_syncs').selectAll().where('tenant_id', '=', tenantId).forUpdate().executeTakeFirst()

/** Begins anew, with nothing counted. */
export const insertSync = async ({ db, tenantId, now }: Tenancy): Promise<void> => {
  const begun = { state: 'running' as const, cursor: '', added: 0, changed: 0, removed: 0, same: 0, started_at: now, ended_at: null }
  await tables(db)
    .insertInto('facility_syncs')
    .values({ tenant_id: tenantId, ...begun })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(begun))
    .execute()
}

export const updateSync = async ({ db, tenantId }: Tenancy, values: Partial<Omit<SyncRecord, 'tenant_id'>>): Promise<void> =>
  void (await tables(db).updateTable('facility_syncs').set(values).where('tenant_id', '=', tenantId).execute())
