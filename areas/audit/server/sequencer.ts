// Events are written without a number, by many servers at once. One server at a time, under an advisory lock, numbers those that are
// committed, appends them to the Merkle tree and signs a checkpoint each second in which something changed. Numbers, hashes and
// lock share one connection: a server that loses the lock loses its open transaction with it, so two can never number at once.

import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { binaryList } from '#core/server/binary-list.ts'
import { eventChannel, numberedChannel } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { formatCheckpoint, signCheckpoint } from '#standards/audit-log/checkpoint.ts'
import { appendLeaf, leafHash, rootOf, AuditLogError, type Frontier, type NodePosition } from '#standards/audit-log/merkle.ts'
import { checkpointMilliseconds, gatherMilliseconds, numberingBatch, peakPositions } from '../rules.ts'
import type { CheckpointSigner } from './key.ts'
import { leafBytes, leafColumns, type LeafRow } from './leaf.ts'

const lease = 0x61756469
const retryMilliseconds = 1_000

export type Sequencer = { stop(): Promise<void> }

export function startSequencer(house: House, signer: CheckpointSigner): Sequencer {
  const ended = new AbortController()
  let woken = false
  let wake = () => {}
  const rouse = () => {
    woken = true
    wake()
  }
  const loop = run()
  return {
    async stop() {
      ended.abort()
      rouse()
      await loop
    },
  }

  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        await workUnderLease()
      } catch (error) {
        if (!ended.signal.aborted) house.log.error({ error }, 'events could not be numbered; trying again')
      }
      woken = false
      await pause(retryMilliseconds)
    }
  }

  async function workUnderLease(): Promise<void> {
    const client = await house.auditor.pool.connect()
    const lost = new AbortController()
    const onError = (error: Error) => {
      lost.abort(error)
      rouse()
    }
    client.on('error', onError)
    client.on('notification', rouse)
    try {
      const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [lease])
      if (rows[0]?.mine !== true) return
      await client.query(`listen ${eventChannel}`)
      let frontier = await readFrontier(client)
      let signed = await signedSize(client)
      let signedAt = -Infinity
      while (!ended.signal.aborted && !lost.signal.aborted) {
        woken = false
        const before = frontier.size
        frontier = await numberBatch(client, frontier)
        const due = performance.now() - signedAt >= checkpointMilliseconds
        if (due && frontier.size > signed) {
          await addCheckpoint(client, signer, frontier, house.now())
          signed = frontier.size
          signedAt = performance.now()
        }
        if (frontier.size > before) {
          // Under load there is more at once; what comes within a moment is numbered together.
          if (frontier.size - before < numberingBatch) await wait(gatherMilliseconds, undefined, { signal: ended.signal }).catch(() => {})
          continue
        }
        const untilDue = signedAt + checkpointMilliseconds - performance.now()
        await pause(frontier.size > signed ? Math.max(untilDue, 0) : checkpointMilliseconds)
      }
      // What was numbered in the last second is signed before the house closes.
      if (!lost.signal.aborted && frontier.size > signed) await addCheckpoint(client, signer, frontier, house.now())
    } finally {
      client.off('error', onError)
      client.off('notification', rouse)
      // The lock and the listening end with the connection.
      client.release(true)
    }
  }

  function pause(milliseconds: number): Promise<void> {
    if (woken || ended.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

async function readFrontier(client: pg.PoolClient): Promise<Frontier> {
  const { rows: sizes } = await client.query<{ size: number }>('select coalesce(max(position) + 1, 0) as size from audit_tree where level = 0')
  const size = sizes[0]?.size ?? 0
  const peaks: Buffer[] = []
  for (const { level, index } of peakPositions(size)) {
    const { rows } = await client.query<{ hash: Buffer }>('select hash from audit_tree where level = $1 and position = $2', [level, index])
    const hash = rows[0]?.hash
    if (hash === undefined) throw new AuditLogError(`The tree of ${size} events lacks its hash ${level}/${index}: run npm run audit:verify`)
    peaks.push(hash)
  }
  return { size, peaks }
}

async function signedSize(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ size: number }>('select coalesce(max(size), 0) as size from audit_checkpoints')
  return rows[0]?.size ?? 0
}

/**
 * Numbers what is committed, at most one batch, and returns the tree with it. In the order of the transactions: what was written because of an event was
 * written in a later one, whatever the clocks say, which can be set back in between.
 */
async function numberBatch(client: pg.PoolClient, frontier: Frontier): Promise<Frontier> {
  const { rows } = await client.query<LeafRow>(
    `select ${leafColumns} from (select *, age(xmin) as age from events where sequence is null order by at, id limit ${numberingBatch}) as events order by events.age desc, events.at, events.id`,
  )
  if (rows.length === 0) return frontier
  const nodes: (NodePosition & { hash: Uint8Array })[] = []
  let grown = frontier
  for (const row of rows) grown = appendLeaf(grown, leafHash(leafBytes(row)), (position, hash) => void nodes.push({ ...position, hash }))

  await client.query('begin')
  try {
    await client.query(
      `update events set sequence = numbered.sequence
       from unnest($1::uuid[], $2::uuid[]) with ordinality as given(tenant_id, id, place), lateral (select $3::bigint + given.place - 1 as sequence) as numbered
       where events.tenant_id = given.tenant_id and events.id = given.id`,
      [binaryList('uuid', rows.map(({ tenant_id }) => tenant_id)), binaryList('uuid', rows.map(({ id }) => id)), frontier.size],
    )
    await client.query({
      name: 'add-nodes',
      text: 'insert into audit_tree (level, position, hash) select * from unnest($1::smallint[], $2::bigint[], $3::bytea[])',
      values: [binaryList('smallint', nodes.map(({ level }) => level)), binaryList('bigint', nodes.map(({ index }) => index)), binaryList('bytea', nodes.map(({ hash }) => hash))],
    })
    await client.query(`select pg_notify('${numberedChannel}', '')`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
  return grown
}

async function addCheckpoint(client: pg.PoolClient, signer: CheckpointSigner, frontier: Frontier, now: Date): Promise<void> {
  const note = formatCheckpoint({ origin: signer.origin, size: frontier.size, root: rootOf(frontier) })
  await client.query('insert into audit_checkpoints (size, at, note) values ($1, $2, $3)', [frontier.size, now, signCheckpoint(note, signer.privateKey, signer.origin)])
}
