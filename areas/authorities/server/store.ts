import { sql, type RawBuilder } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import type { SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import type { AuthorityKind } from '../rules.ts'
import type { CertificateRole } from '../succession.ts'

export type AuthorityRow = {
  tenant_id: string
  id: string
  public_id: string
  friendly_name: string
  kind: AuthorityKind
  issuer_id: string | null
  /** Null for an offline authority: its key is never here. */
  key_id: string | null
  key_algorithm: KeyAlgorithm
  key_identifier: Buffer
  signature_algorithm: SignatureAlgorithm
  subject: Buffer
  subject_text: string
  path_length: number | null
  certificate: Buffer | null
  /** From its issuer up to the root. */
  issuer_chain: Buffer[]
  not_before: Date | null
  not_after: Date | null
  /** The CSR, where an outside authority signs. */
  request: Buffer | null
  issuing: boolean
  crl_url: string
  ocsp_url: string
  ca_issuers_url: string
  crl_shards: number
  request_key: string | null
  created_at: Date
  certified_at: Date | null
  /** The authority of the same name whose key this one's follows. */
  predecessor_id: string | null
  /** When the templates of the predecessor are to become this one's, and when they did. */
  moves_at: Date | null
  moved_at: Date | null
  /** Since then another key signs under the same name. */
  name_shared_since: Date | null
}

export type AuthorityCertificateRow = {
  tenant_id: string
  id: string
  /** Whose it is; null for an outside authority. */
  ca_id: string | null
  role: CertificateRole
  /** Who signs it; null for an outside authority. */
  issuer_id: string | null
  serial: Buffer
  subject_text: string
  issuer_text: string
  not_before: Date
  not_after: Date
  /** Null while it is reserved. */
  certificate: Buffer | null
  /** The chain above where an outside authority signed; else the issuer's own counts, as it is now. */
  issuer_chain: Buffer[]
  request_key: string | null
  made_at: Date
  certified_at: Date | null
  /** By a list of an issuer whose key is elsewhere. */
  revoked_elsewhere_at: Date | null
  revoked_elsewhere_reason: RevocationReason | null
}

export type SerialRow = {
  tenant_id: string
  ca_id: string
  serial: Buffer
  /** void: nothing was signed and nothing will be. */
  state: 'reserved' | 'signed' | 'void'
  tbs: Buffer | null
  signature_algorithm: SignatureAlgorithm
  about_kind: 'certificate' | 'authority' | 'signer' | 'cross'
  about_id: string
  certificate_hash: Buffer | null
  not_after: Date
  /** The part of the list that the certificate names; 0 is the whole. */
  crl_shard: number
  reserved_at: Date
  signed_at: Date | null
  revoked_at: Date | null
  revocation_reason: RevocationReason | null
  invalidity_date: Date | null
}

export type RevokedSerialRow = {
  tenant_id: string
  ca_id: string
  serial: Buffer
  crl_shard: number
  revision: number
  not_after: Date
  /** A hold that was released: only a delta list tells it. */
  released: boolean
  /** DER of its entry in a list. */
  entry: Buffer
}
export type SerialRevisionRow = { tenant_id: string; ca_id: string; revision: number }

/** The owner's side of a licence, which says whether it holds, and the licensee's, which only leads there. */
export type AuthorityLicenceRow = { tenant_id: string; ca_id: string; licensee_id: string; enabled: boolean; from_day: string | null; until_day: string | null; changed_at: Date }
export type LicensedAuthorityRow = { tenant_id: string; ca_id: string; owner_id: string; licensed_at: Date }

export type AuthorityTables = { authorities: AuthorityRow; authority_certificates: AuthorityCertificateRow; serials: SerialRow; authority_licences: AuthorityLicenceRow; licensed_authorities: LicensedAuthorityRow; revoked_serials: RevokedSerialRow; serial_revisions: SerialRevisionRow }

export const tables = (db: Database) => db.withTables<AuthorityTables>()

/** More than any organisation has; the list is read whole, as a tree. */
const mostAuthorities = 2_000

/** The revocations of authorities' own certificates, by the id of the authority: by their issuers here, or by a list that was brought of one elsewhere. */
export async function revokedAuthorities(db: Database, tenantId: string): Promise<Map<string, { at: Date; reason: RevocationReason }>> {
  const rows = await tables(db)
    .selectFrom('serials')
    .select(['about_id', 'revoked_at', 'revocation_reason'])
    .where('tenant_id', '=', tenantId)
    .where('about_kind', '=', 'authority')
    .where('revoked_at', 'is not', null)
    .limit(mostAuthorities)
    .execute()
  const elsewhere = await tables(db)
    .selectFrom('authority_certificates as held')
    .innerJoin('authorities', (join) => join.onRef('authorities.tenant_id', '=', 'held.tenant_id').onRef('authorities.id', '=', 'held.ca_id').onRef('authorities.certificate', '=', 'held.certificate'))
    .select(['authorities.id as about_id', 'held.revoked_elsewhere_at as revoked_at', 'held.revoked_elsewhere_reason as revocation_reason'])
    .where('held.tenant_id', '=', tenantId)
    .where('held.revoked_elsewhere_at', 'is not', null)
    .limit(mostAuthorities)
    .execute()
  return new Map([...elsewhere, ...rows].flatMap(({ about_id: id, revoked_at: at, revocation_reason: reason }) => (at === null || reason === null ? [] : [[id, { at, reason }]])))
}

export const allAuthorities = (db: Database, tenantId: string) =>
  tables(db).selectFrom('authorities').selectAll().where('tenant_id', '=', tenantId).orderBy('friendly_name').limit(mostAuthorities).execute()

export const findAuthority = (db: Database, tenantId: string, id: string) =>
  tables(db).selectFrom('authorities').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const authorityOfRequest = (db: Database, tenantId: string, requestKey: string) =>
  tables(db).selectFrom('authorities').selectAll().where('tenant_id', '=', tenantId).where('request_key', '=', requestKey).executeTakeFirst()

export const authorityNamed = (db: Database, tenantId: string, friendlyName: string) =>
  tables(db)
    .selectFrom('authorities')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where((all) => all.eb(all.fn('lower', ['friendly_name']), '=', friendlyName.toLowerCase()))
    .executeTakeFirst()

export async function insertAuthority(db: Database, row: AuthorityRow): Promise<void> {
  await tables(db).insertInto('authorities').values(row).execute()
}

export async function changeAuthority(db: Database, tenantId: string, id: string, change: Partial<Omit<AuthorityRow, 'tenant_id' | 'id'>>): Promise<void> {
  await tables(db).updateTable('authorities').set(change).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

export const lockSerial = (db: Database, tenantId: string, caId: string, serial: Buffer) =>
  tables(db).selectFrom('serials').selectAll().where('tenant_id', '=', tenantId).where('ca_id', '=', caId).where('serial', '=', serial).forUpdate().executeTakeFirst()

/** The same for many, in one order. */
export const lockSerials = (db: Database, tenantId: string, caId: string, serials: readonly Buffer[]): Promise<SerialRow[]> =>
  tables(db).selectFrom('serials').selectAll().where('tenant_id', '=', tenantId).where('ca_id', '=', caId).where('serial', 'in', [...serials]).orderBy('serial').forUpdate().execute()

/** Those of these serials that there are. */
export const findSerials = (db: Database, tenantId: string, caId: string, serials: readonly Buffer[]): Promise<SerialRow[]> =>
  serials.length === 0 ? Promise.resolve([]) : tables(db).selectFrom('serials').selectAll().where('tenant_id', '=', tenantId).where('ca_id', '=', caId).where('serial', 'in', [...serials]).execute()

export const findSerial = (db: Database, tenantId: string, caId: string, serial: Buffer) =>
  tables(db).selectFrom('serials').selectAll().where('tenant_id', '=', tenantId).where('ca_id', '=', caId).where('serial', '=', serial).executeTakeFirst()

export type StatusRow = Pick<SerialRow, 'serial' | 'state' | 'not_after' | 'revoked_at' | 'revocation_reason' | 'invalidity_date'>

export async function insertSerials(db: Database, rows: readonly SerialRow[]): Promise<void> {
  if (rows.length > 0) await tables(db).insertInto('serials').values([...rows]).execute()
}

/** From reserved to signed, where the bytes are those that were reserved. Returns the serials of which that was true. */
export async function signSerials(db: Database, tenantId: string, caId: string, signed: readonly { serial: Buffer; tbs: Buffer; certificateHash: Buffer; signedAt: Date }[]): Promise<Buffer[]> {
  const column = <K extends keyof (typeof signed)[number]>(name: K) => signed.map((one) => one[name])
  const { rows } = await sql<{ serial: Buffer }>`
    update serials set state = 'signed', tbs = null, certificate_hash = made.certificate_hash, signed_at = made.signed_at
    from unnest(${column('serial')}::bytea[], ${column('tbs')}::bytea[], ${column('certificateHash')}::bytea[], ${column('signedAt')}::timestamptz[]) as made (serial, tbs, certificate_hash, signed_at)
    where serials.tenant_id = ${tenantId} and serials.ca_id = ${caId} and serials.serial = made.serial and serials.state = 'reserved' and serials.tbs = made.tbs
    returning serials.serial`.execute(db)
  return rows.map(({ serial }) => serial)
}

export const changeSerial = (db: Database, tenantId: string, caId: string, serial: Buffer, change: Partial<SerialRow>) =>
  tables(db).updateTable('serials').set(change).where('tenant_id', '=', tenantId).where('ca_id', '=', caId).where('serial', '=', serial)

export type RevokedMark = { serial: Buffer; at: Date; reason: RevocationReason; invalidityDate: Date | undefined }

export async function revokeSerials(db: Database, tenantId: string, caId: string, marks: readonly RevokedMark[]): Promise<void> {
  await sql`
    update serials set revoked_at = mark.at, revocation_reason = mark.reason, invalidity_date = mark.invalidity_date
    from unnest(${marks.map(({ serial }) => serial)}::bytea[], ${marks.map(({ at }) => at)}::timestamptz[], ${marks.map(({ reason }) => reason)}::text[], ${marks.map(({ invalidityDate }) => invalidityDate ?? null)}::timestamptz[])
      as mark (serial, at, reason, invalidity_date)
    where serials.tenant_id = ${tenantId} and serials.ca_id = ${caId} and serials.serial = mark.serial`.execute(db)
}

/** From reserved to void. Returns the serials of which that was true. */
export const voidSerials = async (db: Database, tenantId: string, aboutId: string): Promise<Buffer[]> =>
  (
    await tables(db)
      .updateTable('serials')
      .set({ state: 'void', tbs: null })
      .where('tenant_id', '=', tenantId)
      .where('about_id', '=', aboutId)
      .where('state', '=', 'reserved')
      .returning('serial')
      .execute()
  ).map(({ serial }) => serial)

/** How many serials an authority has signed and revoked, each counted up to `most`. What a root signed for itself is no work of its. */
export async function countSerials(db: Database, tenantId: string, caId: string, most: number): Promise<{ issued: number; revoked: number }> {
  const serials = tables(db).selectFrom('serials').select('serial').where('tenant_id', '=', tenantId).where('ca_id', '=', caId).where('about_id', '<>', caId).where('state', '!=', 'void').limit(most)
  const count = async (of: typeof serials) =>
    (await db.selectFrom(of.as('counted')).select((all) => all.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()).total
  return { issued: await count(serials), revoked: await count(serials.where('revoked_at', 'is not', null)) }
}

/** Authorities whose own signature, or whose request, an interruption has left unmade. */
export const unfinishedAuthorities = (db: Database, tenantId: string, olderThan: Date) =>
  tables(db)
    .selectFrom('authorities')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('certificate', 'is', null)
    .where((all) => all.or([all('kind', '<>', 'outside'), all('request', 'is', null)]))
    // A time well ahead is of before the clock was set back.
    .where((all) => all.or([all('created_at', '<', olderThan), all('created_at', '>', new Date(olderThan.getTime() + 120_000))]))
    .limit(100)
    .execute()

/** A new certificate of an authority stands in the chains of all below it. */
export async function rechainBelow(db: Database, tenantId: string, issuerId: string, chain: readonly Buffer[]): Promise<void> {
  const below = await tables(db).selectFrom('authorities').select(['id', 'certificate']).where('tenant_id', '=', tenantId).where('issuer_id', '=', issuerId).execute()
  for (const { id, certificate } of below) {
    await changeAuthority(db, tenantId, id, { issuer_chain: [...chain] })
    if (certificate !== null) await rechainBelow(db, tenantId, id, [certificate, ...chain])
  }
}

/** Where servers hear, with each commit that changes the status of a certificate or how it is told, whose it was: the id of the authority. */
export const statusChannel = 'chancery_status'

export const tellStatusChange = async (db: Database, caId: string): Promise<void> => {
  await sql`select pg_notify(${statusChannel}, ${caId})`.execute(db)
}

/** The next revision of the authority's statuses; nobody else raises it before this transaction has ended. */
export async function raiseRevision(db: Database, tenantId: string, caId: string): Promise<number> {
  const { revision } = await tables(db)
    .insertInto('serial_revisions')
    .values({ tenant_id: tenantId, ca_id: caId, revision: 1 })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'ca_id']).doUpdateSet({ revision: sql<number>`serial_revisions.revision + 1` }))
    .returning('revision')
    .executeTakeFirstOrThrow()
  await tellStatusChange(db, caId)
  return revision
}

