import type { Database } from '#core/server/database.ts'

type StoredCertificate = {
  tenant_id: string
  id: string
  subject: string
  serial_hex: string
  key_text: string
  not_before: Date
  not_after: Date
  fingerprint_sha256: string
  certificate: Buffer
}

export type ExternalRecord = StoredCertificate & { friendly_name: string; issuer: string; registered_by: string; registered_at: Date }
export type RootRecord = StoredCertificate & { manufacturer: string; added_by: string; added_at: Date }

export type EndNoticeRecord = { tenant_id: string; subject_id: string; licensee_id: string; until_day: string; days: number; told_at: Date }

export type LicensingTables = {
  registered_authorities: ExternalRecord
  attestation_roots: RootRecord
  licence_end_notices: EndNoticeRecord
}

const tables = (db: Database) => db.withTables<LicensingTables>()

/** More than anybody registers; the list is put together with those of the tenancy itself. */
const most = 2_000

export const listExternal = (db: Database, tenantId: string) =>
  tables(db)
    .selectFrom('registered_authorities')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('friendly_name')
    .limit(most)
    .execute()

export async function insertExternal(db: Database, record: ExternalRecord): Promise<void> {
  await tables(db).insertInto('registered_authorities').values(record).execute()
}

export const deleteExternal = (db: Database, tenantId: string, id: string) =>
  tables(db)
    .deleteFrom('registered_authorities')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returning(['subject', 'fingerprint_sha256'])
    .executeTakeFirst()

export const allRoots = (db: Database, tenantId: string) =>
  tables(db)
    .selectFrom('attestation_roots')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('manufacturer')
    .orderBy('id')
    .limit(most)
    .execute()

export async function insertRoot(db: Database, record: RootRecord): Promise<void> {
  await tables(db).insertInto('attestation_roots').values(record).execute()
}

export const deleteRoot = (db: Database, tenantId: string, id: string) =>
  tables(db)
    .deleteFrom('attestation_roots')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returning(['fingerprint_sha256'])
    .executeTakeFirst()

/** All that a tenancy, the owner, has sent. */
export const endNoticesSent = (db: Database, tenantId: string): Promise<EndNoticeRecord[]> =>
  tables(db).selectFrom('licence_end_notices').selectAll().where('tenant_id', '=', tenantId).execute()

/** Fails where another server has told of one at the same moment: its letters are those that count. */
export async function insertEndNotices(db: Database, rows: readonly EndNoticeRecord[]): Promise<void> {
  await tables(db)
    .insertInto('licence_end_notices')
    .values([...rows])
    .execute()
}
