// Floors under sign-in, codes and public links that no rule lifts: attempts by account and by address, counted in the database so
// that several servers share them. An attempt is counted before the work, so parallel guesses cannot slip through, and given back
// when it succeeds.

import { sql } from 'kysely'
import type { CallShape } from '#core/contract/contract.ts'
import type { Database } from './database.ts'
import { commonFault } from './fault.ts'

type Floor = NonNullable<CallShape['floor']>

/** Attempts that may fail in one window. A person who mistypes meets none of them. */
const limits: Record<Floor, { account: number; address: number; windowSeconds: number }> = {
  signIn: { account: 10, address: 100, windowSeconds: 300 },
  code: { account: 6, address: 100, windowSeconds: 300 },
  publicLink: { account: 20, address: 60, windowSeconds: 300 },
}

export type FloorTicket = { key: string }
type FloorTables = { floor_counts: { key: string; attempts: number; window_ends: Date } }

/** Counts one attempt against the account and the address. Throws the specified 429 where either is used up. */
export async function countAttempt(database: Database, floor: Floor, account: string | undefined, address: string, now: Date): Promise<FloorTicket[]> {
  const limit = limits[floor]
  const keys = [
    { key: `${floor}:address:${address}`, most: limit.address },
    ...(account === undefined ? [] : [{ key: `${floor}:account:${account.toLowerCase().slice(0, 200)}`, most: limit.account }]),
  ]
  const tickets: FloorTicket[] = []
  for (const { key, most } of keys) {
    const windowEnds = new Date(now.getTime() + limit.windowSeconds * 1000)
    const row = await database
      .withTables<FloorTables>()
      .insertInto('floor_counts')
      .values({ key, attempts: 1, window_ends: windowEnds })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          attempts: sql<number>`case when floor_counts.window_ends <= ${now} then 1 else floor_counts.attempts + 1 end`,
          window_ends: sql<Date>`case when floor_counts.window_ends <= ${now} then ${windowEnds} else floor_counts.window_ends end`,
        }),
      )
      .returning('attempts')
      .executeTakeFirstOrThrow()
    tickets.push({ key })
    if (row.attempts > most) throw commonFault('too_many_requests')
  }
  return tickets
}

/** The attempt succeeded: the account starts anew, the address gets its attempt back. */
export async function giveBack(database: Database, tickets: readonly FloorTicket[]): Promise<void> {
  for (const { key } of tickets) {
    const counts = database.withTables<FloorTables>()
    if (key.includes(':account:')) await counts.deleteFrom('floor_counts').where('key', '=', key).execute()
    else await counts.updateTable('floor_counts').set({ attempts: sql<number>`greatest(attempts - 1, 0)` }).where('key', '=', key).execute()
  }
}