/** How often the status of a certificate of this authority has changed: whoever keeps answers compares it. */
export async function revisionOf(db: Database, tenantId: string, caId: string): Promise<number> {
  const row = await tables(db).selectFrom('serial_revisions').select('revision').where('tenant_id', '=', tenantId).where('ca_id', '=', caId).executeTakeFirst()
  return row?.revision ?? 0
}

export const upsertRevokedSerial = (db: Database, row: RevokedSerialRow): Promise<void> => upsertRevokedSerials(db, [row])

export async function upsertRevokedSerials(db: Database, rows: readonly RevokedSerialRow[]): Promise<void> {
  await tables(db)
    .insertInto('revoked_serials')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'ca_id', 'serial']).doUpdateSet(({ ref }) => ({ revision: ref('excluded.revision'), released: ref('excluded.released'), entry: ref('excluded.entry') })),
    )
    .execute()
}

export type RevokedRange = {
  tenantId: string
  caId: string
  /** What had expired by then is left out. */
  unexpiredAt: Date
  /** One part of the list; everything without. */
  shard?: number | undefined
  /** Only what has changed since this revision, holds that were released among it, as a delta list tells it. */
  since?: number | undefined
  /** As far as the transaction has seen; what was committed after is on the list, too. */
  revision: number
}

