// One connection of the database that hears what other processes say, made anew whenever it is lost, until it is closed.

import type pg from 'pg'

export type Listener = {
  channel: string
  /** From now on everything is heard; `client` is the connection that hears, to be used for what must die with it. */
  begins(client: pg.PoolClient): void
  heard(payload: string): void
  /** Nothing is heard any more. */
  ends(): void
  failed(error: unknown): void
}

const retryMilliseconds = 1_000

export function listenOn(pool: pg.Pool, listener: Listener): { close(): Promise<void> } {
  const ended = new AbortController()
  const closing = new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve()))
  const listening = listen()

  async function listen(): Promise<void> {
    while (!ended.signal.aborted) {
      await listenOnce().catch((error: unknown) => {
        if (!ended.signal.aborted) listener.failed(error)
      })
      await pause()
    }
  }

  async function listenOnce(): Promise<void> {
    const client = await pool.connect()
    try {
      const lost = new Promise<void>((resolve) => client.once('error', () => resolve()).once('end', () => resolve()))
      client.on('notification', ({ payload }) => listener.heard(payload ?? ''))
      await client.query(`listen ${listener.channel}`)
      listener.begins(client)
      await Promise.race([lost, closing])
    } finally {
      listener.ends()
      // Closing the connection gives back its locks.
      client.release(true)
    }
  }

  function pause(): Promise<void> {
    const waits = new Promise<void>((resolve) => void setTimeout(resolve, retryMilliseconds).unref())
    return Promise.race([waits, closing])
  }

  return {
    async close() {
      ended.abort()
      await listening
    },
  }
}
