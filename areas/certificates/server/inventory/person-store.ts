// What a person holds: the serial numbers for the viewer object, and what keeps the account from being deleted.

import { mostSerials } from '#areas/sessions/rules.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import type { Database } from '#core/server/database.ts'
import type { Dependants } from '#core/server/slots.ts'
import { openRequestsOf } from '../requests/request-store.ts'
import { tables } from '../store.ts'

const validOf = (db: Database, tenantId: string, userId: string, now: Date) =>
  tables(db)
    .selectFrom('certificates')
    .where('tenant_id', '=', tenantId)
    .where('holder_user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('not_after', '>', now)

/** The newest first. */
export const findHeldSerials = async (db: Database, tenantId: string, userId: string, now: Date): Promise<string[]> =>
  (await validOf(db, tenantId, userId, now).select('serial_hex').orderBy('id', 'desc').limit(mostSerials).execute()).map(
    ({ serial_hex: serial }) => serial,
  )

/** Certificates that hold and requests that are open. What has ended names the person by itself. */
export const countDependants: Dependants['count'] = async (db, tenantId, userId, now) => {
  const { certificates } = await validOf(db, tenantId, userId, now)
    .select((all) => all.fn.countAll<number>().as('certificates'))
    .executeTakeFirstOrThrow()
  return [
    { kind: 'valid certificates', count: certificates, path: to(searchScreen, { searchType: 'certificate' }) },
    {
      kind: 'open requests',
      count: (await openRequestsOf(db, tenantId, userId)).length,
      path: to(searchScreen, { searchType: 'certificate' }),
    },
  ]
}
