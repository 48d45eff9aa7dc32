// Lists as files, taken through the front door from a room that has more rows than any memory.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { exportAnswer } from './export.ts'
import type { Endpoint, Room } from './serve.ts'

type Row = { number: number; name: string; at: Date; gone: string | null }

let total = 3
let failsAt = Number.POSITIVE_INFINITY
let most = 0
let ended: number[] = []

const rowOf = (number: number): Row => ({ number, name: `=row(${number})`, at: new Date(0), gone: null })

const endpoint = (format: 'csv' | 'jsonLines', byteOrderMark: boolean): Endpoint => ({
  name: format,
  method: 'GET',
  path: `/api2/Test-v1/Export-${format}-${byteOrderMark}`,
  needs: 'signedIn',
  handle: async ({ now }) =>
    exportAnswer<Row>({
      name: 'rows',
      of: now,
      format,
      byteOrderMark,
      columns: {
        Number: ({ number }) => number,
        Name: ({ name }) => name,
        Quoted: () => 'a "b", c',
        Below: ({ number }) => -number,
        At: ({ at }) => at,
        Gone: ({ gone }) => gone,
      },
      async read(after, size) {
        const first = (after?.number ?? 0) + 1
        if (first > failsAt) throw new Error('The disk is gone')
        most = Math.max(most, first)
        return Array.from({ length: Math.min(size, total - first + 1) }, (_, at) => rowOf(first + at))
      },
      ended: async (rows) => void ended.push(rows),
    }),
})

const room: Room = {
  area: 'lists',
  contract: { area: 'lists', title: 'Lists', screens: {}, calls: {}, streams: {}, endpoints: {}, jobs: {}, events: {} },
  calls: [],
  streams: [],
  endpoints: [endpoint('csv', false), endpoint('csv', true), endpoint('jsonLines', true)],
  subscriptions: [],
  jobs: [],
}

let house: TestHouse
let ada: TestPerson

beforeAll(async () => {
  house = await openTestHouse({ moreRooms: [room], now: new Date('2026-11-23T12:00:00Z') })
  ada = await (await house.tenancy('Acme')).person({ permissions: [] })
})
beforeEach(() => {
  total = 3
  failsAt = Number.POSITIVE_INFINITY
  most = 0
  ended = []
})
afterAll(() => house.close())

const fetched = (kind: string) => ada.fetch(`/api2/Test-v1/Export-${kind}`)

test('CSV has a line a row, formulas made harmless and numbers left as they are', async () => {
  total = 2
  const answer = await fetched('csv-false')
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="rows-2026-11-23.csv"')
  expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe(
    'Number,Name,Quoted,Below,At,Gone\r\n' +
      `1,'=row(1),"a ""b"", c",-1,1970-01-01T00:00:00.000Z,\r\n2,'=row(2),"a ""b"", c",-2,1970-01-01T00:00:00.000Z,\r\n`,
  )
  expect(ended).toEqual([2])
})

test('CSV for spreadsheets begins with a byte order mark', async () => {
  expect(Buffer.from(await (await fetched('csv-true')).arrayBuffer()).subarray(0, 3)).toEqual(Buffer.of(0xef, 0xbb, 0xbf))
})

test('JSON lines have an object a row, with the values as they are', async () => {
  const answer = await fetched('jsonLines-true')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="rows-2026-11-23.jsonl"')
  const lines = (await answer.text()).trimEnd().split('\n')
  expect(lines).toHaveLength(3)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    Number: 1,
    Name: '=row(1)',
    Quoted: 'a "b", c',
    Below: -1,
    At: '1970-01-01T00:00:00.000Z',
    Gone: null,
  })
})

test('A list whose rows fill whole batches ends after the last one', async () => {
  total = 2_000
  expect((await (await fetched('csv-false')).text()).split('\r\n')).toHaveLength(2_002)
  expect(ended).toEqual([2_000])
})

test('No more is read for somebody who went away, and what was given out is told', async () => {
  total = 10_000_000
  const leaving = new AbortController()
  const answer = await fetch(`${house.origin}/api2/Test-v1/Export-csv-false`, {
    headers: { authorization: `Bearer ${ada.token}` },
    signal: leaving.signal,
  })
  await answer.body?.getReader().read()
  leaving.abort()
  await expect.poll(() => ended).toHaveLength(1)
  expect(ended[0]).toBeLessThan(1_000_000)
  expect(most).toBeLessThan(1_000_000)
})

test('A list that cannot be read on breaks off, so that its part is not taken for the whole', async () => {
  total = 5_000
  failsAt = 2_500
  await expect((async () => (await fetched('csv-false')).text())()).rejects.toThrow()
  expect(ended).toEqual([3_000])
})
