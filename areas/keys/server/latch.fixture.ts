// Holds the signatures of an authority until the test lets them go: what happens while a slow key signs, with a quick one.

import pg from 'pg'
import type { TestHouse } from '#core/testing/house.ts'
import { handleOf } from './handles.ts'

export type Latch = { hold(): void; release(): void }

/** The authority's key signs as ever until the latch holds it. */
export async function latchOf(house: TestHouse, caId: string): Promise<Latch> {
  const client = new pg.Client(house.connection)
  await client.connect()
  const { rows } = await client.query<{ tenant_id: string; key_id: string }>('select tenant_id, key_id from authorities where id = $1', [
    caId,
  ])
  await client.end()
  const handle = await handleOf(house.house, rows[0]?.tenant_id ?? '', rows[0]?.key_id ?? '')
  const { sign } = handle
  let free = Promise.resolve()
  let release = () => {}
  // As of a slow key, nothing is signed in place.
  delete handle.signInPlace
  delete handle.signInPieces
  handle.sign = async (algorithm, data) => {
    await free
    return sign(algorithm, data)
  }
  return {
    hold() {
      free = new Promise<void>((resolve) => (release = resolve))
    },
    release: () => release(),
  }
}
