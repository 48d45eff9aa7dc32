// Imports of files as strangers' programs write them, over a real database; the cuts are made where a server can die.

import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { csvLine } from '#core/contract/csv.ts'
import { noPermission } from '#core/contract/permissions.ts'
import { openTestHouse, type TestHouse, type TestTenancy } from '#core/testing/house.ts'
import { inTenant, type Database } from '../database.ts'
import { Fault, invalidField } from '../fault.ts'
import { withTenancy, type Tenancy } from '../tenancy.ts'
import { readCsvFile } from './read-file.ts'
import {
  cancelImport,
  checkImport,
  countImport,
  faultyRows,
  faultyRowsFile,
  importKind,
  importTurn,
  prepareImport,
  readImport,
  startImport,
  undoImport,
  type ImportKind,
} from './staged-import.ts'

/** A room's rows: who is applied stands here once, or the run was not exact. */
const members = (db: Database) => db.withTables<{ test_members: { tenant_id: string; name: string; age: number | null } }>()

const kind = importKind({
  kind: 'test.members',
  columns: {
    name: { label: 'Name', synonyms: ['full name', 'Benutzername'], required: true, unique: true, shape: z.string().max(20, 'Too long') },
    age: {
      label: 'Age',
      shape: z
        .string()
        .regex(/^\d{1,3}$/, 'Enter a number')
        .transform(Number),
    },
  },
  needs: ['userAdd'],
  rights: async (_tenancy, { userId }) => (lost.has(userId) ? undefined : { permission: noPermission, person: { tenantId: acme.id } }),
  undoShape: z.object({ name: z.string() }),
  async check(rows) {
    return rows.map(({ name }) => ({
      effect: 'new',
      faults: name === 'Mallory' ? [{ column: 'name', says: 'Mallory may not come in' }] : [],
    }))
  },
  async apply(rows, { tenancy: { db, tenantId } }) {
    await duringApply(rows.length)
    if (rows.some(({ name }) => name === 'Taken')) throw invalidField('name', 'The name was taken meanwhile')
    await members(db)
      .insertInto('test_members')
      .values(rows.map(({ name, age }) => ({ tenant_id: tenantId, name, age: age ?? null })))
      .execute()
    return rows.map(({ name }) => ({ name }))
  },
  async undo(rows, { tenancy: { db, tenantId } }) {
    if (rows.some(({ name }) => name === 'Used')) throw invalidField('name', 'Somebody has used it')
    for (const { name } of rows)
      await members(db).deleteFrom('test_members').where('tenant_id', '=', tenantId).where('name', '=', name).execute()
  },
})

const lost = new Set<string>()
let duringApply = async (_rows: number): Promise<void> => {}
let house: TestHouse
let acme: TestTenancy
let globex: TestTenancy

beforeAll(async () => {
  // A table of the test's own, which no other database has.
  house = await openTestHouse({ moreRooms: [] })
  acme = await house.tenancy('Acme')
  globex = await house.tenancy('Globex')
  await house.asOwner(
    `create table test_members (tenant_id uuid not null, name text not null, age integer); select protect_tenant_table('test_members')`,
  )
})
afterAll(() => house.close())

const actor = { userId: undefined, name: 'ada' }
const by = { userId: randomUUID(), name: 'ada', granted: { View: [], Menu: [], api: [], narrowed: false } }
const bytesOf = (text: string) => new TextEncoder().encode(text)
const inAcme = <T>(work: (tenancy: Tenancy) => Promise<T>) => withTenancy(house.house, acme.id, work)
const prepare = (text: string | Uint8Array, of: ImportKind = kind) =>
  prepareImport(house.house, of, {
    tenantId: acme.id,
    actor,
    fileName: 'people.csv',
    bytes: typeof text === 'string' ? bytesOf(text) : text,
  })
/** As the job does: another turn where one did not get to the end, as on a busy machine. */
async function turn(): Promise<void> {
  while ((await importTurn(kind)({ house: house.house, tenantId: acme.id, until: performance.now() + 60_000 })) === 'more');
}
const namesIn = (tenantId = acme.id) =>
  inTenant(house.house.database, tenantId, async (db) =>
    (await members(db).selectFrom('test_members').select('name').orderBy('name').execute()).map(({ name }) => name),
  )
const refusalOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no refusal',
    (error: unknown) => (error instanceof Fault ? (error.detail.fields?.[0]?.says ?? error.code) : String(error)),
  )

async function checked(text: string) {
  const { id, mapping } = await prepare(text)
  await inAcme((tenancy) => checkImport(tenancy, { by, kind, importId: id, mapping }))
  await turn()
  return id
}
async function ran(text: string, skipFaulty = false) {
  const id = await checked(text)
  await inAcme((tenancy) => startImport(tenancy, { by, kind, importId: id, skipFaulty }))
  await turn()
  return id
}
const counts = (importId: string) => inAcme((tenancy) => countImport(tenancy, { importId }))
const statusOf = async (importId: string) => (await inAcme((tenancy) => readImport(tenancy, { kind, importId }))).status
const clear = () => house.asOwner('truncate test_members; delete from imports')

describe('A file is read', () => {
  const utf16 = (text: string, swap: boolean) => {
    const bytes = Buffer.from(text, 'utf16le')
    return swap ? bytes.swap16() : bytes
  }
  const text = 'Name;Age\r\nZoë;3\r\n'
  test.each([
    ['UTF-8', bytesOf(text), 'utf-8'],
    ['UTF-8 with a mark', bytesOf(`\u{feff}${text}`), 'utf-8'],
    ['UTF-16 little-endian with a mark', utf16(`\u{feff}${text}`, false), 'utf-16le'],
    ['UTF-16 big-endian with a mark', utf16(`\u{feff}${text}`, true), 'utf-16be'],
    ['UTF-16 little-endian without one', utf16(text, false), 'utf-16le'],
    ['UTF-16 big-endian without one', utf16(text, true), 'utf-16be'],
    ['Windows-1252', Buffer.from(text, 'latin1'), 'windows-1252'],
  ])('written in %s', async (_name, bytes, encoding) =>
    expect(await readCsvFile(bytes)).toEqual({
      encoding,
      delimiter: ';',
      headers: ['Name', 'Age'],
      rows: [{ number: 2, cells: ['Zoë', '3'] }],
    }),
  )

  test('in Windows-1252 with its own characters', async () =>
    expect((await readCsvFile(Buffer.from([0x41, 0x0a, 0x80, 0x93, 0xe9, 0x94]))).rows[0]?.cells).toEqual(['€“é”']))

  test.each([
    ['a comma', 'a,b\n1;2,3\n4,5\n', ','],
    ['a semicolon, with commas in numbers', 'a;b\n1,5;2,5\n1,5;3\n', ';'],
    ['a tab', 'a\tb\n1,2\t3;4\n', '\t'],
    ['a comma, with others in quotation marks', 'a,"b;c;d"\n1,"2;3;4;5"\n', ','],
    ['one column', 'a\nb\n', ','],
    ['what its first line says', 'sep=;\r\na,b;c\r\n1,2;3\r\n', ';'],
  ])('divided by %s', async (_name, given, delimiter) => expect((await readCsvFile(bytesOf(given))).delimiter).toBe(delimiter))

  test('with line breaks and quotation marks in cells, ends of lines of all kinds, and empty rows', async () =>
    expect((await readCsvFile(bytesOf('a,b\n"x\r\ny","say ""hi"""\r\n\r\n1,2\r3,4'))).rows).toEqual([
      { number: 2, cells: ['x\r\ny', 'say "hi"'] },
      { number: 4, cells: ['1', '2'] },
      { number: 5, cells: ['3', '4'] },
    ]))

  test.each([
    ['empty', '', 'The file is empty'],
    ['without rows', 'a,b\n', 'The file has no rows below its column names'],
    ['without names', ',\n1,2\n', 'The first row has no column names'],
    ['with an open quotation mark', 'a,b\n1,"2\n3,4\n', 'Row 2 cannot be read: a quotation mark lacks its end'],
    ['with text behind a quotation mark', 'a,b\n1,"2"x\n', 'Row 2 cannot be read: something stands behind a closing quotation mark'],
    ['with NUL', 'a,b\n1,\u0000\n', 'Row 2 holds characters that are no text'],
    ['with 10,001 columns', `a\n${','.repeat(10_000)}x\n`, 'Row 2 has 10001 cells; at most 200 columns can be imported'],
    [
      'with an endless cell',
      `a\n${'x'.repeat(40_000)}\n`,
      'Row 2 has a cell of more than 32767 characters; a quotation mark may lack its end',
    ],
    ['of more rows than 100,000', `a\n${'x\n'.repeat(100_001)}`, 'The file has more than 100000 rows; split it'],
    ['of more than 10 MB', 'x'.repeat(10 * 1024 * 1024 + 1), 'The file is larger than 10 MB; split it'],
    ['that is a workbook', 'PK\u0003\u0004...', 'This is a spreadsheet or an archive; save it as CSV and import that'],
  ])('and refused: one %s', async (_name, given, says) => expect(await refusalOf(readCsvFile(bytesOf(given)))).toBe(says))

  test.each([
    ['UTF-16 that is cut', Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x42]), 'The text is not valid UTF-16; the file may be cut off'],
    ['marked UTF-8 that is none', Buffer.from([0xef, 0xbb, 0xbf, 0xff]), 'The text is not valid UTF-8; the file may be cut off'],
    ['bytes of nothing', Buffer.from([0x81, 0x8d, 0xff, 0x0a]), 'This is no text that can be read; save it as UTF-8'],
  ])('and refused: %s', async (_name, bytes, says) => expect(await refusalOf(readCsvFile(bytes))).toBe(says))

  test('with 100,000 rows, which is the most', async () =>
    expect((await readCsvFile(bytesOf(`a,b\n${'1,2\n'.repeat(100_000)}`))).rows).toHaveLength(100_000))
})

