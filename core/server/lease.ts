// Work that one server at a time does, under an advisory lock of a connection that hears what other processes say. The lock ends with the connection: whoever
// is gone holds nothing, and whoever has lost it stops. The others ask for it every second.

import type pg from 'pg'

export type Leased = {
  /** Holds the lock. What is written over it is not written once the lock is lost. */
  client: pg.PoolClient
  /** Aborted when the work is to end, and when the lock is lost. */
  signal: AbortSignal
  lost(): boolean
  /** Until there is news, which may have come since the last pause, or the time is over, or the signal is aborted. */
  pause(milliseconds: number): Promise<void>
}

export type LeasedWork = {
  /** The number of the lock. */
  lease: number
  channel: string
  /** Goes on until the signal is aborted. Where it fails it begins anew. */
  work(leased: Leased): Promise<void>
  failed(error: unknown): void
}

const retryMilliseconds = 1_000

export function underLease(pool: pg.Pool, { lease, channel, work, failed }: LeasedWork): { stop(): Promise<void> } {
  const ended = new AbortController()
  let news = false
  let wake = () => {}
  const rouse = () => {
    news = true
    wake()
  }
  const running = run()
  return {
    async stop() {
      ended.abort()
      rouse()
      await running
    },
  }

  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        await workOnce()
      } catch (error) {
        if (!ended.signal.aborted) failed(error)
      }
      news = false
      await pause(ended.signal, retryMilliseconds)
    }
  }

  async function workOnce(): Promise<void> {
    const client = await pool.connect()
    const lost = new AbortController()
    const onError = (error: Error) => {
      lost.abort(error)
      rouse()
    }
    client.on('error', onError)
    client.on('notification', rouse)
    let mine = false
    try {
      const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [lease])
      mine = rows[0]?.mine === true
      if (!mine) return
      await client.query(`listen ${channel}`)
      const signal = AbortSignal.any([ended.signal, lost.signal])
      await work({ client, signal, lost: () => lost.signal.aborted, pause: (milliseconds) => pause(signal, milliseconds) })
    } finally {
      client.off('error', onError)
      client.off('notification', rouse)
      // The lock and the listening end with the connection; one that has neither serves others.
      client.release(mine || lost.signal.aborted)
    }
  }

  function pause(signal: AbortSignal, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        wake = () => {}
        news = false
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      if (news || signal.aborted) done()
      else wake = done
    })
  }
}
