// Who of those who handle tickets looks at one now, or writes in it. In the database, because a person's calls may reach several servers.

import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type PresenceRecord = { tenant_id: string; ticket_id: number; user_id: string; name: string; writing: boolean; seen_at: Date }

const tables = (db: Database) => db.withTables<{ ticket_presence: PresenceRecord }>()

export async function notePresence({ db, tenantId, now }: Tenancy, row: Omit<PresenceRecord, 'tenant_id' | 'seen_at'>): Promise<void> {
  const { name, writing } = row
  await tables(db)
    .insertInto('ticket_presence')
    .values({ tenant_id: tenantId, ...row, seen_at: now })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'ticket_id', 'user_id']).doUpdateSet({ name, writing, seen_at: now }))
    .execute()
}

export const listPresent = ({ db, tenantId }: Tenancy, ticketId: number, since: Date): Promise<PresenceRecord[]> =>
  tables(db)
    .selectFrom('ticket_presence')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('ticket_id', '=', ticketId)
    .where('seen_at', '>', since)
    .orderBy('name')
    .limit(20)
    .execute()

export const deletePresence = async ({ db, tenantId }: Tenancy, before: Date): Promise<void> =>
  void (await tables(db).deleteFrom('ticket_presence').where('tenant_id', '=', tenantId).where('seen_at', '<', before).execute())
