// Notes what each test file costs, import and closing included: the time that passed, and the processor time of its worker, which a busy
// machine hardly lengthens. `npm test` names the file for it and holds each room to its budget.

import { appendFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'

const costs = process.env['CHANCERY_TEST_COSTS']
const [started, processor] = [performance.now(), process.cpuUsage()]

afterAll(() => {
  if (costs === undefined || costs === '') return
  const { user, system } = process.cpuUsage(processor)
  const line = { file: expect.getState().testPath, seconds: (performance.now() - started) / 1000, processor: (user + system) / 1e6 }
  appendFileSync(costs, `${JSON.stringify(line)}\n`)
})
