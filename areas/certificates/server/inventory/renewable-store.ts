// Certificates as far as their renewal goes.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { rowMadeByProtocol, tables, type CertificateRecord } from '../store.ts'
import { askedForDevices } from './own-store.ts'

const columns = [
  'id',
  'ca_id',
  'ca_name',
  'serial_hex',
  'request_id',
  'template_id',
  'template_name',
  'entity',
  'name',
  'subject',
  'sans',
  'holder_user_id',
  'holder',
  'requester_id',
  'requester',
  'renewal_mode',
  'not_before',
  'not_after',
  'issued_at',
  'revoked_at',
  'revocation_reason',
  'renewed_by',
  'replaced_at',
] as const satisfies readonly (keyof CertificateRecord)[]

export type Renewable = Pick<CertificateRecord, (typeof columns)[number]>

/**
 * Valid certificates of ours that end by `until` and have none in their place, those that end first before the others; from where the last page ended.
 * Without those that a protocol asked for: its client renews them, and proves the names anew.
 */
export function renewableBy(
  db: Database,
  tenantId: string,
  { now, until, after, most }: { now: Date; until: Date; after: { notAfter: Date; id: string } | undefined; most: number },
): Promise<Renewable[]> {
  let query = tables(db)
    .selectFrom('certificates')
    .select(columns)
    .where('tenant_id', '=', tenantId)
    .where('ca_id', 'is not', null)
    .where('revoked_at', 'is', null)
    .where('renewed_by', 'is', null)
    .where('not_after', '>', now)
    .where('not_after', '<=', until)
    .where(
      sql<boolean>`not exists (select from certificate_requests made where made.tenant_id = ${tenantId} and made.id = certificates.request_id
        and ${rowMadeByProtocol('made')})`,
    )
  if (after !== undefined)
    query = query.where((all) =>
      all.or([all('not_after', '>', after.notAfter), all.and([all('not_after', '=', after.notAfter), all('id', '>', after.id)])]),
    )
  return query.orderBy('not_after').orderBy('id').limit(most).execute()
}

export const findRenewables = async (db: Database, tenantId: string, ids: readonly string[]): Promise<Renewable[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('certificates')
        .select(columns)
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute()

/**
 * A later certificate of the same key, template, names and holder, valid for longer: whoever asked for it did what a renewal would do. One of another key
 * is another certificate, however alike: the nodes of a cluster have the same names. What was renewed with a new key says so itself (`renewed_by`).
 */
export function supersededBy(db: Database, tenantId: string, certificate: Renewable): Promise<Renewable | undefined> {
  const itsKey = sql`(select public_key from certificate_requests where tenant_id = ${tenantId} and id = ${certificate.request_id})`
  return tables(db)
    .selectFrom('certificates')
    .select(columns)
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`request_id in (select id from certificate_requests where tenant_id = ${tenantId} and public_key = ${itsKey})`)
    .where((all) => all(all.fn<string>('lower', ['name']), '=', certificate.name.toLowerCase()))
    .where('template_id', '=', certificate.template_id)
    .where('subject', '=', certificate.subject)
    .where(sql<boolean>`sans = ${certificate.sans}::text[]`)
    .where('holder_user_id', 'is not distinct from', certificate.holder_user_id)
    .where('revoked_at', 'is', null)
    .where('issued_at', '>', certificate.issued_at)
    .where('not_after', '>', certificate.not_after)
    .orderBy('not_after', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Valid certificates that somebody holds, or asked for where a device holds it, that end by `until` and have none in their place; those that end first before the others. */
export function endingOf(
  db: Database,
  tenantId: string,
  userId: string,
  { now, until, most }: { now: Date; until: Date; most: number },
): Promise<Renewable[]> {
  return tables(db)
    .selectFrom('certificates')
    .select(columns)
    .where('tenant_id', '=', tenantId)
    .where((all) =>
      all.or([
        all('holder_user_id', '=', userId),
        all.and([
          all('holder_user_id', 'is', null),
          all('requester_id', '=', userId),
          all('id', 'in', askedForDevices(db, tenantId, userId)),
        ]),
      ]),
    )
    .where('ca_id', 'is not', null)
    .where('revoked_at', 'is', null)
    .where('renewed_by', 'is', null)
    .where('not_after', '>', now)
    .where('not_after', '<=', until)
    .orderBy('not_after')
    .orderBy('id')
    .limit(most)
    .execute()
}
