import { beforeAll, describe, expect, test } from 'vitest'
import { useHouse } from '#core/testing/house.ts'
import { insertRows } from './insert-rows.ts'

const tenantId = '00000000-0000-4000-8000-0000000000aa'
const columns = {
  tenant_id: 'uuid',
  id: 'uuid',
  word: 'text',
  number: 'integer',
  at: 'timestamptz',
  bytes: 'bytea',
  words: 'text[]',
  facts: 'jsonb',
  flag: 'boolean',
} as const

const house = await useHouse({ ownTables: true })
beforeAll(async () => {
  await house.asOwner(`create table written (tenant_id uuid not null, id uuid not null, word text, number integer, at timestamptz, bytes bytea, words text[], facts jsonb, flag boolean, primary key (tenant_id, id));
    select protect_tenant_table('written')`)
})

const idOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
const at = new Date('2026-01-02T03:04:05.678Z')
const plain = {
  tenant_id: tenantId,
  word: 'plain',
  number: 1,
  at,
  bytes: Buffer.from([0, 1, 255]),
  words: ['a'],
  facts: '{"a":1}',
  flag: true,
}

async function writtenAndRead(rows: readonly { readonly [column in keyof typeof columns]: unknown }[]) {
  await house.asOwner('delete from written')
  await house.house.batches.transact(tenantId, () => Promise.resolve({ value: undefined, last: [insertRows('written', columns, rows)] }))
  return house.house.batches.read(tenantId, { name: 'read-written', text: 'select * from written order by id', values: [] })
}

describe('Rows that are written together are read as they were', () => {
  test.each([
    ['one alone', [{}]],
    ['all alike', [{}, {}, {}]],
    [
      'with nothing here and there',
      [
        { word: null, bytes: null },
        { number: null, at: null },
        { words: null, facts: null, flag: null },
      ],
    ],
    [
      'with what lists are written with',
      ['{', '}', ',', '"', '\\', ' ', '', 'null', 'NULL', 'a b', "'; drop table written; --", '\n\t', 'ä漢😀'].map((word) => ({ word })),
    ],
    ['with lists in lists', [{ words: [] }, { words: ['', 'null', '{"a"}', '\\', 'x,y'] }, { words: ['"'] }]],
    [
      'with times at the ends of what certificates can say',
      [{ at: new Date('1950-01-01T00:00:00.000Z') }, { at: new Date('9999-12-31T23:59:59.999Z') }],
    ],
    ['with numbers at the ends of their type', [{ number: 2_147_483_647 }, { number: -2_147_483_648 }]],
    [
      'with other bytes, times and facts',
      [
        { bytes: Buffer.alloc(0), at: new Date(0) },
        { bytes: Buffer.from('\\x00'), facts: '{"b":"\\"{}\\\\"}' },
        { number: -5, flag: false },
      ],
    ],
  ])('%s', async (_name, differences: readonly Partial<Record<keyof typeof columns, unknown>>[]) => {
    const rows = differences.map((difference, place) => ({ ...plain, id: idOf(place), ...difference }))
    expect(await writtenAndRead(rows)).toEqual(
      rows.map((row) => ({ ...row, facts: row.facts === null ? null : JSON.parse(String(row.facts)) })),
    )
  })
})

test('however many columns differ in however many ways, few statements are prepared', () => {
  const names = Object.keys(columns) as (keyof typeof columns)[]
  const shapes = Array.from({ length: 500 }, (_, mask) =>
    insertRows('written', columns, [
      { ...plain, id: idOf(0) },
      {
        ...plain,
        id: idOf(1),
        ...Object.fromEntries(names.filter((_name, place) => (mask >> place) % 2 === 1).map((name) => [name, null])),
      },
    ]),
  )
  expect(new Set(shapes.map(({ name }) => name)).size).toBeLessThan(50)
  for (const { name, text } of shapes) expect(shapes.filter((other) => other.name === name && other.text !== text)).toEqual([])
})

test.each([
  ['a number past its type', { number: 2_147_483_648 }],
  ['an id that is none', { tenant_id: '00000000-0000-4000-8000-0000000000ag' }],
  ['a time that is none', { at: new Date(Number.NaN) }],
  ['a text where bytes belong', { bytes: 'text' }],
  ['a text where a number belongs', { number: '12abc' }],
  ['a part of a number', { number: 1.5 }],
  ['a text where true or false belongs', { flag: 'true' }],
  ['a text where a time belongs', { at: '2026-01-01' }],
])('%s is refused before anything is sent', async (_name, wrong) => {
  await expect(
    writtenAndRead([
      { ...plain, id: idOf(0) },
      { ...plain, id: idOf(1), ...wrong },
    ]),
  ).rejects.toThrow(/range|UUID|time|bytes|number|neither/)
})

test('a text that the database cannot hold is refused, and nothing of its batch is written', async () => {
  await expect(
    writtenAndRead([
      { ...plain, id: idOf(0) },
      { ...plain, id: idOf(1), word: 'a\u0000b' },
    ]),
  ).rejects.toThrow()
  expect(await house.house.batches.read(tenantId, { name: 'read-written', text: 'select * from written order by id', values: [] })).toEqual(
    [],
  )
})
