import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { RecoveryState } from '../rules.ts'

export type ArchivedKeyRecord = {
  tenant_id: string
  id: string
  certificate_id: string
  name: string
  subject: string
  ca_id: string | null
  ca_name: string
  serial_hex: string
  holder: string
  holder_user_id: string | null
  template_name: string
  key_kind: string
  not_after: Date
  certificate: Buffer
  chain: Buffer[]
  sealed: Buffer
  tenant_key_id: string
  recovery_approvers: number
  archived_at: Date
}

export type RecoveryRecord = {
  tenant_id: string
  id: string
  archived_key_id: string
  requester_id: string
  requester: string
  reason: string
  state: RecoveryState
  requested_at: Date
  decided_at: Date | null
  decided_by: string | null
  collected_at: Date | null
}

export type ArchiveTables = { archived_keys: ArchivedKeyRecord; key_recoveries: RecoveryRecord }

const tables = (db: Database) => db.withTables<ArchiveTables>()

export async function insertArchivedKey(db: Database, record: ArchivedKeyRecord): Promise<void> {
  await tables(db).insertInto('archived_keys').values(record).execute()
}

export const findArchivedKey = (db: Database, tenantId: string, id: string) =>
  tables(db).selectFrom('archived_keys').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** The newest first, found by a part of the name, the holder or the serial number. */
export async function searchArchivedKeys(
  db: Database,
  tenantId: string,
  { page, size, text }: { page: number; size: number; text: string },
) {
  const sought = text.trim().toLowerCase()
  const matching = tables(db)
    .selectFrom('archived_keys')
    .where('tenant_id', '=', tenantId)
    .$if(sought !== '', (query) =>
      query.where((all) =>
        all.or(
          (['name', 'holder', 'serial_hex'] as const).map((column) =>
            all.eb(all.fn<number>('strpos', [all.fn('lower', [column]), all.val(sought)]), '>', 0),
          ),
        ),
      ),
    )
  const rows = await matching
    .select([
      'id',
      'certificate_id',
      'name',
      'subject',
      'ca_name',
      'serial_hex',
      'holder',
      'template_name',
      'key_kind',
      'not_after',
      'archived_at',
      'recovery_approvers',
    ])
    .orderBy('archived_at', 'desc')
    .orderBy('id')
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  const { total } = await db
    .selectFrom(
      matching
        .select('id')
        .limit(countedUpTo + 1)
        .as('counted'),
    )
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total: Math.min(Number(total), countedUpTo), more: Number(total) > countedUpTo }
}

export async function insertRecovery(db: Database, record: RecoveryRecord): Promise<void> {
  await tables(db).insertInto('key_recoveries').values(record).execute()
}

export const findRecovery = (db: Database, tenantId: string, id: string) =>
  tables(db).selectFrom('key_recoveries').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** Each with the name of its key. */
export const findRecoveries = async (
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<(RecoveryRecord & { name: string })[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('key_recoveries as recovery')
        .innerJoin('archived_keys as kept', (join) =>
          join.onRef('kept.tenant_id', '=', 'recovery.tenant_id').onRef('kept.id', '=', 'recovery.archived_key_id'),
        )
        .where('recovery.tenant_id', '=', tenantId)
        .where('recovery.id', 'in', [...ids])
        .selectAll('recovery')
        .select('kept.name')
        .execute()

export const lockRecovery = (db: Database, tenantId: string, id: string) =>
  tables(db).selectFrom('key_recoveries').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

/** One that lapsed makes way for a new one. */
export async function endLapsed(db: Database, tenantId: string, archivedKeyId: string, requesterId: string, before: Date): Promise<void> {
  await tables(db)
    .updateTable('key_recoveries')
    .set({ state: 'lapsed' })
    .where('tenant_id', '=', tenantId)
    .where('archived_key_id', '=', archivedKeyId)
    .where('requester_id', '=', requesterId)
    .where('state', '=', 'approved')
    .where('decided_at', '<', before)
    .execute()
}

export async function changeRecovery(
  db: Database,
  tenantId: string,
  id: string,
  change: Partial<Pick<RecoveryRecord, 'state' | 'decided_at' | 'decided_by' | 'collected_at'>>,
): Promise<void> {
  await tables(db).updateTable('key_recoveries').set(change).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** The newest first, each with the key that it is about. */
export async function recoveriesWithKeys(
  db: Database,
  tenantId: string,
  { requesterId, page, size }: { requesterId?: string; page: number; size: number },
) {
  const matching = tables(db)
    .selectFrom('key_recoveries as recovery')
    .innerJoin('archived_keys as kept', (join) =>
      join.onRef('kept.tenant_id', '=', 'recovery.tenant_id').onRef('kept.id', '=', 'recovery.archived_key_id'),
    )
    .where('recovery.tenant_id', '=', tenantId)
    .$if(requesterId !== undefined, (query) => query.where('recovery.requester_id', '=', requesterId ?? ''))
  const rows = await matching
    .selectAll('recovery')
    .select(['kept.name', 'kept.holder', 'kept.serial_hex', 'kept.recovery_approvers'])
    .orderBy('recovery.requested_at', 'desc')
    .orderBy('recovery.id')
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  const { total } = await db
    .selectFrom(
      matching
        .select('recovery.id')
        .limit(countedUpTo + 1)
        .as('counted'),
    )
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total: Math.min(Number(total), countedUpTo), more: Number(total) > countedUpTo }
}
