import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import type { Database } from '#core/server/database.ts'
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
  /** Its certificate was not stored once it was signed, and never will be. */
  given_up_at: Date | null
  /** The account that asked for it; none where no call did. */
  requested_by: string | null
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
  /** By a supplied list of an external issuer. */
  revoked_elsewhere_at: Date | null
  revoked_elsewhere_reason: RevocationReason | null
  /** The account that asked for it; none where no call did. */
  requested_by: string | null
}

export type SerialRow = {
  tenant_id: string
  ca_id: string
  serial: Buffer
  /** void: no certificate of it was given out, and none will be. */
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

/** Serials of certificates that are being signed together; the same places in each list. */
export type ReservationRow = {
  tenant_id: string
  id: string
  ca_id: string
  signature_algorithm: SignatureAlgorithm
  serials: Buffer[]
  about_ids: string[]
  ends: Date[]
  crl_shards: number[]
  reserved_at: Date
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
export type AuthorityLicenceRow = {
  tenant_id: string
  ca_id: string
  licensee_id: string
  enabled: boolean
  from_day: string | null
  until_day: string | null
  changed_at: Date
}
export type LicensedAuthorityRow = { tenant_id: string; ca_id: string; owner_id: string; licensed_at: Date }

export type AuthorityTables = {
  authorities: AuthorityRow
  authority_certificates: AuthorityCertificateRow
  serials: SerialRow
  reservations: ReservationRow
  authority_licences: AuthorityLicenceRow
  licensed_authorities: LicensedAuthorityRow
  revoked_serials: RevokedSerialRow
  serial_revisions: SerialRevisionRow
}

export const tables = (db: Database) => db.withTables<AuthorityTables>()

/** More than any organisation has; the list is read whole, as a tree. */
export const mostAuthorities = 2_000

/** Finds the revocations of authorities' own certificates, by the id of the authority: by an issuer here, or on a supplied list of an external issuer. */
export async function revokedAuthorities(db: Database, tenantId: string): Promise<Map<string, { at: Date; reason: RevocationReason }>> {
  const rows = await tables(db)
    .selectFrom('serials')
    .select(['about_id', 'revoked_at', 'revocation_reason'])
    .where('tenant_id', '=', tenantId)
    .where('about_kind', '=', 'authority')
    .where('revoked_at', 'is not', null)
    .limit(mostAuthorities)
    .execute()
  const revokedExternally = await tables(db)
    .selectFrom('authority_certificates as held')
    .innerJoin('authorities', (join) =>
      join
        .onRef('authorities.tenant_id', '=', 'held.tenant_id')
        .onRef('authorities.id', '=', 'held.ca_id')
        .onRef('authorities.certificate', '=', 'held.certificate'),
    )
    .select(['authorities.id as about_id', 'held.revoked_elsewhere_at as revoked_at', 'held.revoked_elsewhere_reason as revocation_reason'])
    .where('held.tenant_id', '=', tenantId)
    .where('held.revoked_elsewhere_at', 'is not', null)
    .limit(mostAuthorities)
    .execute()
  return new Map(
    [...revokedExternally, ...rows].flatMap(({ about_id: id, revoked_at: at, revocation_reason: reason }) =>
      at === null || reason === null ? [] : [[id, { at, reason }]],
    ),
  )
}

/** Without those that were given up. */
export const allAuthorities = (db: Database, tenantId: string) =>
  tables(db)
    .selectFrom('authorities')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('given_up_at', 'is', null)
    .orderBy('friendly_name')
    .limit(mostAuthorities)
    .execute()

export const authorityNames = (
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<Pick<AuthorityRow, 'id' | 'friendly_name'>[]> =>
  tables(db)
    .selectFrom('authorities')
    .select(['id', 'friendly_name'])
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()

export const authoritiesNamed = async (db: Database, tenantId: string, text: string, most: number): Promise<string[]> =>
  (
    await tables(db)
      .selectFrom('authorities')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('given_up_at', 'is', null)
      .where((all) => all(all.fn<number>('strpos', [all.fn('lower', ['friendly_name']), all.val(text.toLowerCase())]), '>', 0))
      .orderBy('friendly_name')
      .limit(most)
      .execute()
  ).map(({ id }) => id)

export const findAuthority = (db: Database, tenantId: string, id: string) =>
  tables(db).selectFrom('authorities').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** The same with its row held until the transaction ends: of its revocation and of what is signed for it, one goes first. */
export const lockAuthority = (db: Database, tenantId: string, id: string) =>
  tables(db)
    .selectFrom('authorities')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

export const authorityOfRequest = (db: Database, tenantId: string, requestKey: string) =>
  tables(db)
    .selectFrom('authorities')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('request_key', '=', requestKey)
    .executeTakeFirst()

export const authorityNamed = (db: Database, tenantId: string, friendlyName: string) =>
  tables(db)
    .selectFrom('authorities')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('given_up_at', 'is', null)
    .where((all) => all.eb(all.fn('lower', ['friendly_name']), '=', friendlyName.toLowerCase()))
    .executeTakeFirst()

export async function insertAuthority(db: Database, row: AuthorityRow): Promise<void> {
  await tables(db).insertInto('authorities').values(row).execute()
}

export async function changeAuthority(
  db: Database,
  tenantId: string,
  id: string,
  change: Partial<Omit<AuthorityRow, 'tenant_id' | 'id'>>,
): Promise<void> {
  await tables(db).updateTable('authorities').set(change).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** Authorities whose own signature, or whose request, an interruption has left unmade. */
export const unfinishedAuthorities = (db: Database, tenantId: string, olderThan: Date) =>
  tables(db)
    .selectFrom('authorities')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('certificate', 'is', null)
    .where((all) => all.or([all('kind', '<>', 'outside'), all('request', 'is', null)]))
    .where('given_up_at', 'is', null)
    // A time well ahead is of before the clock was set back.
    .where((all) => all.or([all('created_at', '<', olderThan), all('created_at', '>', new Date(olderThan.getTime() + 120_000))]))
    .limit(100)
    .execute()

/** A new certificate of an authority stands in the chains of all below it. */
export async function rechainBelow(db: Database, tenantId: string, issuerId: string, chain: readonly Buffer[]): Promise<void> {
  const below = await tables(db)
    .selectFrom('authorities')
    .select(['id', 'certificate'])
    .where('tenant_id', '=', tenantId)
    .where('issuer_id', '=', issuerId)
    .execute()
  for (const { id, certificate } of below) {
    await changeAuthority(db, tenantId, id, { issuer_chain: [...chain] })
    if (certificate !== null) await rechainBelow(db, tenantId, id, [certificate, ...chain])
  }
}
