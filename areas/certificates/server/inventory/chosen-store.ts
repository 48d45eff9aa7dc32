// Selects the certificates that a person chose in the inventory for bulk work, and counts what the work would meet.

import { sql, type RawBuilder } from 'kysely'
import { within, type Selected, type Target } from '#areas/bulk/service.ts'
import type { Entity } from '#areas/templates/rules.ts'
import type { Database } from '#core/server/database.ts'
import { holdReason } from '#standards/crl/reasons.ts'
import { listed, matchingCertificates, type InventoryFilter, type Listed } from './inventory-store.ts'

/** Selects all that match the filter without the excluded ones, or those with the chosen ids whatever the filter says. `only` limits them to one person's: asked for or held by that person (`theirs`), or in that person's care (`keeper`, rules.ts). */
export const selectCertificates = (
  db: Database,
  tenantId: string,
  filter: InventoryFilter,
  selected: Selected,
  now: Date,
  only?: { of: string; as: 'theirs' | 'keeper' },
): RawBuilder<Target> =>
  sql<Target>`${matchingCertificates(db, tenantId, 'ids' in selected ? { text: '' } : filter, now)
    .$if(only?.as === 'theirs', (query) =>
      query.where(sql<boolean>`${only?.of}::uuid in (certificates.requester_id, certificates.holder_user_id)`),
    )
    .$if(only?.as === 'keeper', (query) =>
      query.where(sql<boolean>`${only?.of}::uuid = coalesce(certificates.holder_user_id, certificates.requester_id)`),
    )
    .select((all) => [
      'certificates.id',
      sql<string>`coalesce(nullif(${all.ref('certificates.name')}, ''), ${all.ref('certificates.subject')})`.as('label'),
      sql<number>`0`.as('version'),
    ])
    .where(within(sql.ref('certificates.id'), selected))}`

/** Lists the same in the order of ids, after one of them, so that an export can continue where it stopped. */
export const chosenBatch = (
  db: Database,
  tenantId: string,
  filter: InventoryFilter,
  selected: Selected,
  after: string | undefined,
  size: number,
  now: Date,
): Promise<Listed[]> => {
  const query = matchingCertificates(db, tenantId, 'ids' in selected ? { text: '' } : filter, now)
    .select(listed)
    .where(within(sql.ref('certificates.id'), selected))
  return (after === undefined ? query : query.where('certificates.id', '>', after)).orderBy('certificates.id').limit(size).execute()
}

/** `held` counts those on hold, which are on the revocation list already. */
export type ToRevoke = { caId: string; caName: string; templateName: string; approvers: number; count: number; held: number }

const isHeld = sql<boolean>`revoked_at is not null and revocation_reason = ${holdReason}`
/** A hold becomes a revocation. */
const isTakenUp = sql<boolean>`(revoked_at is null or ${isHeld}) and ca_id is not null`

const noCounts = { matched: 0, already: 0, held: 0, foreign: 0, expired: 0, cutOff: 0, holders: 0, approval: 0 }
type ToRevokeCounts = typeof noCounts

/** Counts what a revocation of these rows would meet. One row may count in several figures. `already` counts those revoked for good. */
async function countToRevoke(db: Database, rows: RawBuilder<unknown>, now: Date): Promise<ToRevokeCounts> {
  const isLost = sql<boolean>`revoked_at is null and ca_id is not null and not_after >= ${now}`
  const { rows: counted } = await sql<ToRevokeCounts>`
    select
      count(*) as matched,
      count(*) filter (where revoked_at is not null and not (${isHeld})) as already,
      count(*) filter (where ${isHeld}) as held,
      count(*) filter (where revoked_at is null and ca_id is null) as foreign,
      count(*) filter (where revoked_at is null and ca_id is not null and not_after < ${now}) as expired,
      count(*) filter (where ${isLost}) as "cutOff",
      count(distinct coalesce(holder_user_id::text, nullif(device_name, ''), nullif(email, ''), id::text)) filter (where ${isLost}) as holders,
      count(*) filter (where ${isTakenUp} and revocation_approvers > 0) as approval
    from ${rows}`.execute(db)
  return counted[0] ?? noCounts
}