describe('Columns', () => {
  test('are found by name, label and synonym, none twice, and repeated names are told', async () => {
    const { mapping, repeated, sample } = await prepare('AGE, benutzer-name ,age,=note\n3,Ada,4,5\n')
    expect({ mapping, repeated, sample }).toEqual({ mapping: { age: 0, name: 1 }, repeated: [], sample: [['3', 'Ada', '4', '5']] })
    expect((await prepare('Age,Age\n1,2\n')).repeated).toEqual(['Age'])
  })

  test.each([
    ['a required one is missing', { age: 0 }, 'Choose the column for Name'],
    ['the file has no such one', { name: 2 }, 'The file has no such column'],
    ['one is no number', { name: 0.5 }, 'The file has no such column'],
    ['there is no such one', { name: 0, constructor: 1 }, 'There is no such column'],
    ['one is used twice', { name: 0, age: 0 }, 'This column of the file is used twice'],
  ])('are refused where %s', async (_name, mapping, says) => {
    const { id } = await prepare('Name,Age\nAda,3\n')
    expect(await refusalOf(inAcme((tenancy) => checkImport(tenancy, { by, kind, importId: id, mapping })))).toBe(says)
    await clear()
  })
})

describe('A dry run', () => {
  test('tells all faults of all rows, and changes nothing', async () => {
    const id = await checked('Name,Age\nAda,3\n,x\nada,4\nMallory,\nBob,5,6\nCarol,\n')
    expect(await statusOf(id)).toBe('checked')
    expect(await counts(id)).toEqual({ good: 2, faulty: 4, applied: 0, failed: 0, undone: 0, effects: { new: 2 } })
    const rows = await inAcme((tenancy) => faultyRows(tenancy, { kind, importId: id, after: 0, most: 10 }))
    expect(rows.map(({ number, faults }) => [number, faults])).toEqual([
      [
        3,
        [
          { column: 'name', says: 'Enter a value' },
          { column: 'age', says: 'Enter a number' },
        ],
      ],
      [4, [{ column: 'name', says: 'The same value stands in row 2' }]],
      [5, [{ column: 'name', says: 'Mallory may not come in' }]],
      [6, [{ column: '', says: 'The row has 3 cells, and the file 2 columns' }]],
    ])
    expect(await namesIn()).toEqual([])
    expect(await refusalOf(inAcme((tenancy) => startImport(tenancy, { by, kind, importId: id, skipFaulty: false })))).toBe(
      '4 rows are faulty: mend them, or leave them out',
    )
    await clear()
  })

  test('is made anew with another mapping, and forgets what the first has found', async () => {
    const { id } = await prepare('Name,Age,Other\nAda,x,3\n')
    for (const [mapping, good] of [
      [{ name: 0, age: 1 }, 0],
      [{ name: 0, age: 2 }, 1],
    ] as const) {
      await inAcme((tenancy) => checkImport(tenancy, { by, kind, importId: id, mapping }))
      await turn()
      expect((await counts(id)).good).toBe(good)
    }
    await clear()
  })

  test('gives the faulty rows as a file with their reasons, in which no cell is a formula and which can be imported again', async () => {
    const id = await checked('2,Name,Age,2\na,=cmd(),x,b\nc,Ada,3,d\n')
    const { body } = await faultyRowsFile(house.house, acme.id, { kind, importId: id })
    let file = ''
    for await (const part of body as AsyncIterable<string>) file += part
    expect(file).toBe("\u{feff}2,Name,Age,2,Reason\r\na,'=cmd(),x,b,Age: Enter a number\r\n")
    expect((await prepare(file)).sample[0]?.[1]).toBe('=cmd()')
    await clear()
  })
})

