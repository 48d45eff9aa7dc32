// The statements that number events and grow the tree, over the one connection that holds the lock.

import type pg from 'pg'
import { binaryList } from '#core/server/binary-list.ts'
import { numberedChannel } from '#core/server/events.ts'
import { AuditLogError, type NodePosition } from '#standards/audit-log/merkle.ts'
import { leafColumns, type LeafRow } from './leaf.ts'
import type { CheckpointRow } from './store.ts'

export type TreeNode = NodePosition & { hash: Uint8Array }

export async function treeSize(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ size: number }>('select coalesce(max(position) + 1, 0) as size from audit_tree where level = 0')
  return rows[0]?.size ?? 0
}

/** Waits for the disk at each commit, also where the server as a whole does not: what was signed must be there after a power cut. */
export const keepWhatIsSigned = async (client: pg.PoolClient): Promise<void> =>
  void (await client.query(`select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`))

/** The hashes of perfect subtrees, in the order asked. */
export async function nodeHashes(client: pg.PoolClient, positions: readonly NodePosition[]): Promise<Buffer[]> {
  const { rows } = await client.query<{ hash: Buffer | null }>(
    `select audit_tree.hash from unnest($1::smallint[], $2::bigint[]) with ordinality as asked(level, position, place)
     left join audit_tree on audit_tree.level = asked.level and audit_tree.position = asked.position order by asked.place`,
    [positions.map(({ level }) => level), positions.map(({ index }) => index)],
  )
  return rows.map(({ hash }) => {
    if (hash === null) throw new AuditLogError('A hash of the tree is missing')
    return hash
  })
}

export async function signedSize(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ size: number }>('select coalesce(max(size), 0) as size from audit_checkpoints')
  return rows[0]?.size ?? 0
}

/** The signed note of the longest tree. */
export async function latestNote(client: pg.PoolClient): Promise<string | undefined> {
  const { rows } = await client.query<{ note: string }>('select note from audit_checkpoints order by size desc limit 1')
  return rows[0]?.note
}

/** The checkpoint at which some server stopped the log; undefined where none did. */
export async function stoppedAt(client: pg.PoolClient): Promise<string | undefined> {
  const { rows } = await client.query<{ checkpoint: string }>('select checkpoint from audit_stops')
  return rows[0]?.checkpoint
}

/** Stops the log for every server: from now on no event can be written. Says whether it was not stopped before. */
export async function stopLog(
  client: pg.PoolClient,
  { at, reason, checkpoint }: { at: Date; reason: string; checkpoint: string },
): Promise<boolean> {
  const { rowCount } = await client.query('insert into audit_stops (at, reason, checkpoint) values ($1, $2, $3) on conflict do nothing', [
    at,
    reason,
    checkpoint,
  ])
  return rowCount === 1
}

/** Lets events be written again. Says whether the log was stopped. */
export async function resumeLog(client: pg.PoolClient): Promise<boolean> {
  return ((await client.query('delete from audit_stops')).rowCount ?? 0) > 0
}

/**
 * What is committed and has no number. In the order of the transactions: what was written because of an event was written in a later one, whatever the
 * clocks say, which can be set back in between.
 */
export async function unnumberedEvents(client: pg.PoolClient, most: number): Promise<LeafRow[]> {
  const { rows } = await client.query<LeafRow>(
    `select ${leafColumns} from (select *, age(xmin) as age from events where sequence is null order by at, id limit ${most}) as events order by events.age desc, events.at, events.id`,
  )
  return rows
}

/** Gives these their numbers, from `first` on, and the tree its nodes, in one transaction. */
export async function numberEvents(
  client: pg.PoolClient,
  events: readonly Pick<LeafRow, 'tenant_id' | 'id'>[],
  first: number,
  nodes: readonly TreeNode[],
): Promise<void> {
  await client.query('begin')
  try {
    await client.query(
      `update events set sequence = numbered.sequence
       from unnest($1::uuid[], $2::uuid[]) with ordinality as given(tenant_id, id, place), lateral (select $3::bigint + given.place - 1 as sequence) as numbered
       where events.tenant_id = given.tenant_id and events.id = given.id`,
      [
        binaryList(
          'uuid',
          events.map(({ tenant_id }) => tenant_id),
        ),
        binaryList(
          'uuid',
          events.map(({ id }) => id),
        ),
        first,
      ],
    )
    await client.query({
      name: 'add-nodes',
      text: 'insert into audit_tree (level, position, hash) select * from unnest($1::smallint[], $2::bigint[], $3::bytea[])',
      values: [
        binaryList(
          'smallint',
          nodes.map(({ level }) => level),
        ),
        binaryList(
          'bigint',
          nodes.map(({ index }) => index),
        ),
        binaryList(
          'bytea',
          nodes.map(({ hash }) => hash),
        ),
      ],
    })
    await client.query(`select pg_notify('${numberedChannel}', '')`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

export const addCheckpoint = async (client: pg.PoolClient, { size, at, note }: CheckpointRow): Promise<void> =>
  void (await client.query('insert into audit_checkpoints (size, at, note) values ($1, $2, $3)', [size, at, note]))
