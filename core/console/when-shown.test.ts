import { beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from './query-client.ts'
import { whenShown } from './when-shown.ts'

beforeEach(() => queryClient.clear())

test('what is beside the page waits until its readings are answered', async () => {
  const told: string[] = []
  let answer = (): void => {}
  const reading = queryClient.fetchQuery({
    queryKey: ['list'],
    queryFn: () => new Promise<string>((resolve) => (answer = () => resolve('rows'))),
  })
  whenShown(() => told.push('beside'))
  await expect.poll(() => queryClient.isFetching()).toBe(1)
  expect(told).toEqual([])
  answer()
  told.push(await reading)
  await expect.poll(() => told).toEqual(['rows', 'beside'])
})

test('it is done at once on a page that stands, and never where it was called off', async () => {
  await queryClient.fetchQuery({ queryKey: ['list'], queryFn: async () => 'rows' })
  const told: string[] = []
  whenShown(() => told.push('called off'))()
  whenShown(() => told.push('done'))
  await expect.poll(() => told).toEqual(['done'])
})

test('a page that reads nothing does not keep it waiting for ever', async () => {
  vi.useFakeTimers()
  try {
    const told: string[] = []
    whenShown(() => told.push('done'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(told).toEqual(['done'])
  } finally {
    vi.useRealTimers()
  }
})
