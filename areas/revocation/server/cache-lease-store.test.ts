import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { openTestHouse } from '#core/testing/house.ts'
import { lockShared, unlock } from './cache-lease-store.ts'

const house = await openTestHouse()
afterAll(() => house.close())

test('Locks that several ask of one connection are asked one after another, as the next version of pg demands', async () => {
  const warnings: string[] = []
  const heard = ({ message }: Error): void => void warnings.push(message)
  process.on('warning', heard)
  const client = await house.house.auditor.pool.connect()
  try {
    const locks = ['status:a', 'status:b', 'status:c']
    expect(await Promise.all(locks.map((lock) => lockShared(client, lock)))).toEqual([true, true, true])
    await Promise.all(locks.map((lock) => unlock(client, lock)))
    // A warning is emitted on the next tick.
    const told = once(process, 'warning')
    process.emitWarning('the last')
    await told
    expect(warnings.filter((message) => message.includes('client.query()'))).toEqual([])
  } finally {
    client.release()
    process.off('warning', heard)
  }
})
