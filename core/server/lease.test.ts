// Work of one server at a time, over real connections that are cut and made again.

import pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { connectionOptions } from './database.ts'
import { underLease } from './lease.ts'

const pool = new pg.Pool(connectionOptions(inject('cluster'), undefined))
pool.on('error', () => {})
afterAll(() => pool.end())

let leases = 0x74657374
const nextLease = () => (leases += 1)

function worker(lease: number) {
  const channel = `lease_${lease}`
  const seen: string[] = []
  let processId = 0
  const { stop } = underLease(pool, {
    lease,
    channel,
    async work({ client, signal, lost, pause }) {
      processId = Number(Reflect.get(client, 'processID'))
      seen.push('begins')
      while (!signal.aborted) {
        await pause(60_000)
        seen.push(signal.aborted ? 'ends' : 'news')
      }
      seen.push(lost() ? 'lost' : 'kept')
    },
    failed: () => void seen.push('failed'),
  })
  return { seen, stop, tell: () => pool.query(`notify ${channel}`), cut: () => pool.query('select pg_terminate_backend($1)', [processId]) }
}

test('is done by one, who hears what is said, and by another once that one stops', async () => {
  const lease = nextLease()
  const first = worker(lease)
  await expect.poll(() => first.seen).toEqual(['begins'])
  const second = worker(lease)
  await first.tell()
  await expect.poll(() => first.seen).toEqual(['begins', 'news'])
  expect(second.seen).toEqual([])
  await first.stop()
  expect(first.seen).toEqual(['begins', 'news', 'ends', 'kept'])
  await expect.poll(() => second.seen).toEqual(['begins'])
  await second.stop()
})

test('ends where its connection is cut, knows that it has lost its lock, and begins anew', async () => {
  const { seen, stop, cut } = worker(nextLease())
  await expect.poll(() => seen).toEqual(['begins'])
  await cut()
  await expect.poll(() => seen).toEqual(['begins', 'ends', 'lost', 'begins'])
  await stop()
})

test('does not sleep through what was said while it worked', async () => {
  const lease = nextLease()
  const paused = Promise.withResolvers<void>()
  const { stop } = underLease(pool, {
    lease,
    channel: `lease_${lease}`,
    async work({ client, signal, pause }) {
      const heard = new Promise<void>((resolve) => void client.once('notification', () => resolve()))
      await pool.query(`notify lease_${lease}`)
      await heard
      await pause(60_000)
      if (!signal.aborted) paused.resolve()
      while (!signal.aborted) await pause(60_000)
    },
    failed: paused.reject,
  })
  await expect(paused.promise).resolves.toBeUndefined()
  await stop()
})
