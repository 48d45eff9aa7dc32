// The certificates of an authority, all of them: of its own issuer, of other authorities, and those that link it to its successor.

import type { Database } from '#core/server/database.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { tables, type AuthorityCertificateRow } from './store.ts'

export type { AuthorityCertificateRow }
export type HeldCertificateRow = AuthorityCertificateRow & { revoked_at: Date | null; revocation_reason: RevocationReason | null }

/** Not those that were given up before they were signed. */
const held = (db: Database, tenantId: string) =>
  tables(db)
    .selectFrom('authority_certificates as held')
    .leftJoin('serials', (join) =>
      join
        .onRef('serials.tenant_id', '=', 'held.tenant_id')
        .onRef('serials.ca_id', '=', 'held.issuer_id')
        .onRef('serials.serial', '=', 'held.serial'),
    )
    .selectAll('held')
    .select((all) => [
      all.fn.coalesce('serials.revoked_at', 'held.revoked_elsewhere_at').as('revoked_at'),
      all.fn.coalesce('serials.revocation_reason', 'held.revoked_elsewhere_reason').as('revocation_reason'),
    ])
    .where('held.tenant_id', '=', tenantId)
    .where((all) => all.or([all('serials.state', 'is', null), all('serials.state', '<>', 'void')]))
    .orderBy('held.made_at')
    .orderBy('held.id')
    .limit(1_000)

/** Of this authority, oldest first. */
export const certificatesOf = (db: Database, tenantId: string, caId: string): Promise<HeldCertificateRow[]> =>
  held(db, tenantId).where('held.ca_id', '=', caId).execute()

/** Those that this authority gave to others beside the ones below it: cross-certificates and links. */
export const certificatesGiven = (db: Database, tenantId: string, issuerId: string): Promise<HeldCertificateRow[]> =>
  held(db, tenantId).where('held.issuer_id', '=', issuerId).where('held.role', '<>', 'main').execute()

/** All of the tenancy that are signed. */
export const allCrossCertificates = (db: Database, tenantId: string): Promise<HeldCertificateRow[]> =>
  held(db, tenantId).where('held.role', '=', 'cross').where('held.certificate', 'is not', null).execute()

export const findHeldCertificate = (db: Database, tenantId: string, id: string): Promise<HeldCertificateRow | undefined> =>
  held(db, tenantId).where('held.id', '=', id).executeTakeFirst()

export const certificateOfRequest = (db: Database, tenantId: string, requestKey: string) =>
  tables(db)
    .selectFrom('authority_certificates')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('request_key', '=', requestKey)
    .executeTakeFirst()

export async function insertHeldCertificate(db: Database, row: AuthorityCertificateRow): Promise<void> {
  await tables(db).insertInto('authority_certificates').values(row).execute()
}

export async function completeHeldCertificate(db: Database, tenantId: string, id: string, certificate: Buffer, now: Date): Promise<void> {
  await tables(db)
    .updateTable('authority_certificates')
    .set({ certificate, certified_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('certificate', 'is', null)
    .execute()
}

/** Reserved and not signed since. */
export const unsignedHeldCertificates = (db: Database, tenantId: string, olderThan: Date): Promise<HeldCertificateRow[]> =>
  held(db, tenantId)
    .where('held.certificate', 'is', null)
    // A time well ahead is of before the clock was set back.
    .where((all) => all.or([all('held.made_at', '<', olderThan), all('held.made_at', '>', new Date(olderThan.getTime() + 120_000))]))
    .limit(100)
    .execute()

export const successorOf = (db: Database, tenantId: string, caId: string) =>
  tables(db).selectFrom('authorities').selectAll().where('tenant_id', '=', tenantId).where('predecessor_id', '=', caId).executeTakeFirst()

/** Successors whose appointed time to take over has come. */
export const dueMoves = (db: Database, tenantId: string, now: Date) =>
  tables(db)
    .selectFrom('authorities')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('moves_at', '<=', now)
    .where('moved_at', 'is', null)
    .where('predecessor_id', 'is not', null)
    .execute()

/** The end of the last certificate that the authority signed and nobody revoked. */
export async function lastEndOf(db: Database, tenantId: string, caId: string, now: Date): Promise<Date | undefined> {
  const row = await tables(db)
    .selectFrom('serials')
    .select((all) => all.fn.max('not_after').as('last'))
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .where('state', '=', 'signed')
    .where('about_id', '<>', caId)
    // Who signs its answers is there for the others, and would keep it for ever.
    .where('about_kind', '<>', 'signer')
    .where('not_after', '>', now)
    .where('revoked_at', 'is', null)
    // A link lasts as long as the authority itself, and says nothing of what it has issued.
    .where('about_id', 'not in', (all) =>
      all.selectFrom('authority_certificates').select('id').where('tenant_id', '=', tenantId).where('role', '=', 'link'),
    )
    .executeTakeFirst()
  return row?.last ?? undefined
}

/** How many certificates of these authorities hold now, counted up to `most`; those of roots over themselves are none below them. */
export async function countValid(db: Database, tenantId: string, caIds: readonly string[], now: Date, most: number): Promise<number> {
  if (caIds.length === 0) return 0
  const valid = tables(db)
    .selectFrom('serials')
    .select('serial')
    .where('tenant_id', '=', tenantId)
    .where('ca_id', 'in', [...caIds])
    .whereRef('about_id', '<>', 'ca_id')
    .where('about_kind', '<>', 'signer')
    .where('state', '=', 'signed')
    .where('revoked_at', 'is', null)
    .where('not_after', '>', now)
    .limit(most)
  return (
    await db
      .selectFrom(valid.as('counted'))
      .select((all) => all.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
  ).total
}

/** What a list of its issuer, which is elsewhere, says of a certificate. */
export async function setRevokedExternally(
  db: Database,
  tenantId: string,
  id: string,
  revocation: { at: Date; reason: RevocationReason },
): Promise<void> {
  await tables(db)
    .updateTable('authority_certificates')
    .set({ revoked_elsewhere_at: revocation.at, revoked_elsewhere_reason: revocation.reason })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}
