// Serials that are reserved and not signed yet.

import type { Database } from '#core/server/database.ts'
import { tables, type SerialRow } from './store.ts'

const reserved = (db: Database, tenantId: string) => tables(db).selectFrom('serials').selectAll().where('tenant_id', '=', tenantId).where('state', '=', 'reserved')

/** The oldest first. */
export const reservedBefore = (db: Database, tenantId: string, olderThan: Date): Promise<SerialRow[]> => reserved(db, tenantId).where('reserved_at', '<', olderThan).orderBy('reserved_at').limit(1_000).execute()

export const reservedAbout = (db: Database, tenantId: string, aboutId: string): Promise<SerialRow | undefined> => reserved(db, tenantId).where('about_id', '=', aboutId).executeTakeFirst()
