// Reads the whole log, in one snapshot, and judges it. The rows and the checkpoints come from the database or from an export; the
// judgement is standards/audit-log/verify-log.ts.

import type { Database } from '#core/server/database.ts'
import { parseVerifierKey, type CheckpointKey } from '#standards/audit-log/checkpoint.ts'
import { verifyLog, type LoggedRow, type LogVerdict } from '#standards/audit-log/verify-log.ts'
import { say } from '#standards/say/say.ts'
import { longestUnnumberedMilliseconds } from '../rules.ts'
import { leafBytes, type LeafRow } from './leaf.ts'
import { checkpointsAfter, leafCount, mostVerified, numberedRows, readKey, unnumberedBefore } from './store.ts'

const pageSize = 2_000

export type ExternalCheckpoint = {
  /** A checkpoint that somebody kept outside this system. */
  checkpoint?: string | undefined
  /** The verifier key that somebody kept; without it the one beside the log is taken, which whoever owns the database could replace. */
  verifierKey?: string | undefined
}

/** What an export writes: one call for the key, then each row and each checkpoint. */
export type LogSink = {
  key(verifierKey: string): void
  row(row: LeafRow, sequence: number, hash: Buffer | null): void
  checkpoint(note: string): void
}

export const checkpointKey = (verifierKey: string): CheckpointKey => {
  const { name, publicKey } = parseVerifierKey(verifierKey)
  return { name, publicKey, origin: name }
}

/** Judges the log as the database holds it at one moment; `now` tells how long rows have waited for their number. */
export const verifyDatabase = (auditor: Database, kept: ExternalCheckpoint = {}, sink?: LogSink, now = new Date()): Promise<LogVerdict> =>
  auditor
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      const stored = await readKey(snapshot)
      const verifierKey = kept.verifierKey ?? stored?.verifier_key
      if (verifierKey === undefined) return keyMissing('The key that signs the checkpoints is gone, so nothing vouches for the log')
      sink?.key(verifierKey)
      const verdict = await verifyLog({
        rows: readRows(snapshot, sink),
        checkpoints: readCheckpoints(snapshot, sink),
        key: checkpointKey(verifierKey),
        kept: kept.checkpoint,
      })
      if (!verdict.ok) return verdict
      if (stored === undefined) return keyMissing('The key that signs the checkpoints is gone')
      const beyond = [
        { rows: await leafCount(snapshot), fault: 'rowMissing' as const, known: 'hashes of {rows} were noted' },
        { rows: await mostVerified(snapshot), fault: 'rolledBack' as const, known: 'an earlier verification found {rows}' },
      ].find(({ rows }) => rows > verdict.rows)
      if (beyond !== undefined)
        return {
          ok: false,
          fault: beyond.fault,
          sequence: verdict.rows,
          lastSequence: beyond.rows - 1,
          message: say`The log ends after ${verdict.rows} rows and ${beyond.known.replace('{rows}', String(beyond.rows))}: its last rows are missing`,
        }
      const waiting = await unnumberedBefore(snapshot, new Date(now.getTime() - longestUnnumberedMilliseconds))
      if (waiting === undefined) return verdict
      return {
        ok: false,
        fault: 'rowUnnumbered',
        sequence: verdict.rows,
        lastSequence: verdict.rows,
        message: say`The event ${waiting.id} of ${waiting.at.toISOString()} has no number, so nothing vouches for it. Start Chancery, which numbers what waits; if it stays so, the number was taken away`,
      }
    })

const keyMissing = (message: string): LogVerdict => ({ ok: false, fault: 'keyMissing', sequence: 0, lastSequence: 0, message })

async function* readRows(snapshot: Database, sink: LogSink | undefined): AsyncGenerator<LoggedRow> {
  for (let after: number | undefined; ;) {
    const rows = await numberedRows(snapshot, after, pageSize)
    for (const { sequence, hash, ...row } of rows) {
      sink?.row(row, sequence, hash)
      yield { sequence, bytes: leafBytes(row), leafHash: hash ?? undefined }
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.sequence
  }
}

async function* readCheckpoints(snapshot: Database, sink: LogSink | undefined): AsyncGenerator<{ text: string }> {
  for (let size = 0; ;) {
    const rows = await checkpointsAfter(snapshot, size, pageSize)
    for (const { note } of rows) {
      sink?.checkpoint(note)
      yield { text: note }
    }
    const last = rows.at(-1)
    if (last === undefined) return
    size = last.size
  }
}
