import { expect, test } from 'vitest'
import { checkClock } from './clock.ts'

const judge = (text: string, file = 'areas/users/server/users.test.ts') =>
  checkClock([file], () => `// one\n${text}`, {}).map(({ line, says }) => [line, says])

test('a test measures no passed time', () => {
  for (const text of [
    'const began = performance.now()',
    'expect(performance.now() - began).toBeLessThan(2_000)',
    'expect(performance.now() - (await told.promise)).toBeLessThan(2_000)',
    'const took = Date.now() - began',
    'expect(Date.now() - run.began < 500).toBe(true)',
    'expect(end - performance.now()).toBeGreaterThan(0)',
    'const took = new Date().getTime() - began',
    "while (order.step !== 'done' && Date.now() < end) await drive()",
    'const began = process.hrtime.bigint()',
  ])
    expect([text, judge(text)]).toEqual([text, [[2, expect.stringContaining('passed time')]]])
  for (const text of [
    'const turn = { until: performance.now() + 60_000 }',
    'const yesterday = new Date(Date.now() - 86_400_000)',
    'const noon = Date.now() - (Date.now() % day) - day / 2',
    'const name = `${Date.now()}.txt`',
    'expect(answered - asked).toBeLessThan(2)',
  ])
    expect([text, judge(text)]).toEqual([text, []])
})

test('a test does not sleep', () => {
  for (const text of [
    "import { setTimeout as wait } from 'node:timers/promises'",
    "import * as timers from 'node:timers/promises'",
    'await new Promise((resolve) => setTimeout(resolve, 150))',
    'await page.waitForTimeout(20)',
    "await client.query('select pg_sleep(0.2)')",
    'await sql`select pg_sleep(${seconds})`.execute(db)',
  ])
    expect([text, judge(text)]).toEqual([text, [[2, expect.stringContaining('sleep')]]])
  for (const text of [
    "import { setImmediate as nextTurn } from 'node:timers/promises'",
    "vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })",
    "spawn('sh', ['-c', 'exec sleep 60'])",
  ])
    expect([text, judge(text)]).toEqual([text, []])
})

test('a limit is there against hanging alone, and no shorter than a minute', () => {
  for (const text of [
    'await expect.poll(state, { timeout: 10_000 }).toBe(1)',
    "test('is quick', { timeout: 5_000 }, async () => {})",
    "test('is quick', async () => {}, 5_000)",
    "test.each([1])('is quick', async () => {}, 5_000)",
    'context.setDefaultTimeout(10_000)',
    'await fetch(url, { signal: AbortSignal.timeout(2_000) })',
    'await vi.waitFor(() => expect(told).toEqual([1]))',
  ])
    expect([text, judge(text)]).toEqual([text, [[2, expect.stringMatching(/limit/)]]])
  for (const text of [
    'await expect.poll(state).toBe(1)',
    'await expect.poll(state, { timeout: 120_000 }).toBe(1)',
    "test('is slow', { timeout: 600_000 }, async () => {})",
    "test('is called 5', async () => call(5))",
    'context.setDefaultTimeout(60_000)',
  ])
    expect([text, judge(text)]).toEqual([text, []])
})

test('it holds for fixtures and journeys, and for nothing that is no test', () => {
  const text = 'const began = performance.now()'
  for (const file of ['areas/users/server/users.fixture.ts', 'core/testing/house.ts', 'e2e/support/steps.ts', 'core/console/Form.test.tsx'])
    expect([file, judge(text, file).length]).toEqual([file, 1])
  for (const file of ['areas/users/server/index.ts', 'core/server/http.ts', 'bench/crl.ts'])
    expect([file, judge(text, file)]).toEqual([file, []])
})

test('an exception has a reason, and goes when it is not needed any more', () => {
  const file = 'core/testing/until.ts'
  const judgeAllowed = (text: string) => checkClock([file], () => text, { [file]: 'waits' }).map(({ says }) => says)
  expect(judgeAllowed('const began = performance.now()')).toEqual([])
  expect(judgeAllowed('const began = 1')).toEqual([expect.stringContaining('take it out of the list')])
})
