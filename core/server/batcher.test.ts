import { expect, test } from 'vitest'
import { openBatcher } from './batcher.ts'

/** A lane whose batches wait until they are let go. */
function gated(maxParallel: number, maxSize = 128) {
  const batches: { items: number[]; letGo(): void }[] = []
  const lane = openBatcher<number, number>({
    maxParallel,
    maxSize,
    mayBeFaultOfOne: (error) => error instanceof RangeError,
    async runBatch(items) {
      await new Promise<void>((resolve) => batches.push({ items: [...items], letGo: resolve }))
      if (items.includes(13)) throw new RangeError('13 brings bad luck')
      if (items.includes(0)) throw new Error('the way is closed')
      return items.map((item) => item * 10)
    },
  })
  const letAllGo = async () => {
    for (let at = 0; at < batches.length; at += 1) {
      batches[at]?.letGo()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return batches.map(({ items }) => items)
  }
  return { lane, batches, letAllGo }
}

test('those who come in the same moment share a batch, those who come later the next', async () => {
  const { lane, letAllGo } = gated(1)
  const first = [lane(1), lane(2)]
  await Promise.resolve()
  const second = [lane(3), lane(4), lane(5)]
  expect(await letAllGo()).toEqual([
    [1, 2],
    [3, 4, 5],
  ])
  expect(await Promise.all([...first, ...second])).toEqual([10, 20, 30, 40, 50])
})

test('no more batches are under way than there are ways, and none is larger than said', async () => {
  const { lane, batches, letAllGo } = gated(2, 2)
  const all = [lane(1), lane(2), lane(3)]
  await new Promise((resolve) => setImmediate(resolve))
  all.push(lane(4), lane(5))
  await new Promise((resolve) => setImmediate(resolve))
  expect(batches.map(({ items }) => items)).toEqual([[1, 2], [3]])
  expect(await letAllGo()).toEqual([[1, 2], [3], [4, 5]])
  expect(await Promise.all(all)).toEqual([10, 20, 30, 40, 50])
})

test('an item that the database refuses fails alone', async () => {
  const { lane, letAllGo } = gated(1)
  const all = Promise.allSettled([lane(1), lane(13), lane(2)])
  await Promise.resolve()
  expect(await letAllGo()).toEqual([[1, 13, 2], [1], [13], [2]])
  expect((await all).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason)))).toEqual([
    10,
    'RangeError: 13 brings bad luck',
    20,
  ])
})

test('where the way itself fails all of the batch fail, and the next go on', async () => {
  const { lane, letAllGo } = gated(1)
  const failed = Promise.allSettled([lane(0), lane(1)])
  await Promise.resolve()
  const later = lane(2)
  expect(await letAllGo()).toEqual([[0, 1], [2]])
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await later).toBe(20)
})
