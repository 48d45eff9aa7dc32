import fc from 'fast-check'
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'
import { formatCheckpoint, signCheckpoint } from './checkpoint.ts'
import { EMPTY_FRONTIER, appendLeaf, leafHash, rootOf } from './merkle.ts'
import { verifyLog } from './verify-log.ts'
import type { LogVerdict, LoggedRow } from './verify-log.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const key = { publicKey, name: 'audit' }
const origin = 'a log'

interface Log {
  rows: LoggedRow[]
  checkpoints: { text: string }[]
}

/** A log of `count` rows with a checkpoint after every `each` rows. */
function logOf(count: number, each: number, what = (index: number): unknown => ({ event: 'certificates.issued', index })): Log {
  const rows: LoggedRow[] = []
  const checkpoints: { text: string }[] = []
  let frontier = EMPTY_FRONTIER
  for (let sequence = 0; sequence < count; sequence++) {
    const bytes = canonicalJson(what(sequence))
    rows.push({ sequence, bytes, leafHash: leafHash(bytes) })
    frontier = appendLeaf(frontier, leafHash(bytes))
    if (frontier.size % each === 0) {
      const note = formatCheckpoint({ origin, size: frontier.size, root: rootOf(frontier) })
      checkpoints.push({ text: signCheckpoint(note, privateKey, key.name) })
    }
  }
  return { rows, checkpoints }
}

const renumbered = (rows: LoggedRow[]) => rows.map((row, sequence) => ({ ...row, sequence }))
const rehashed = (row: LoggedRow, text: string): LoggedRow => {
  const bytes = Buffer.from(text)
  return { ...row, bytes, leafHash: leafHash(bytes) }
}
const without = <T>(list: T[], index: number) => list.filter((_, at) => at !== index)
const at = <T>(list: readonly T[], index: number): T => {
  const found = list.at(index)
  if (found === undefined) throw new Error(`nothing at ${index}`)
  return found
}

const COUNT = 50
const EACH = 8
const intact = logOf(COUNT, EACH)

describe('an intact log', () => {
  test('verifies, and the tail that no checkpoint covers yet is counted', async () => {
    expect(await verifyLog({ ...intact, key })).toMatchObject({ ok: true, rows: 50, signedRows: 48, checkpoints: 6 })
  })

  test('verifies against each checkpoint kept elsewhere', async () => {
    for (const { text } of intact.checkpoints) expect((await verifyLog({ ...intact, key, kept: text })).ok).toBe(true)
  })

  test('may be read from a database row by row', async () => {
    async function* rows() {
      yield* intact.rows
    }
    expect((await verifyLog({ rows: rows(), checkpoints: intact.checkpoints, key })).ok).toBe(true)
  })

  test('may begin at another number', async () => {
    const rows = intact.rows.map((row) => ({ ...row, sequence: row.sequence + 1 }))
    expect((await verifyLog({ rows, checkpoints: intact.checkpoints, key, firstSequence: 1 })).ok).toBe(true)
    expect(await verifyLog({ rows, checkpoints: intact.checkpoints, key })).toMatchObject({ ok: false, fault: 'rowMissing', sequence: 0 })
  })

  test('verifies when it is empty', async () => {
    expect(await verifyLog({ rows: [], checkpoints: [], key })).toMatchObject({ ok: true, rows: 0 })
  })
})

const covers = (verdict: LogVerdict, sequence: number) => !verdict.ok && verdict.sequence <= sequence && sequence <= verdict.lastSequence

