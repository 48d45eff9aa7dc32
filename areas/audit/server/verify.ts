// Reads the whole log, in one snapshot, and judges it. The rows and the checkpoints come from the database or from an export; the
// judgement is standards/audit-log/verify-log.ts.

import type { Database } from '#core/server/database.ts'
import { parseVerifierKey, type CheckpointKey } from '#standards/audit-log/checkpoint.ts'
import { verifyLog, type LoggedRow, type LogVerdict } from '#standards/audit-log/verify-log.ts'
import { leafBytes, type LeafRow } from './leaf.ts'
import { checkpointsAfter, leafCount, numberedRows, readKey } from './store.ts'

const pageSize = 2_000

export type KeptElsewhere = {
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

export const verifyDatabase = (auditor: Database, kept: KeptElsewhere = {}, sink?: LogSink): Promise<LogVerdict> =>
  auditor
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      const stored = await readKey(snapshot)
      const verifierKey = kept.verifierKey ?? stored?.verifier_key
      if (verifierKey === undefined) return { ok: true, rows: 0, signedRows: 0, checkpoints: 0, root: new Uint8Array() }
      sink?.key(verifierKey)
      const verdict = await verifyLog({
        rows: readRows(snapshot, sink),
        checkpoints: readCheckpoints(snapshot, sink),
        key: checkpointKey(verifierKey),
        kept: kept.checkpoint,
      })
      if (!verdict.ok) return verdict
      const leaves = await leafCount(snapshot)
      if (leaves <= verdict.rows) return verdict
      return {
        ok: false,
        fault: 'rowMissing',
        sequence: verdict.rows,
        lastSequence: leaves - 1,
        message: `The log ends after ${verdict.rows} rows and hashes of ${leaves} were noted: its last rows are missing`,
      }
    })

async function* readRows(snapshot: Database, sink: LogSink | undefined): AsyncGenerator<LoggedRow> {
  for (let after = -1; ;) {
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
