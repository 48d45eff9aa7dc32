import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { SignerEnd } from '../signing.ts'
import { tables, type OcspSignerRow } from './store.ts'

export type CertifiedSigner = OcspSignerRow & { certificate: Buffer }

const signersOf = (db: Database, tenantId: string, caId: string) =>
  tables(db).selectFrom('ocsp_signers').selectAll().where('tenant_id', '=', tenantId).where('ca_id', '=', caId)

/** One server at a time decides about an authority's signers; held to the end of the transaction. */
export async function lockSigners(db: Database, caId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`ocsp-signer:${caId}`}, 0))`.execute(db)
}

export async function insertSigner(db: Database, row: OcspSignerRow): Promise<void> {
  await tables(db).insertInto('ocsp_signers').values(row).execute()
}

/** The newest that signs, or did until its life ended. */
export async function newestSigner(db: Database, tenantId: string, caId: string): Promise<CertifiedSigner | undefined> {
  const row = await signersOf(db, tenantId, caId)
    .where('certificate', 'is not', null)
    .where('ended_at', 'is', null)
    .orderBy('made_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.certificate == null ? undefined : { ...row, certificate: row.certificate }
}

/** Of each authority of the tenancy. */
export async function newestSigners(db: Database, tenantId: string): Promise<CertifiedSigner[]> {
  const rows = await tables(db)
    .selectFrom('ocsp_signers')
    .selectAll()
    .distinctOn('ca_id')
    .where('tenant_id', '=', tenantId)
    .where('certificate', 'is not', null)
    .where('ended_at', 'is', null)
    .orderBy('ca_id')
    .orderBy('made_at', 'desc')
    .execute()
  return rows.flatMap((row) => (row.certificate === null ? [] : [{ ...row, certificate: row.certificate }]))
}

/** The one that is on record and not signed yet. */
export const unsignedSigner = (db: Database, tenantId: string, caId: string): Promise<OcspSignerRow | undefined> =>
  signersOf(db, tenantId, caId).where('certificate', 'is', null).where('ended_at', 'is', null).executeTakeFirst()

/** False where it is signed already, or ended meanwhile. */
export async function storeSignerCertificate(db: Database, tenantId: string, id: string, certificate: Uint8Array): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable('ocsp_signers')
    .set({ certificate: Buffer.from(certificate) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('certificate', 'is', null)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** All that have not ended, but for one. Returns what has ended with this. */
export const endSigners = (
  db: Database,
  tenantId: string,
  caId: string,
  { as, now, except }: { as: SignerEnd; now: Date; except?: string },
): Promise<OcspSignerRow[]> =>
  tables(db)
    .updateTable('ocsp_signers')
    .set({ ended_at: now, ended_as: as })
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .where('ended_at', 'is', null)
    .$if(except !== undefined, (query) => query.where('id', '<>', except ?? ''))
    .returningAll()
    .execute()

/** Authorities of the tenancy whose answers signers sign. */
export const delegatingAuthorities = async (db: Database, tenantId: string): Promise<string[]> =>
  (
    await tables(db).selectFrom('status_settings').select('ca_id').where('tenant_id', '=', tenantId).where('delegated', '=', true).execute()
  ).map(({ ca_id: caId }) => caId)

/** Signers that ended before, whose keys nobody needs. That of an exposed one stays, so that it is known where somebody asks for a certificate of it. */
export const signersWithSpareKeys = (db: Database, tenantId: string, endedBefore: Date) =>
  tables(db)
    .selectFrom('ocsp_signers')
    .select(['id', 'ca_id', 'key_id'])
    .where('tenant_id', '=', tenantId)
    .where('key_destroyed', '=', false)
    .where('ended_at', '<', endedBefore)
    .where('ended_as', '<>', 'compromised')
    .limit(100)
    .execute()

export const noteKeyDestroyed = async (db: Database, tenantId: string, id: string): Promise<void> => {
  await tables(db).updateTable('ocsp_signers').set({ key_destroyed: true }).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}
