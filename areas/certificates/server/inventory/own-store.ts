// A person's own certificates: those held, and of devices those asked for.

import { sql, type RawBuilder } from 'kysely'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import { joinedDigits } from '#core/server/search-terms.ts'
import { readPastedName } from '#standards/x509/pasted-name.ts'
import type { CertificateStatus, ownSorts } from '../../rules.ts'
import { tables } from '../store.ts'
import { isSha1Of } from './found-store.ts'
import { matchingCertificates, orderOf, rowColumns } from './inventory-store.ts'

/** Among so many of the requests that somebody made last those of devices are looked for. */
const requestsSearched = 1_000

/**
 * The ids of the devices' certificates that somebody asked for last, and of those that have taken their place since: whoever renewed them, they may have
 * stayed with the one who asked first.
 */
export function askedForDevices(db: Database, tenantId: string, userId: string): RawBuilder<string> {
  const asked = tables(db)
    .selectFrom('certificate_requests')
    .select('certificate_id as id')
    .where('tenant_id', '=', tenantId)
    .where('requester_id', '=', userId)
    .where('holder_user_id', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(requestsSearched)
  return sql<string>`(with recursive kept (id) as (
    select id from ${asked} as asked where id is not null
    union select before.renewed_by from kept
      join certificates as before on before.tenant_id = ${tenantId} and before.id = kept.id where before.renewed_by is not null
  ) select id from kept)`
}

export type OwnAsked = { text: string; status: CertificateStatus[]; sort: (typeof ownSorts)[number]; direction: 'asc' | 'desc' }

export async function ownCertificates(
  db: Database,
  tenantId: string,
  userId: string,
  { text, status, ...order }: OwnAsked,
  { page, size }: { page: number; size: number },
  now: Date,
) {
  const held = tables(db).selectFrom('certificates').select('id').where('tenant_id', '=', tenantId).where('holder_user_id', '=', userId)
  const asked = tables(db)
    .selectFrom('certificates')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('holder_user_id', 'is', null)
    .where('requester_id', '=', userId)
    .where('id', 'in', askedForDevices(db, tenantId, userId))
  let query = matchingCertificates(db, tenantId, { text: '', status }, now).where('certificates.id', 'in', held.union(asked))
  for (const found of isOwnFoundBy(tenantId, text)) query = query.where(found)
  const { by, direction, ties } = orderOf(order)
  const rows = await query
    .select([...rowColumns, 'entity', 'request_id'])
    .orderBy(by, direction)
    .orderBy('id', ties)
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  const { total } = await db
    .selectFrom(
      query
        .select('certificates.id')
        .limit(countedUpTo + 1)
        .as('own'),
    )
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total: Math.min(Number(total), countedUpTo), more: Number(total) > countedUpTo }
}

/** These are few, so they are looked through: any part of a name or a serial number finds, each attribute of a pasted subject, and a fingerprint. */
function isOwnFoundBy(tenantId: string, text: string): RawBuilder<boolean>[] {
  const { attributes, rest } = readPastedName(text)
  const inSubject = attributes
    .filter(({ value }) => value !== '')
    .map(({ keyword, value }) => sql<boolean>`strpos(replace(lower(subject), '\\', ''), ${`${keyword}=${value}`.toLowerCase()}) > 0`)
  const wanted = rest.trim().toLowerCase()
  if (wanted === '') return inSubject
  const inTexts = sql`strpos(lower(subject), ${wanted}) > 0 or strpos(lower(array_to_string(sans, ' ')), ${wanted}) > 0 or strpos(lower(template_name), ${wanted}) > 0`
  const digits = joinedDigits(wanted).replaceAll(/[\s:]/g, '')
  // No digits at all would be a part of every number.
  const inNumbers =
    digits === ''
      ? sql`false`
      : sql`strpos(serial_hex, ${digits}) > 0 or strpos(fingerprint_sha256, ${digits}) = 1 or ${isSha1Of(tenantId, digits)}`
  return [...inSubject, sql<boolean>`(${inTexts} or ${inNumbers})`]
}
