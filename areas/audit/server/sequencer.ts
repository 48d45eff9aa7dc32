// Events are written without a number, by many servers at once. One server at a time, under an advisory lock, numbers those that are
// committed, appends them to the Merkle tree and signs a checkpoint each second in which something changed. Numbers, hashes and
// lock share one connection: a server that loses the lock loses its open transaction with it, so two can never number at once.

import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { eventChannel } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { underLease, type Leased } from '#core/server/lease.ts'
import { formatCheckpoint, signCheckpoint } from '#standards/audit-log/checkpoint.ts'
import { appendLeaf, leafHash, rootOf, type Frontier } from '#standards/audit-log/merkle.ts'
import { checkpointMilliseconds, gatherMilliseconds, numberingBatch, proveAgainMilliseconds } from '../rules.ts'
import type { CheckpointSigner } from './key.ts'
import { leafBytes } from './leaf.ts'
import { provenFrontier, requireUnchanged, UnprovenTree } from './proven-tree.ts'
import { addVerification } from './store.ts'
import { keepCheckpoints, type StoredCheckpoint } from './stored-checkpoint.ts'
import {
  addCheckpoint,
  keepWhatIsSigned,
  numberEvents,
  resumeLog,
  signedSize,
  stopLog,
  treeSize,
  unnumberedEvents,
  type TreeNode,
} from './tree-store.ts'

const lease = 0x61756469

export type Sequencer = { stop(): Promise<void> }

export const startSequencer = (house: House, signer: CheckpointSigner): Sequencer => {
  const stored = keepCheckpoints(house)
  return underLease(house.held, {
    lease,
    channel: eventChannel,
    work: (leased) => numberWhileProven(house, signer, stored, leased),
    failed: (error) => house.log.error({ error }, 'events could not be numbered; trying again'),
  })
}

/** Numbers and signs while the tree is proven. Where it is not, the log is stopped and the lease held, so that no other server signs it either. */
async function numberWhileProven(house: House, signer: CheckpointSigner, stored: StoredCheckpoint, leased: Leased): Promise<void> {
  const { client, signal, pause } = leased
  await keepWhatIsSigned(client)
  while (!signal.aborted) {
    try {
      const frontier = await provenFrontier(client, signer, stored)
      if (await resumeLog(client)) house.log.warn('the tree of the audit log is the one that was signed again; events are recorded again')
      return await numberEach(house, signer, stored, leased, frontier)
    } catch (error) {
      if (!(error instanceof UnprovenTree)) throw error
      await sayStopped(house, client, error)
      await pause(proveAgainMilliseconds)
    }
  }
}

async function sayStopped(house: House, client: pg.PoolClient, { message, checkpoint }: UnprovenTree): Promise<void> {
  if (!(await stopLog(client, { at: house.now(), reason: message, checkpoint }))) return
  house.log.fatal(
    `The audit log is stopped, and every change answers 503: ${message}. Nothing was signed. Put the database back as it was; where it was restored on purpose, docs/running.md says what to do.`,
  )
  await addVerification(house.auditor.database, { at: house.now(), intact: false, row_count: await treeSize(client), message })
}

async function numberEach(
  house: House,
  signer: CheckpointSigner,
  stored: StoredCheckpoint,
  { client, signal, lost, pause }: Leased,
  proven: Frontier,
): Promise<void> {
  let frontier = proven
  let signed = await signedSize(client)
  let signedAt = -Infinity
  while (!signal.aborted) {
    const before = frontier.size
    frontier = await numberBatch(client, frontier, stored)
    const due = performance.now() - signedAt >= checkpointMilliseconds
    if (due && frontier.size > signed) {
      await signCheckpointOf(client, signer, stored, frontier, house.now())
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
  if (!lost() && frontier.size > signed) await signCheckpointOf(client, signer, stored, frontier, house.now())
}

/** Numbers what is committed, at most one batch, and returns the tree with it. */
async function numberBatch(client: pg.PoolClient, frontier: Frontier, stored: StoredCheckpoint): Promise<Frontier> {
  const rows = await unnumberedEvents(client, numberingBatch)
  if (rows.length === 0) return frontier
  // Later it would not show: what is added now hides what is below it.
  await requireUnchanged(client, frontier, stored.last())
  const nodes: TreeNode[] = []
  let grown = frontier
  for (const row of rows) grown = appendLeaf(grown, leafHash(leafBytes(row)), (position, hash) => void nodes.push({ ...position, hash }))
  await numberEvents(client, rows, frontier.size, nodes)
  return grown
}

async function signCheckpointOf(
  client: pg.PoolClient,
  signer: CheckpointSigner,
  stored: StoredCheckpoint,
  frontier: Frontier,
  now: Date,
): Promise<void> {
  await requireUnchanged(client, frontier, stored.last())
  const note = signCheckpoint(
    formatCheckpoint({ origin: signer.origin, size: frontier.size, root: rootOf(frontier) }),
    signer.privateKey,
    signer.origin,
  )
  await addCheckpoint(client, { size: frontier.size, at: now, note })
  await stored.keep(note)
}
