import type { Database } from '#core/server/database.ts'
import type { TenancyKind } from '../rules.ts'

export type TenancyTables = {
  tenancies: {
    id: string
    name: string
    kind: TenancyKind
    managed_by: string | null
    banner_colour: string
    support_email: string
    disclaimer: string
    toast_timeout: string
    time_zone: string
    created_at: Date
  }
  public_addresses: { id: string; tenant_id: string; kind: string; target: string }
}

export const tables = (db: Database) => db.withTables<TenancyTables>()
