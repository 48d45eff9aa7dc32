// Notes what each test file costs, import and closing included: the time that passed, and processor time, which a busy machine hardly lengthens:
// of its worker, of what it starts (Chromium, servers, tools), and of PostgreSQL for its databases. `npm test` names the file for it.

import { appendFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'
import { treeSeconds } from '../../tools/setup/processor-time.mjs'
import { databaseSeconds } from './database-time.ts'

const costs = process.env['CHANCERY_TEST_COSTS']
const isNoted = costs !== undefined && costs !== ''
const processor = () => treeSeconds() + databaseSeconds()
const [started, before] = [performance.now(), isNoted ? processor() : 0]

afterAll(() => {
  if (!isNoted) return
  const line = { file: expect.getState().testPath, seconds: (performance.now() - started) / 1000, processor: processor() - before }
  appendFileSync(costs, `${JSON.stringify(line)}\n`)
})
