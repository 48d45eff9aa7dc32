import { sql } from 'kysely'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { EventRow, EventTables } from '#core/server/events.ts'
import { AuditLogError, type NodePosition } from '#standards/audit-log/merkle.ts'
import { leafColumns, type LeafRow } from './leaf.ts'

export type KeyRow = { origin: string; verifier_key: string; sealed_private_key: Buffer; made_at: Date }
export type CheckpointRow = { size: number; at: Date; note: string }
export type VerificationRow = { at: Date; intact: boolean; row_count: number; message: string }
export type AuditTables = EventTables & {
  audit_key: KeyRow
  audit_tree: { level: number; position: number; hash: Buffer }
  audit_checkpoints: CheckpointRow
  audit_verifications: VerificationRow
}

const tables = (database: Database) => database.withTables<AuditTables>()

export const readKey = (auditor: Database): Promise<KeyRow | undefined> =>
  tables(auditor).selectFrom('audit_key').selectAll().executeTakeFirst()

/** Of two servers that start at once on an empty database one makes the key, and both go on with it. */
export async function addKey(auditor: Database, row: KeyRow): Promise<KeyRow> {
  await tables(auditor)
    .insertInto('audit_key')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return tables(auditor).selectFrom('audit_key').selectAll().executeTakeFirstOrThrow()
}

export const latestCheckpoint = (auditor: Database): Promise<CheckpointRow | undefined> =>
  tables(auditor).selectFrom('audit_checkpoints').selectAll().orderBy('size', 'desc').limit(1).executeTakeFirst()

/** The hashes of perfect subtrees, in the order asked. */
export async function readNodes(auditor: Database, positions: readonly NodePosition[]): Promise<Uint8Array[]> {
  const { rows } = await sql<{ hash: Buffer | null }>`
    select audit_tree.hash from unnest(${positions.map(({ level }) => level)}::smallint[], ${positions.map(({ index }) => index)}::bigint[])
      with ordinality as asked(level, position, place)
    left join audit_tree on audit_tree.level = asked.level and audit_tree.position = asked.position
    order by asked.place`.execute(auditor)
  return rows.map(({ hash }) => {
    if (hash === null) throw new AuditLogError('A hash of the tree is missing: run npm run audit:verify')
    return hash
  })
}

export const eventsAbout = (db: Database, tenantId: string, about: string, limit: number): Promise<EventRow[]> =>
  tables(db)
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('about', '=', about)
    .orderBy('at', 'desc')
    .limit(limit)
    .execute()

export const newestEvents = (db: Database, tenantId: string, limit: number): Promise<EventRow[]> =>
  tables(db)
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export const findEvent = (db: Database, tenantId: string, id: string): Promise<EventRow | undefined> =>
  tables(db).selectFrom('events').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export async function findLeaf(
  db: Database,
  tenantId: string,
  eventId: string,
): Promise<(LeafRow & { sequence: number | null }) | undefined> {
  const { rows } = await sql<LeafRow & { sequence: number | null }>`
    select ${sql.raw(leafColumns)}, events.sequence from events where tenant_id = ${tenantId} and id = ${eventId}`.execute(db)
  return rows[0]
}

export async function countWaiting(db: Database, tenantId: string): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from (select 1 from events where tenant_id = ${tenantId} and sequence is null limit ${countedUpTo}) as unnumbered`.execute(
    db,
  )
  return rows[0]?.waiting ?? 0
}

/** Counts events of all tenancies that have no number. */
export async function countUnnumbered(auditor: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from events where sequence is null`.execute(auditor)
  return rows[0]?.count ?? 0
}

/** The oldest event without a number that was written before `time`. */
export const unnumberedBefore = (auditor: Database, time: Date): Promise<{ id: string; at: Date } | undefined> =>
  tables(auditor)
    .selectFrom('events')
    .select(['id', 'at'])
    .where('sequence', 'is', null)
    .where('at', '<', time)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst()

/** How many rows an intact log once had. */
export async function mostVerified(auditor: Database): Promise<number> {
  const row = await tables(auditor)
    .selectFrom('audit_verifications')
    .select('row_count')
    .where('intact', '=', true)
    .orderBy('row_count', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.row_count ?? 0
}

/** Numbered rows from `after` on, or all, negative numbers included, each with the leaf hash that was noted when it was numbered. */
export async function numberedRows(
  auditor: Database,
  after: number | undefined,
  limit: number,
): Promise<(LeafRow & { sequence: number; hash: Buffer | null })[]> {
  const { rows } = await sql<LeafRow & { sequence: number; hash: Buffer | null }>`
    select ${sql.raw(leafColumns)}, events.sequence, audit_tree.hash
    from events left join audit_tree on audit_tree.level = 0 and audit_tree.position = events.sequence
    where events.sequence > ${after ?? Number.MIN_SAFE_INTEGER} order by events.sequence limit ${limit}`.execute(auditor)
  return rows
}

export const checkpointsAfter = (auditor: Database, size: number, limit: number): Promise<CheckpointRow[]> =>
  tables(auditor).selectFrom('audit_checkpoints').selectAll().where('size', '>', size).orderBy('size').limit(limit).execute()

/** How many leaves the tree holds. */
export async function leafCount(auditor: Database): Promise<number> {
  const row = await tables(auditor)
    .selectFrom('audit_tree')
    .select('position')
    .where('level', '=', 0)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? 0 : row.position + 1
}

export const latestVerification = (auditor: Database): Promise<VerificationRow | undefined> =>
  tables(auditor).selectFrom('audit_verifications').selectAll().orderBy('at', 'desc').limit(1).executeTakeFirst()

export const addVerification = async (auditor: Database, row: VerificationRow): Promise<void> => {
  await tables(auditor)
    .insertInto('audit_verifications')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