describe('A run', () => {
  test('gives back what the own export wrote, also where it looks like a formula', async () => {
    const names = ['=1+1', "'=1", '-5', '+61 2', '@x', '＝1', "o'clock", 'a,"b"']
    await ran([['Name'], ...names.map((name) => [name])].map(csvLine).join(''))
    expect(await namesIn()).toEqual(names.toSorted((a, b) => (a < b ? -1 : 1)).toSorted())
    await clear()
  })

  test('applies each row once where the server dies in any batch, and where two servers drive it', async () => {
    const id = await checked(`Name\n${Array.from({ length: 1_700 }, (_, at) => `m${at}\n`).join('')}`)
    await inAcme((tenancy) => startImport(tenancy, { by, kind, importId: id, skipFaulty: false }))
    let batches = 0
    duringApply = async () => {
      batches += 1
      if (batches === 2 || batches === 4) throw Object.assign(new Error('The server is going'), { code: '57P01' })
    }
    await expect(turn()).rejects.toThrow('The server is going')
    expect(await namesIn()).toHaveLength(500)
    await expect(turn()).rejects.toThrow('The server is going')
    await Promise.all([turn(), turn(), turn()])
    duringApply = async () => {}
    expect(await statusOf(id)).toBe('done')
    expect(new Set(await namesIn()).size).toBe(1_700)
    expect(await namesIn()).toHaveLength(1_700)
    expect((await counts(id)).applied).toBe(1_700)
    await clear()
  })

  test('stops where who began a step may take it no longer: a check waits for another, a run keeps what was applied, an undo leaves the rest', async () => {
    const { id } = await prepare('Name\nAda\nBob\n')
    const other = { ...by, userId: randomUUID(), name: 'bob' }
    const goes = async (step: (tenancy: Tenancy) => Promise<void>) => {
      await inAcme(step)
      lost.add(by.userId)
      await turn()
      lost.delete(by.userId)
      return inAcme((tenancy) => readImport(tenancy, { kind, importId: id }))
    }
    const stopped = 'ada may not do this any more. Somebody else can go on'
    expect(await goes((tenancy) => checkImport(tenancy, { by, kind, importId: id, mapping: { name: 0 } }))).toMatchObject({
      status: 'uploaded',
      stopped,
    })
    await inAcme((tenancy) => checkImport(tenancy, { by: other, kind, importId: id }))
    await turn()
    expect(await refusalOf(inAcme((tenancy) => startImport(tenancy, { by, kind, importId: id, skipFaulty: false })))).toMatch(
      /^bob checked/,
    )
    await inAcme((tenancy) => startImport(tenancy, { by: other, kind, importId: id, skipFaulty: false }))
    await turn()
    expect(await namesIn()).toEqual(['Ada', 'Bob'])
    expect(await goes((tenancy) => undoImport(tenancy, { by, kind, importId: id }))).toMatchObject({ status: 'done', stopped })
    expect(await namesIn()).toEqual(['Ada', 'Bob'])
    await inAcme((tenancy) => undoImport(tenancy, { by: other, kind, importId: id }))
    await turn()
    expect(await namesIn()).toEqual([])
    expect(await inAcme((tenancy) => readImport(tenancy, { kind, importId: id }))).toMatchObject({ status: 'undone', stopped: '' })
    await clear()
  })

  test('leaves out the row that cannot be done, and does the others of its batch', async () => {
    const id = await ran('Name,Age\nAda,3\nTaken,4\nBob,5\nx,y\n', true)
    expect(await namesIn()).toEqual(['Ada', 'Bob'])
    expect(await counts(id)).toEqual({ good: 0, faulty: 1, applied: 2, failed: 1, undone: 0, effects: { new: 3 } })
    const rows = await inAcme((tenancy) => faultyRows(tenancy, { kind, importId: id, after: 0, most: 10 }))
    expect(rows.map(({ faults }) => faults[0]?.says)).toEqual(['The name was taken meanwhile', 'Enter a number'])
    await clear()
  })

  test('that is cancelled keeps what was applied, which can be undone', async () => {
    const id = await checked(`Name\n${Array.from({ length: 700 }, (_, at) => `m${at}\n`).join('')}`)
    await inAcme((tenancy) => startImport(tenancy, { by, kind, importId: id, skipFaulty: false }))
    await importTurn(kind)({ house: house.house, tenantId: acme.id, until: 0 })
    expect(await namesIn()).toHaveLength(500)
    await inAcme((tenancy) => cancelImport(tenancy, { kind, importId: id }))
    await turn()
    expect(await namesIn()).toHaveLength(500)
    await inAcme((tenancy) => undoImport(tenancy, { by, kind, importId: id }))
    await turn()
    expect([await statusOf(id), await namesIn()]).toEqual(['undone', []])
    await clear()
  })
})

