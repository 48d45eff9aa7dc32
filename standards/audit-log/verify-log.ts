// Judges a whole log from nothing but its rows, its checkpoints and the public key: it rebuilds the tree row by row and
// holds it against every checkpoint on the way. Numbers show a row that is missing, repeated or out of place; a kept leaf
// hash shows the very row that was edited; and whatever was also renumbered and rehashed shows as a root that is not the
// signed one, within the rows since the last checkpoint that still held. Someone who holds the signing key can rewrite all
// of that, but not a checkpoint that was kept elsewhere.
import { timingSafeEqual } from 'node:crypto'
import { verifyCheckpoint } from './checkpoint.ts'
import type { CheckpointKey, SignedCheckpoint } from './checkpoint.ts'
import { EMPTY_FRONTIER, appendLeaf, leafHash, rootOf } from './merkle.ts'
import type { Frontier } from './merkle.ts'

export interface LoggedRow {
  sequence: number
  /** the bytes that were hashed: the row's canonical JSON */
  bytes: Uint8Array
  /** the hash noted when the row was numbered; with it an edited row is named exactly */
  leafHash?: Uint8Array | undefined
}

export type LogFault =
  | 'keyMissing'
  | 'sequenceTooLow'
  | 'rowUnnumbered'
  | 'rowMissing'
  | 'rowOutOfPlace'
  | 'rowEdited'
  | 'rowsChanged'
  | 'checkpointInvalid'
  | 'checkpointOutOfOrder'
  | 'checkpointMissing'
  | 'rolledBack'
  | 'rewritten'

export type LogVerdict =
  | {
      ok: true
      rows: number
      /** rows that a checkpoint covers; those after it can still be changed unseen */
      signedRows: number
      checkpoints: number
      root: Uint8Array
    }
  | {
      ok: false
      fault: LogFault
      /** the row at fault, or the first of those among which it is */
      sequence: number
      lastSequence: number
      message: string
    }

export interface LogToVerify {
  /** in order of sequence, as read back */
  rows: Iterable<LoggedRow> | AsyncIterable<LoggedRow>
  /** in order of size */
  checkpoints: Iterable<{ text: string }> | AsyncIterable<{ text: string }>
  key: CheckpointKey
  /** a checkpoint kept outside the system */
  kept?: string | undefined
  /** the number of the first row ever, 0 unless told */
  firstSequence?: number
}

type Failure = Extract<LogVerdict, { ok: false }>