/** So many revisions, and so about as many entries, make one run: less than a megabyte. */
const revisionsOfARun = 16_384

/** Runs that were joined before, to be used again where they are still the same. */
export type KnownRuns = {
  /** A query of their `position`, `source` (where they lie, a bigint), `entries`, `stands` and `ends`, as revokedRuns gave them. */
  runs: RawBuilder<unknown>
  /** As far as they went. */
  revision: number
}

/**
 * The revoked as the entries of a CRL, in the order of revocation: a query of runs with their `position` from 1, `bytes`, number of `entries`, how many serials
 * there are in the run (`stands`) and when the first of those listed `ends`, for a statement that puts them elsewhere within the database. Joined where they
 * lie: a million rows on their way here and back would cost more than all else about a list. A known run that is the same has its `source` and no bytes.
 *
 * A full run changes in two ways alone. A serial whose status changes gets a new revision, and so leaves it; none comes to it. And what it lists expires.
 */
export function revokedRuns({ tenantId, caId, unexpiredAt, shard, since, revision }: RevokedRange, known?: KnownRuns): RawBuilder<unknown> {
  const from = since ?? 0
  const inRun = sql`tenant_id = ${tenantId} and ca_id = ${caId} and revision > run.start and revision <= run.start + ${revisionsOfARun}::bigint ${shard === undefined ? sql`` : sql`and crl_shard = ${shard}`}`
  const listed = sql`not_after > ${unexpiredAt} ${since === undefined ? sql`and not released` : sql``}`
  const nothingKnown = sql`select null::integer as position, null::bigint as source, null::integer as entries, null::integer as stands, null::timestamptz as ends where false`
  return sql`
    with known as materialized (${known?.runs ?? nothingKnown}),
    run as materialized (
      select run.position, run.start, known.source, known.entries, known.stands, known.ends,
        case when known.position is null or run.start + ${revisionsOfARun}::bigint > ${known?.revision ?? 0}::bigint or known.ends is null or known.ends <= ${unexpiredAt} then false
          else known.stands is not distinct from (select count(*)::integer from revoked_serials where ${inRun}) end as holds
      from (
        select ((start - ${from}::bigint) / ${revisionsOfARun}::bigint + 1)::integer as position, start
        from generate_series(${from}::bigint, ${Math.max(revision, from)}::bigint, ${revisionsOfARun}::bigint) as series (start)
      ) as run left join known on known.position = run.position
    )
    select run.position, run.source, ''::bytea as bytes, run.entries, run.stands, run.ends from run where run.holds
    union all
    select run.position, null, joined.bytes, joined.entries, joined.stands, joined.ends
    from run
    cross join lateral (
      select string_agg(entry, ''::bytea) filter (where ${listed}) as bytes, (count(*) filter (where ${listed}))::integer as entries, count(*)::integer as stands, min(not_after) filter (where ${listed}) as ends
      from revoked_serials where ${inRun}
    ) as joined
    where not run.holds and joined.entries > 0`
}

/** The newest change on each part since a revision, by the part. */
export async function changesSince(db: Database, tenantId: string, caId: string, revision: number): Promise<Map<number, number>> {
  const rows = await tables(db)
    .selectFrom('revoked_serials')
    .select(['crl_shard', (all) => all.fn.max('revision').as('newest')])
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .where('revision', '>', revision)
    .groupBy('crl_shard')
    .execute()
  return new Map(rows.map(({ crl_shard: shard, newest }) => [shard, newest]))
}
