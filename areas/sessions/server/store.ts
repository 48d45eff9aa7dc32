import type { Database } from '#core/server/database.ts'

export type SessionRow = {
  tenant_id: string
  id: string
  secret_hash: string
  user_id: string
  stage: 'pending' | 'open'
  working_tenant_id: string
  created_at: Date
  expires_at: Date
  address: string
  user_agent: string
}

export type SessionTables = {
  sessions: SessionRow
  code_secrets: { tenant_id: string; user_id: string; secret: Buffer; confirmed: boolean; last_step: number; offered: Buffer | null }
  recovery_codes: { tenant_id: string; user_id: string; code_hash: string; offered: boolean }
  api_tokens: {
    tenant_id: string
    id: string
    user_id: string
    name: string
    secret_hash: string
    scopes: string[]
    created_at: Date
    expires_at: Date
    last_used_at: Date | null
  }
}

export const tables = (db: Database) => db.withTables<SessionTables>()

/** Sessions and tokens: nothing that was given out opens anything any more, but the session that is kept. */
export async function endAccessOf(db: Database, tenantId: string, userId: string, keptSessionId?: string): Promise<void> {
  let sessions = tables(db).deleteFrom('sessions').where('tenant_id', '=', tenantId).where('user_id', '=', userId)
  if (keptSessionId !== undefined) sessions = sessions.where('id', '!=', keptSessionId)
  await sessions.execute()
  await tables(db).deleteFrom('api_tokens').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}
