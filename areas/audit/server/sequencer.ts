// Events are written without a number, by many servers at once. One server at a time, under an advisory lock, numbers those that are
// committed, appends them to the Merkle tree and signs a checkpoint each second in which something changed. Numbers, hashes and
// lock share one connection: a server that loses the lock loses its open transaction with it, so two can never number at once.

import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { eventChannel } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { underLease, type Leased } from '#core/server/lease.ts'
import { formatCheckpoint, signCheckpoint } from '#standards/audit-log/checkpoint.ts'
import { appendLeaf, leafHash, rootOf, AuditLogError, type Frontier } from '#standards/audit-log/merkle.ts'
import { checkpointMilliseconds, gatherMilliseconds, numberingBatch, peakPositions } from '../rules.ts'
import type { CheckpointSigner } from './key.ts'
import { leafBytes } from './leaf.ts'
import { addCheckpoint, nodeHash, numberEvents, signedSize, treeSize, unnumberedEvents, type TreeNode } from './tree-store.ts'

const lease = 0x61756469

export type Sequencer = { stop(): Promise<void> }

export const startSequencer = (house: House, signer: CheckpointSigner): Sequencer =>
  underLease(house.auditor.pool, {
    lease,
    channel: eventChannel,
    work: (leased) => numberEach(house, signer, leased),
    failed: (error) => house.log.error({ error }, 'events could not be numbered; trying again'),
  })

async function numberEach(house: House, signer: CheckpointSigner, { client, signal, lost, pause }: Leased): Promise<void> {
  let frontier = await readFrontier(client)
  let signed = await signedSize(client)
  let signedAt = -Infinity
  while (!signal.aborted) {
    const before = frontier.size
    frontier = await numberBatch(client, frontier)
    const due = performance.now() - signedAt >= checkpointMilliseconds
    if (due && frontier.size > signed) {
      await signCheckpointOf(client, signer, frontier, house.now())
      signed = frontier.size
      signedAt = performance.now()
    }
    if (frontier.size > before) {
      // Under load there is more at once; what comes within a moment is numbered together.
      if (frontier.size - before < numberingBatch) await wait(gatherMilliseconds, undefined, { signal }).catch(() => {})
      continue
    }
    const untilDue = signedAt + checkpointMilliseconds - performance.now()
    await pause(frontier.size > signed ? Math.max(untilDue, 0) : checkpointMilliseconds)
  }
  // What was numbered in the last second is signed before the house closes.
  if (!lost() && frontier.size > signed) await signCheckpointOf(client, signer, frontier, house.now())
}

async function readFrontier(client: pg.PoolClient): Promise<Frontier> {
  const size = await treeSize(client)
  const peaks: Buffer[] = []
  for (const { level, index } of peakPositions(size)) {
    const hash = await nodeHash(client, { level, index })
    if (hash === undefined) throw new AuditLogError(`The tree of ${size} events lacks its hash ${level}/${index}: run npm run audit:verify`)
    peaks.push(hash)
  }
  return { size, peaks }
}

/** Numbers what is committed, at most one batch, and returns the tree with it. */
async function numberBatch(client: pg.PoolClient, frontier: Frontier): Promise<Frontier> {
  const rows = await unnumberedEvents(client, numberingBatch)
  if (rows.length === 0) return frontier
  const nodes: TreeNode[] = []
  let grown = frontier
  for (const row of rows) grown = appendLeaf(grown, leafHash(leafBytes(row)), (position, hash) => void nodes.push({ ...position, hash }))
  await numberEvents(client, rows, frontier.size, nodes)
  return grown
}

async function signCheckpointOf(client: pg.PoolClient, signer: CheckpointSigner, frontier: Frontier, now: Date): Promise<void> {
  const note = formatCheckpoint({ origin: signer.origin, size: frontier.size, root: rootOf(frontier) })
  await addCheckpoint(client, { size: frontier.size, at: now, note: signCheckpoint(note, signer.privateKey, signer.origin) })
}
