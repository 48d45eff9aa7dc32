import { expect, test } from 'vitest'
import { runCrashRounds } from '#core/testing/crash.ts'

test('what was acknowledged outlives kill -9 of the server, of the database and of both', async () => {
  const { breaches, figures } = await runCrashRounds(3)
  expect(breaches).toEqual([])
  expect(figures.acknowledged).toBeGreaterThan(10)
  expect(figures.revoked).toBeGreaterThan(0)
  expect(figures.crlNumber).toBeGreaterThanOrEqual(3)
})
