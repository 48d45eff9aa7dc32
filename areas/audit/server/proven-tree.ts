// Proves before anything is signed that the tree in the database extends what was signed before (RFC 6962 2.1.2). Whoever owns the database can edit a
// row, rebuild the tree over it and delete the later checkpoints; a server that signed that tree would vouch for the forgery.

import type pg from 'pg'
import { verifyCheckpoint } from '#standards/audit-log/checkpoint.ts'
import { AuditLogError, consistencyProof, rootOf, verifyConsistency, type Frontier } from '#standards/audit-log/merkle.ts'
import { peakPositions } from '../rules.ts'
import type { CheckpointSigner } from './key.ts'
import type { StoredCheckpoint } from './stored-checkpoint.ts'
import { latestNote, nodeHashes, stoppedAt, treeSize } from './tree-store.ts'
import { checkpointKey } from './verify.ts'

/** The tree is not the one that was signed; `checkpoint` is the note that it does not extend. */
export class UnprovenTree extends Error {
  override name = 'UnprovenTree'
  readonly checkpoint: string
  constructor(message: string, checkpoint = '') {
    super(message)
    this.checkpoint = checkpoint
  }
}

/** Reads the frontier of the tree and proves that it extends every checkpoint that is known: of the database, of this server, of an earlier stop. */
export async function provenFrontier(client: pg.PoolClient, signer: CheckpointSigner, stored: StoredCheckpoint): Promise<Frontier> {
  const frontier = await readFrontier(client)
  const known: [where: string, note: string | undefined][] = [
    ['of the database', await latestNote(client)],
    ...(await notesOf(stored)).map((note): [string, string] => ['that this server keeps', note]),
    ['at which the log was stopped', await stoppedAt(client)],
  ]
  for (const [where, note] of known) if (note !== undefined && note !== '') await requireExtension(client, signer, frontier, where, note)
  return frontier
}

/** Requires that the tree in the database is still the one that was extended in memory. */
export async function requireUnchanged(client: pg.PoolClient, frontier: Frontier, note: string | undefined): Promise<void> {
  const found = await readFrontier(client)
  if (found.size !== frontier.size || !Buffer.from(rootOf(found)).equals(rootOf(frontier)))
    throw new UnprovenTree(
      `The tree was changed behind the server that extends it: it has ${found.size} events, and ${frontier.size} were numbered, or its root is another`,
      note,
    )
}

async function notesOf(stored: StoredCheckpoint): Promise<string[]> {
  try {
    return await stored.notes()
  } catch (error) {
    throw new UnprovenTree(
      `The checkpoint that this server keeps cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

async function requireExtension(
  client: pg.PoolClient,
  signer: CheckpointSigner,
  frontier: Frontier,
  where: string,
  note: string,
): Promise<void> {
  const verdict = verifyCheckpoint(note, checkpointKey(signer.verifierKey))
  if (!verdict.ok) throw new UnprovenTree(`The last checkpoint ${where} is not of this log and its key: ${verdict.fault}`, note)
  const { size, root } = verdict.checkpoint
  if (size > frontier.size)
    throw new UnprovenTree(`The tree has ${frontier.size} events, and the last checkpoint ${where} signs ${size}: it was rolled back`, note)
  const proof = await consistencyProof(size, frontier.size, (positions) => nodeHashes(client, positions)).catch((error: unknown) => {
    if (error instanceof AuditLogError) throw new UnprovenTree(error.message, note)
    throw error
  })
  if (!verifyConsistency({ first: size, second: frontier.size, firstRoot: root, secondRoot: rootOf(frontier), proof }))
    throw new UnprovenTree(`The first ${size} events are not those of the last checkpoint ${where}: the tree was rewritten`, note)
}

async function readFrontier(client: pg.PoolClient): Promise<Frontier> {
  const size = await treeSize(client)
  try {
    return { size, peaks: await nodeHashes(client, peakPositions(size)) }
  } catch (error) {
    if (error instanceof AuditLogError) throw new UnprovenTree(`The tree of ${size} events lacks a hash`)
    throw error
  }
}
