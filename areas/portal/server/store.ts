import type { Database } from '#core/server/database.ts'

type PortalTables = {
  portals: { tenant_id: string; code: string; made_at: Date; made_by: string }
  portal_sessions: { tenant_id: string; secret_hash: string; code: string; expires_at: Date }
  portal_requests: { tenant_id: string; request_id: string; secret_hash: string; made_at: Date }
}
export type PortalRecord = PortalTables['portals']

const tables = (db: Database) => db.withTables<PortalTables>()

export const findPortal = (db: Database, tenantId: string): Promise<PortalRecord | undefined> =>
  tables(db).selectFrom('portals').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()

export async function putPortal(db: Database, record: PortalRecord): Promise<void> {
  const { tenant_id: _, ...rest } = record
  await tables(db)
    .insertInto('portals')
    .values(record)
    .onConflict((met) => met.column('tenant_id').doUpdateSet(rest))
    .execute()
}

/** True where there was one. Its sessions end with it. */
export async function deletePortal(db: Database, tenantId: string): Promise<boolean> {
  await tables(db).deleteFrom('portal_sessions').where('tenant_id', '=', tenantId).execute()
  return (await tables(db).deleteFrom('portals').where('tenant_id', '=', tenantId).returning('code').executeTakeFirst()) !== undefined
}

export async function insertSession(db: Database, session: PortalTables['portal_sessions'], now: Date): Promise<void> {
  await tables(db).deleteFrom('portal_sessions').where('tenant_id', '=', session.tenant_id).where('expires_at', '<=', now).execute()
  await tables(db).insertInto('portal_sessions').values(session).execute()
}

export const isOpenSession = async (db: Database, tenantId: string, hash: string, now: Date): Promise<boolean> =>
  (await findSessionEnd(db, tenantId, hash, now)) !== undefined

/** Finds when this session ends where it is open: not past its end, and opened by the code that holds now. */
export async function findSessionEnd(db: Database, tenantId: string, hash: string, now: Date): Promise<Date | undefined> {
  const row = await tables(db)
    .selectFrom('portal_sessions')
    .innerJoin('portals', (join) =>
      join.onRef('portals.tenant_id', '=', 'portal_sessions.tenant_id').onRef('portals.code', '=', 'portal_sessions.code'),
    )
    .select('portal_sessions.expires_at')
    .where('portal_sessions.tenant_id', '=', tenantId)
    .where('portal_sessions.secret_hash', '=', hash)
    .where('portal_sessions.expires_at', '>', now)
    .executeTakeFirst()
  return row?.expires_at
}

export async function insertReceipt(db: Database, receipt: PortalTables['portal_requests']): Promise<void> {
  await tables(db).insertInto('portal_requests').values(receipt).execute()
}

export async function isReceipt(db: Database, tenantId: string, requestId: string, hash: string): Promise<boolean> {
  const row = await tables(db)
    .selectFrom('portal_requests')
    .select('made_at')
    .where('tenant_id', '=', tenantId)
    .where('request_id', '=', requestId)
    .where('secret_hash', '=', hash)
    .executeTakeFirst()
  return row !== undefined
}