describe('An undo', () => {
  test('takes back all but what was used, and says why', async () => {
    const id = await ran('Name\nAda\nUsed\nBob\n')
    await inAcme((tenancy) => undoImport(tenancy, { by, kind, importId: id }))
    await turn()
    expect(await namesIn()).toEqual(['Used'])
    expect(await counts(id)).toMatchObject({ applied: 1, undone: 2 })
    const rows = await inAcme((tenancy) => faultyRows(tenancy, { kind, importId: id, after: 0, most: 10 }))
    expect(rows.map(({ faults }) => faults[0]?.says)).toEqual(['Somebody has used it'])
    await clear()
  })

  test('is possible for 24 hours, and the data for it are forgotten then', async () => {
    const id = await ran('Name\nAda\n')
    house.clock.advance(86_400_000)
    expect(await refusalOf(inAcme((tenancy) => undoImport(tenancy, { by, kind, importId: id })))).toBe(
      'An import can be undone for 24 hours',
    )
    await turn()
    const { rows } = await inAcme(({ db }) => sql`select 1 from import_rows where undo is not null`.execute(db))
    expect(rows).toEqual([])
    house.clock.advance(13 * 86_400_000)
    await turn()
    expect(await refusalOf(statusOf(id))).toBe('missing')
    await clear()
  })
})

describe('Another tenancy', () => {
  test('finds none of it: not the import, not its rows, not its file, and drives nothing', async () => {
    const id = await checked('Name\n,\nAda\nMallory\n')
    const named = { kind, importId: id }
    const inGlobex = <T>(work: (tenancy: Tenancy) => Promise<T>) => withTenancy(house.house, globex.id, work)
    const attempts: ((tenancy: Tenancy) => Promise<unknown>)[] = [
      (tenancy) => readImport(tenancy, named),
      (tenancy) => checkImport(tenancy, { by, ...named, mapping: { name: 0 } }),
      (tenancy) => startImport(tenancy, { by, ...named, skipFaulty: true }),
      (tenancy) => cancelImport(tenancy, named),
      (tenancy) => undoImport(tenancy, { by, ...named }),
      (tenancy) => faultyRows(tenancy, { ...named, after: 0, most: 10 }),
    ]
    for (const attempt of attempts) expect(await refusalOf(inGlobex(attempt))).toBe('missing')
    expect(await refusalOf(faultyRowsFile(house.house, globex.id, named))).toBe('missing')
    expect(await refusalOf(faultyRowsFile(house.house, acme.id, { kind, importId: "'x" }))).toBe('missing')
    await inAcme((tenancy) => startImport(tenancy, { by, ...named, skipFaulty: true }))
    await importTurn(kind)({ house: house.house, tenantId: globex.id, until: performance.now() + 1_000 })
    expect(await statusOf(id)).toBe('running')
    expect(await namesIn(globex.id)).toEqual([])
    await clear()
  })

  test('cannot fill the house with files: ten of a kind are under way at most', async () => {
    for (let count = 0; count < 10; count += 1) await prepare('Name\nAda\n')
    expect(await refusalOf(prepare('Name\nAda\n'))).toBe('10 imports are under way; finish or cancel one of them')
    await clear()
  })
})
