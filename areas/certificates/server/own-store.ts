// A person's own certificates: those held, and of devices those asked for.

import { sql } from 'kysely'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { CertificateStatus, ownSorts } from '../rules.ts'
import { matchingCertificates, orderOf, rowColumns } from './inventory-store.ts'
import { tables } from './store.ts'

/** Among so many of the requests that somebody made last those of devices are looked for. */
const requestsLookedAt = 1_000

/** The ids of the devices' certificates that somebody asked for last. */
export const askedForDevices = (db: Database, tenantId: string, userId: string) =>
  tables(db).selectFrom('certificate_requests').select('certificate_id').where('tenant_id', '=', tenantId).where('requester_id', '=', userId).where('holder_user_id', 'is', null).orderBy('created_at', 'desc').limit(requestsLookedAt)

export type OwnAsked = { text: string; status: CertificateStatus[]; sort: (typeof ownSorts)[number]; direction: 'asc' | 'desc' }

export async function ownCertificates(db: Database, tenantId: string, userId: string, { text, status, ...order }: OwnAsked, { page, size }: { page: number; size: number }, now: Date) {
  const held = tables(db).selectFrom('certificates').select('id').where('tenant_id', '=', tenantId).where('holder_user_id', '=', userId)
  const asked = tables(db).selectFrom('certificates').select('id').where('tenant_id', '=', tenantId).where('holder_user_id', 'is', null).where('requester_id', '=', userId).where('id', 'in', askedForDevices(db, tenantId, userId))
  let query = matchingCertificates(db, tenantId, { text: '', status }, now).where('certificates.id', 'in', held.union(asked))
  const wanted = text.trim().toLowerCase()
  const digits = wanted.replaceAll(/[\s:]/g, '')
  // These are few, so they are looked through: any part of a name or a serial number finds. No digits at all would be a part of every number.
  const bySerial = digits === '' ? sql<boolean>`false` : sql<boolean>`strpos(serial_hex, ${digits}) > 0`
  if (wanted !== '') query = query.where(sql<boolean>`(strpos(lower(subject), ${wanted}) > 0 or strpos(lower(array_to_string(sans, ' ')), ${wanted}) > 0 or strpos(lower(template_name), ${wanted}) > 0 or ${bySerial})`)
  const { by, direction, ties } = orderOf(order)
  const rows = await query.select([...rowColumns, 'entity', 'request_id', 'renewed_by']).orderBy(by, direction).orderBy('id', ties).limit(size).offset((page - 1) * size).execute()
  const { total } = await db.selectFrom(query.select('certificates.id').limit(countedUpTo + 1).as('own')).select((all) => all.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { rows, total: Math.min(Number(total), countedUpTo), more: Number(total) > countedUpTo }
}
