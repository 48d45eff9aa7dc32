// Verifies the audit log without a server: from the database, or from a file that an earlier run exported. Ends with 0 where the log
// is intact, 1 where it is not, 2 where it could not be read.

import { createReadStream, createWriteStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { leafBytes, type LeafRow } from '#areas/audit/server/leaf.ts'
import { checkpointKey, verifyDatabase, type ExternalCheckpoint, type LogSink } from '#areas/audit/server/verify.ts'
import { connect } from '#core/server/database.ts'
import { readSettings } from '#core/server/settings.ts'
import { startDatabase } from '#core/server/start-database.ts'
import { verifyLog, type LoggedRow, type LogVerdict } from '#standards/audit-log/verify-log.ts'

const help = `npm run audit:verify -- [options]

Reads the whole audit log and says whether a row was deleted, edited, moved or inserted. Ends with 0 where the log is intact, 1 where it is
NOT INTACT (the name of the fault stands in brackets: keyMissing, rowMissing, rowUnnumbered, ...), 2 where it could not be read.

  --checkpoint FILE   a checkpoint that was kept elsewhere: shows a log that was rolled back or rewritten with its own key
  --key TEXT          the verifier key that was kept elsewhere, instead of the one that lies beside the log
  --export FILE       also write the log to FILE, to be verified on another machine
  --from FILE         verify such a file instead of the database

The database is that of DATABASE_URL, or the embedded one below CHANCERY_DATA.`

type ExportLine = { key: string } | { row: LeafRow; sequence: number; hash: string | null } | { checkpoint: string }

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      checkpoint: { type: 'string' },
      key: { type: 'string' },
      export: { type: 'string' },
      from: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) {
    console.log(help)
    return 0
  }
  const kept: ExternalCheckpoint = {
    checkpoint: values.checkpoint === undefined ? undefined : readFileSync(values.checkpoint, 'utf8'),
    verifierKey: values.key,
  }
  const verdict = values.from === undefined ? await fromDatabase(kept, values.export) : await fromFile(values.from, kept)
  if (!verdict.ok) {
    console.log(`NOT INTACT: ${verdict.message} (${verdict.fault}).`)
    return 1
  }
  const tail = verdict.rows - verdict.signedRows
  console.log(
    `Intact: ${verdict.rows} events, ${verdict.checkpoints} checkpoints${tail === 0 ? '' : `, the last ${tail} events not signed yet`}.`,
  )
  console.log(`Root: ${Buffer.from(verdict.root).toString('base64')}`)
  return 0
}

async function fromDatabase(kept: ExternalCheckpoint, exportFile: string | undefined): Promise<LogVerdict> {
  const settings = readSettings(process.env)
  const database = await startDatabase(settings, () => {})
  const auditor = connect(database.connection, 'chancery_auditor', 2)
  try {
    if (exportFile === undefined) return await verifyDatabase(auditor.database, kept)
    const file = createWriteStream(exportFile, { mode: 0o600 })
    const write = (line: ExportLine) => void file.write(`${JSON.stringify(line)}\n`)
    const sink: LogSink = {
      key: (key) => write({ key }),
      row: (row, sequence, hash) => write({ row, sequence, hash: hash?.toString('base64') ?? null }),
      checkpoint: (checkpoint) => write({ checkpoint }),
    }
    const verdict = await verifyDatabase(auditor.database, kept, sink)
    file.end()
    await finished(file)
    return verdict
  } finally {
    await auditor.close()
    await database.stop()
  }
}

async function fromFile(path: string, kept: ExternalCheckpoint): Promise<LogVerdict> {
  const lines = async function* (): AsyncGenerator<ExportLine> {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity }))
      if (line !== '') yield JSON.parse(line)
  }
  const first = (await lines().next()).value
  const verifierKey = kept.verifierKey ?? (first !== undefined && 'key' in first ? first.key : undefined)
  if (first === undefined) throw new Error(`${path} is empty`)
  if (verifierKey === undefined)
    return { ok: false, fault: 'keyMissing', sequence: 0, lastSequence: 0, message: `${path} does not begin with the key of a log` }
  const rows = async function* (): AsyncGenerator<LoggedRow> {
    for await (const line of lines())
      if ('row' in line)
        yield {
          sequence: line.sequence,
          bytes: leafBytes(line.row),
          leafHash: line.hash === null ? undefined : Buffer.from(line.hash, 'base64'),
        }
  }
  const checkpoints = async function* (): AsyncGenerator<{ text: string }> {
    for await (const line of lines()) if ('checkpoint' in line) yield { text: line.checkpoint }
  }
  return verifyLog({ rows: rows(), checkpoints: checkpoints(), key: checkpointKey(verifierKey), kept: kept.checkpoint })
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(`The audit log could not be read: ${error instanceof Error ? error.message : String(error)}`)
  return 2
})