/** Stops at the first fault. */
export async function verifyLog({ rows, checkpoints, key, kept, firstSequence = 0 }: LogToVerify): Promise<LogVerdict> {
  const failure = (fault: LogFault, from: number, to: number, message: string): Failure => ({
    ok: false,
    fault,
    sequence: firstSequence + from,
    lastSequence: firstSequence + Math.max(from, to),
    message,
  })

  let storedCheckpoint: SignedCheckpoint | undefined
  if (kept !== undefined) {
    const verdict = verifyCheckpoint(kept, key)
    if (!verdict.ok) return failure('checkpointInvalid', 0, 0, `The checkpoint kept elsewhere cannot be used: ${verdict.fault}`)
    storedCheckpoint = verdict.checkpoint
  }

  const read = checkpointReader(checkpoints)
  let frontier: Frontier = EMPTY_FRONTIER
  let signedRows = 0
  let checkpointCount = 0
  let pending: SignedCheckpoint | undefined

  /** Takes the next checkpoint up, once; its signature is checked here. */
  const takeNext = async (): Promise<Failure | undefined> => {
    const next = await read()
    const verdict = next === undefined ? undefined : verifyCheckpoint(next.text, key)
    if (verdict?.ok === false) {
      return failure('checkpointInvalid', signedRows, signedRows, `Checkpoint ${checkpointCount + 1} is not valid: ${verdict.fault}`)
    }
    pending = verdict?.checkpoint
    if (pending !== undefined && pending.size < signedRows) {
      return failure(
        'checkpointOutOfOrder',
        pending.size,
        pending.size,
        `Checkpoint ${checkpointCount + 1} signs ${pending.size} rows and follows one that signs ${signedRows}`,
      )
    }
    return undefined
  }

  /** Holds the tree against all that speaks of its present size. */
  const compare = async (): Promise<Failure | undefined> => {
    const { size } = frontier
    if (storedCheckpoint?.size === size && !timingSafeEqual(rootOf(frontier), storedCheckpoint.root)) {
      return failure(
        'rewritten',
        0,
        size - 1,
        `The log was rewritten: its first ${size} rows are not those of the checkpoint kept elsewhere`,
      )
    }
    for (;;) {
      const checkpoint = pending
      if (checkpoint?.size !== size) return undefined
      if (!timingSafeEqual(rootOf(frontier), checkpoint.root)) {
        const [from, to] = [firstSequence + signedRows, firstSequence + size - 1]
        const which =
          signedRows < size
            ? `Among the rows ${from} to ${to} one was edited, deleted, inserted or moved`
            : `Two checkpoints of ${size} rows disagree`
        return failure('rowsChanged', signedRows, size - 1, `${which}: the root is not the signed one`)
      }
      signedRows = size
      checkpointCount += 1
      const fault = await takeNext()
      if (fault !== undefined) return fault
    }
  }

  const atStart = (await takeNext()) ?? (await compare())
  if (atStart !== undefined) return atStart
  for await (const row of rows) {
    const expected = firstSequence + frontier.size
    if (row.sequence > expected) {
      const last = row.sequence - 1 - firstSequence
      return failure(
        'rowMissing',
        frontier.size,
        last,
        `After row ${expected - 1} comes row ${row.sequence}: ${expected === row.sequence - 1 ? `row ${expected} is` : `the rows ${expected} to ${row.sequence - 1} are`} missing`,
      )
    }
    if (row.sequence < firstSequence) {
      const at = row.sequence - firstSequence
      return failure('sequenceTooLow', at, at, `Row ${row.sequence} has a number below ${firstSequence}, the first of all: it was inserted`)
    }
    if (row.sequence !== expected) {
      const at = row.sequence - firstSequence
      return failure(
        'rowOutOfPlace',
        at,
        at,
        `Row ${row.sequence} stands where row ${expected} belongs: it was inserted, repeated or moved`,
      )
    }
    const hash = leafHash(row.bytes)
    if (row.leafHash !== undefined && Buffer.compare(hash, row.leafHash) !== 0) {
      return failure('rowEdited', frontier.size, frontier.size, `Row ${row.sequence} was edited: its content is not what was hashed`)
    }
    frontier = appendLeaf(frontier, hash)
    const fault = await compare()
    if (fault !== undefined) return fault
  }

  if (pending !== undefined) {
    return failure(
      'rowMissing',
      frontier.size,
      pending.size - 1,
      `The log ends after ${frontier.size} rows and a checkpoint signs ${pending.size}: its last rows are missing`,
    )
  }
  if (storedCheckpoint !== undefined && storedCheckpoint.size > frontier.size) {
    return failure(
      'rolledBack',
      frontier.size,
      storedCheckpoint.size - 1,
      `The log was rolled back: it has ${frontier.size} rows and the checkpoint kept elsewhere signs ${storedCheckpoint.size}`,
    )
  }
  if (checkpointCount === 0 && frontier.size > 0) {
    return failure('checkpointMissing', 0, frontier.size - 1, 'The log has rows and no checkpoint, so nothing vouches for them')
  }
  return { ok: true, rows: frontier.size, signedRows, checkpoints: checkpointCount, root: rootOf(frontier) }
}

function checkpointReader(checkpoints: LogToVerify['checkpoints']): () => Promise<{ text: string } | undefined> {
  const iterator = Symbol.asyncIterator in checkpoints ? checkpoints[Symbol.asyncIterator]() : checkpoints[Symbol.iterator]()
  return async () => {
    const result = await iterator.next()
    return result.done === true ? undefined : result.value
  }
}
