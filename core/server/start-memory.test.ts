import { expect, test } from 'vitest'
import { collectGarbage } from './start-memory.ts'

test('What nothing refers to any more is gone after the memory of the start was given back', async () => {
  const kept = { name: 'kept' }
  const [keptReference, droppedReference] = [new WeakRef(kept), new WeakRef({ name: 'dropped' })]
  // A reference that was just made holds until the turn ends.
  await new Promise((resolve) => setImmediate(resolve))
  await collectGarbage()
  expect(keptReference.deref()).toBe(kept)
  expect(droppedReference.deref()).toBeUndefined()
  expect('gc' in globalThis).toBe(false)
})
