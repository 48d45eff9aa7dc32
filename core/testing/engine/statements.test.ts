// Each statement that the product sent while its tests ran on the first engine, read and planned by the second: a function, a type or a
// clause that this one lacks, or a right that it asks for, is found here. Runs with a whole `npm test` only.

import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestHouse, type TestHouse } from '../house.ts'
import { recordedStatements } from '../statements.ts'

const plannable = /^\s*\(?\s*(with|select|insert|update|delete|merge|values)\b/i
const copied = /^copy \((?<query>[^]*)\) to stdout/

let house: TestHouse
beforeAll(async () => {
  house = await openTestHouse()
})
afterAll(() => house.close())

async function refusals(role: string, texts: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ ...house.connection, options: `-c role=${role} -c plan_cache_mode=force_generic_plan` })
  await client.connect()
  const refused: string[] = []
  try {
    for (const text of texts) refused.push(...(await refusalOf(client, text)))
  } finally {
    await client.end()
  }
  return refused
}

/** A generic plan asks for no values: nothing runs, and yet every name, type and right is looked up. */
async function refusalOf(client: pg.Client, text: string): Promise<string[]> {
  try {
    await client.query(`prepare looked as ${text}`)
    const { rows } = await client.query<{ count: number }>(
      `select coalesce(array_length(parameter_types, 1), 0) as count from pg_prepared_statements where name = 'looked'`,
    )
    const values = Array.from({ length: rows[0]?.count ?? 0 }, () => 'null')
    await client.query(`explain execute looked${values.length === 0 ? '' : `(${values.join(', ')})`}`)
    return []
  } catch (error) {
    return [`${error instanceof Error ? error.message : String(error)}: ${text}`]
  } finally {
    await client.query('deallocate all')
  }
}

test('Every statement of the stores is understood and allowed', async () => {
  const statements = recordedStatements()
  const textsOf = (role: string) =>
    statements
      .filter((one) => one.role === role)
      .map(({ text }) => copied.exec(text)?.groups?.['query'] ?? text)
      .filter((text) => plannable.test(text))
  expect([
    ...(await refusals('chancery_app', textsOf('chancery_app'))),
    ...(await refusals('chancery_auditor', textsOf('chancery_auditor'))),
  ]).toEqual([])
  // Of every room something came: the list is whole.
  expect(textsOf('chancery_app').length).toBeGreaterThan(300)
})