describe('a log in which', () => {
  const signedRow = fc.integer({ min: 0, max: 47 })

  test('a row was deleted names it', () =>
    fc.assert(
      fc.asyncProperty(signedRow, async (index) => {
        const verdict = await verifyLog({ ...intact, rows: without(intact.rows, index), key })
        expect(verdict).toMatchObject({ ok: false, fault: 'rowMissing', sequence: index, lastSequence: index })
      }),
    ))

  test('a row was edited names it', () =>
    fc.assert(
      fc.asyncProperty(signedRow, async (index) => {
        const rows = intact.rows.with(index, { ...at(intact.rows, index), bytes: Buffer.from('{}') })
        expect(await verifyLog({ ...intact, rows, key })).toMatchObject({
          ok: false,
          fault: 'rowEdited',
          sequence: index,
          lastSequence: index,
        })
      }),
    ))

  test("two rows stand in each other's place names the first", () =>
    fc.assert(
      fc.asyncProperty(signedRow, signedRow, async (a, b) => {
        fc.pre(a !== b)
        const rows = intact.rows.with(a, at(intact.rows, b)).with(b, at(intact.rows, a))
        const verdict = await verifyLog({ ...intact, rows, key })
        expect(verdict.ok).toBe(false)
        expect(covers(verdict, Math.min(a, b))).toBe(true)
      }),
    ))

  test('a row stands twice names it', () =>
    fc.assert(
      fc.asyncProperty(signedRow, async (index) => {
        const rows = intact.rows.toSpliced(index, 0, at(intact.rows, index))
        expect(await verifyLog({ ...intact, rows, key })).toMatchObject({ ok: false, fault: 'rowOutOfPlace', sequence: index })
      }),
    ))

  test.each<[string, (rows: LoggedRow[], index: number) => LoggedRow[]]>([
    ['edited', (rows, index) => rows.with(index, rehashed(at(rows, index), '{"event":"nothing"}'))],
    ['deleted', (rows, index) => renumbered(without(rows, index))],
    ['inserted', (rows, index) => renumbered(rows.toSpliced(index, 0, rehashed(at(rows, index), '{"event":"invented"}')))],
    ['moved', (rows, index) => renumbered(without(rows, index).toSpliced(index < 24 ? 47 : 0, 0, at(rows, index)))],
  ])('a row was %s, with numbers and hashes made to fit, is narrowed to the rows between two checkpoints', (_what, tamper) =>
    fc.assert(
      fc.asyncProperty(signedRow, async (index) => {
        const verdict = await verifyLog({ ...intact, rows: tamper(intact.rows, index), key })
        expect(verdict).toMatchObject({ ok: false, fault: 'rowsChanged' })
        const firstTouched = _what === 'moved' && index >= 24 ? 0 : index
        expect(covers(verdict, firstTouched)).toBe(true)
        expect(!verdict.ok && verdict.lastSequence - verdict.sequence).toBe(EACH - 1)
      }),
    ),
  )

  test('the last rows are gone names the first of them', async () => {
    expect(await verifyLog({ ...intact, rows: intact.rows.slice(0, 45), key })).toMatchObject({
      ok: false,
      fault: 'rowMissing',
      sequence: 45,
      lastSequence: 47,
    })
  })

  test('the last rows and their checkpoints are gone is found with the checkpoint kept elsewhere', async () => {
    const rolledBack = { rows: intact.rows.slice(0, 40), checkpoints: intact.checkpoints.slice(0, 5) }
    expect((await verifyLog({ ...rolledBack, key })).ok).toBe(true)
    expect(await verifyLog({ ...rolledBack, key, kept: at(intact.checkpoints, 5).text })).toMatchObject({
      ok: false,
      fault: 'rolledBack',
      sequence: 40,
      lastSequence: 47,
    })
  })

  test('all was rewritten and signed again is found with the checkpoint kept elsewhere', async () => {
    const rewritten = logOf(COUNT, EACH, (index) => (index === 3 ? 'forged' : { event: 'certificates.issued', index }))
    expect((await verifyLog({ ...rewritten, key })).ok).toBe(true)
    const verdict = await verifyLog({ ...rewritten, key, kept: at(intact.checkpoints, 2).text })
    expect(verdict).toMatchObject({ ok: false, fault: 'rewritten' })
    expect(covers(verdict, 3)).toBe(true)
  })

  test('all checkpoints are gone does not pass for a new log', async () => {
    expect(await verifyLog({ ...intact, checkpoints: [], key })).toMatchObject({ ok: false, fault: 'checkpointMissing' })
  })

  test('a checkpoint was signed by someone else is refused', async () => {
    const forged = signCheckpoint(
      at(intact.checkpoints, 3).text.split('\n\n')[0] + '\n',
      generateKeyPairSync('ed25519').privateKey,
      key.name,
    )
    const verdict = await verifyLog({ ...intact, checkpoints: intact.checkpoints.with(3, { text: forged }), key })
    expect(verdict).toMatchObject({ ok: false, fault: 'checkpointInvalid', message: expect.stringContaining('Checkpoint 4') })
  })

  test('a checkpoint was altered is refused', async () => {
    const altered = at(intact.checkpoints, 3).text.replace('\n32\n', '\n31\n')
    expect(await verifyLog({ ...intact, checkpoints: intact.checkpoints.with(3, { text: altered }), key })).toMatchObject({
      ok: false,
      fault: 'checkpointInvalid',
    })
  })

  test('checkpoints stand out of order is refused', async () => {
    expect(await verifyLog({ ...intact, checkpoints: intact.checkpoints.toReversed(), key })).toMatchObject({
      ok: false,
      fault: 'checkpointOutOfOrder',
    })
  })

  test('two checkpoints of one size disagree is refused', async () => {
    const other = logOf(COUNT, EACH, (index) => ({ index }))
    const checkpoints = intact.checkpoints.toSpliced(2, 0, at(other.checkpoints, 1))
    expect(await verifyLog({ ...intact, checkpoints, key })).toMatchObject({
      ok: false,
      fault: 'rowsChanged',
      message: expect.stringContaining('disagree'),
    })
  })

  test('the checkpoint kept elsewhere is no checkpoint says so', async () => {
    expect(await verifyLog({ ...intact, key, kept: 'a note to self' })).toMatchObject({ ok: false, fault: 'checkpointInvalid' })
  })
})
