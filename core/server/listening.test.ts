// What a process hears of the others, over a real connection that is closed, cut and made again.

import pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { connectionOptions } from './database.ts'
import { listenOn } from './listening.ts'

const pool = new pg.Pool(connectionOptions(inject('cluster'), undefined))
pool.on('error', () => {})
afterAll(() => pool.end())

function listening() {
  const seen: string[] = []
  const channel = `test_${Math.random().toString(36).slice(2)}`
  let processId = 0
  const { close } = listenOn(pool, {
    channel,
    begins: (client) => {
      processId = Number(Reflect.get(client, 'processID'))
      seen.push('begins')
    },
    heard: (payload) => void seen.push(payload),
    ends: () => void seen.push('ends'),
    failed: () => void seen.push('failed'),
  })
  return {
    seen,
    close,
    say: (payload: string) => pool.query('select pg_notify($1, $2)', [channel, payload]),
    cut: () => pool.query('select pg_terminate_backend($1)', [processId]),
  }
}

test('A listener hears what is said, and begins again where its connection is cut', async () => {
  const { seen, close, say, cut } = listening()
  await expect.poll(() => seen).toEqual(['begins'])
  await say('one')
  await expect.poll(() => seen).toEqual(['begins', 'one'])
  await cut()
  await expect.poll(() => seen).toEqual(['begins', 'one', 'ends', 'begins'])
  await say('two')
  await expect.poll(() => seen.at(-1)).toBe('two')
  await close()
  expect(seen.at(-1)).toBe('ends')
})

test('A listener that is closed while it is still connecting ends all the same', async () => {
  const { seen, close } = listening()
  await close()
  expect(seen.filter((what) => what !== 'begins')).toEqual(['ends'])
})
