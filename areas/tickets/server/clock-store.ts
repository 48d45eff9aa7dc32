// What happened to the clocks of tickets, the due times that follow, and the settings that clocks are started by.

import { findTenancy } from '#areas/tenancy/service.ts'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { duesOf, type ClockEvent, type Dues, type Policy } from '../clock.ts'
import { policyOf, usualSettings, type DeskSettings } from '../desk-settings.ts'
import type { Priority } from '../rules.ts'

type ClockTables = {
  ticket_clock: { tenant_id: string; ticket_id: number; position: number; at: Date; kind: ClockEvent['kind']; policy: string }
  ticket_settings: { tenant_id: string; content: string; version: number }
  tickets: { tenant_id: string; ticket_id: number; response_due: Date | null; resolution_due: Date | null }
}

const tables = (db: Database) => db.withTables<ClockTables>()

export async function findSettings({ db, tenantId }: Tenancy): Promise<{ settings: DeskSettings; version: number }> {
  const row = await tables(db).selectFrom('ticket_settings').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
  // Written by this room alone, in the shape of its contract.
  return row === undefined
    ? { settings: usualSettings, version: 0 }
    : { settings: JSON.parse(row.content) as DeskSettings, version: row.version }
}

/** Undefined where somebody has changed them since this version. */
export async function saveSettings({ db, tenantId }: Tenancy, settings: DeskSettings, version: number): Promise<number | undefined> {
  const content = JSON.stringify(settings)
  const row = await tables(db)
    .insertInto('ticket_settings')
    .values({ tenant_id: tenantId, content, version: version + 1 })
    .onConflict((conflict) =>
      conflict
        .column('tenant_id')
        .doUpdateSet({ content, version: version + 1 })
        .where('ticket_settings.version', '=', version),
    )
    .returning('version')
    .executeTakeFirst()
  return row?.version
}

export async function listClock({ db, tenantId }: Tenancy, ticketId: number): Promise<ClockEvent[]> {
  const rows = await tables(db)
    .selectFrom('ticket_clock')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('ticket_id', '=', ticketId)
    .orderBy('position')
    .execute()
  return rows.map(({ at, kind, policy }) => ({ at, kind, ...(policy === '' ? {} : { policy: JSON.parse(policy) as Policy }) }))
}

/** Notes what happened to the clock of a ticket whose row is locked, and when it is due after that. */
export async function noteClock(
  tenancy: Tenancy,
  ticketId: number,
  kind: ClockEvent['kind'],
  /** Of `start` and `policy`: by the settings of now. */
  priority?: Priority,
): Promise<void> {
  const { db, tenantId, now } = tenancy
  const before = await listClock(tenancy, ticketId)
  const policy = priority === undefined ? undefined : await policyNow(tenancy, priority)
  const events: ClockEvent[] = [...before, { at: now, kind, ...(policy === undefined ? {} : { policy }) }]
  await tables(db)
    .insertInto('ticket_clock')
    .values({
      tenant_id: tenantId,
      ticket_id: ticketId,
      position: before.length,
      at: now,
      kind,
      policy: policy === undefined ? '' : JSON.stringify(policy),
    })
    .execute()
  await saveDues(tenancy, ticketId, duesOf(events))
}

const policyNow = async (tenancy: Tenancy, priority: Priority): Promise<Policy> => {
  const zone = (await findTenancy(tenancy.db, tenancy.tenantId))?.timeZone ?? 'UTC'
  return policyOf((await findSettings(tenancy)).settings, priority, zone)
}

const saveDues = async ({ db, tenantId }: Tenancy, ticketId: number, { response, resolution }: Dues): Promise<void> =>
  void (await tables(db)
    .updateTable('tickets')
    .set({ response_due: response ?? null, resolution_due: resolution ?? null })
    .where('tenant_id', '=', tenantId)
    .where('ticket_id', '=', ticketId)
    .execute())