/** What revoking all that a filter finds would meet, and how many of which authority and template would be taken up. */
export async function countsToRevoke(
  db: Database,
  tenantId: string,
  filter: InventoryFilter,
  now: Date,
): Promise<{ counts: ToRevokeCounts; groups: ToRevoke[] }> {
  const found = sql`(${matchingCertificates(db, tenantId, filter, now).select([
    'certificates.id',
    'ca_id',
    'ca_name',
    'template_name',
    'revocation_approvers',
    'revoked_at',
    'revocation_reason',
    'not_after',
    'holder_user_id',
    'device_name',
    'email',
  ])}) as found`
  const { rows: groups } = await sql<ToRevoke>`
    select ca_id as "caId", max(ca_name) as "caName", template_name as "templateName", revocation_approvers as approvers, count(*) as count, count(*) filter (where ${isHeld}) as held
    from ${found} where ${isTakenUp} group by ca_id, template_name, revocation_approvers`.execute(db)
  return { counts: await countToRevoke(db, found, now), groups }
}

/** What revoking them would meet. */
export async function revocationFacts(
  db: Database,
  tenantId: string,
  ids: RawBuilder<unknown>,
  now: Date,
): Promise<Record<string, number>> {
  const {
    matched: _,
    cutOff: __,
    ...facts
  } = await countToRevoke(db, sql`certificates where tenant_id = ${tenantId} and id in (${ids})`, now)
  return facts
}

/** How a template has its certificates renewed today: the time for it is `share` of the life, and `days`, at most. */
export type TemplateRenewal = { mode: string; share: number; days: number }

type ToRenew = {
  /** By template. One that is gone has left its mode in its certificates. */
  templates: ReadonlyMap<string, TemplateRenewal>
  usual: Omit<TemplateRenewal, 'mode'>
  /** Whose certificates the person may renew before their time. */
  early: readonly Entity[]
}

/** What renewing them would meet. A row counts in the first that fits. `early` can be renewed before its time by the person who asks, `tooEarly` cannot: for want of permission, or because only its holder makes its next key. */
export async function renewalFacts(
  db: Database,
  tenantId: string,
  ids: RawBuilder<unknown>,
  { templates, usual, early }: ToRenew,
  now: Date,
): Promise<Record<string, number>> {
  const said = sql`(${JSON.stringify(Object.fromEntries(templates))}::jsonb -> template_id::text)`
  const mode = sql`coalesce(${said} ->> 'mode', renewal_mode)`
  const seconds = (length: RawBuilder<unknown>) => sql`extract(epoch from ${length})::float8`
  const share = sql`coalesce((${said} ->> 'share')::float8, ${usual.share}::float8)`
  const most = sql`coalesce((${said} ->> 'days')::float8, ${usual.days}::float8) * 86400`
  const opens = sql`${seconds(sql`not_after`)} - least(${seconds(sql`not_after - not_before`)} * ${share}, ${most})`
  const madeHere = sql`exists (select 1 from certificate_requests as asked where asked.tenant_id = ${tenantId} and asked.id = certificates.request_id and asked.csr is null)`
  const { rows } = await sql<{ kind: string; count: number }>`
    select
      case
        when ca_id is null then 'foreign'
        when revoked_at is not null and revocation_reason = ${holdReason} and not_after >= ${now} then 'onHold'
        when revoked_at is not null or not_after < ${now} then 'over'
        when renewed_by is not null then 'already'
        when ${mode} not in ('MANUAL', 'AUTOMATIC_SAME_KEY', 'AUTOMATIC_NEW_KEY') then 'never'
        when ${now.getTime() / 1000}::float8 < ${opens} then case when entity = any(${[...early]}::text[]) and (${mode} <> 'AUTOMATIC_NEW_KEY' or ${madeHere}) then 'early' else 'tooEarly' end
        when ${mode} = 'MANUAL' then 'byHand'
        when ${mode} = 'AUTOMATIC_SAME_KEY' then 'sameKey'
        else 'newKey'
      end as kind,
      count(*) as count
    from certificates where tenant_id = ${tenantId} and id in (${ids}) group by kind`.execute(db)
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
}
