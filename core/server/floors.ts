// Floors under sign-in, codes and public links that no rule lifts: attempts by account and by address, counted in the database so
// that several servers share them. An attempt is counted before the work, so parallel guesses cannot slip through, and given back
// when it succeeds. An address of IPv6 counts as its network of 64 bits, all of which one stranger commands.

import { isIPv6 } from 'node:net'
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

/** Counts one attempt against the account and the address, or one of them. Throws the specified 429 where either is used up. */
export async function countAttempt(database: Database, floor: Floor, account: string | undefined, address: string | undefined, now: Date): Promise<FloorTicket[]> {
  const limit = limits[floor]
  const keys = [
    ...(address === undefined ? [] : [{ key: `${floor}:address:${networkOf(address)}`, most: limit.address }]),
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

/** An IPv6 address as its first four groups; any other as it is. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [before = '', after] = (address.split('%')[0] ?? '').split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  // An IPv4 tail stands for two groups; both lie beyond the network.
  const length = (parts: string[]) => parts.length + (parts.at(-1)?.includes('.') === true ? 1 : 0)
  const [head, tail] = [groups(before), groups(after ?? '')]
  const all = after === undefined ? head : [...head, ...Array<string>(Math.max(0, 8 - length(head) - length(tail))).fill('0'), ...tail]
  return `${all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** Removes the counts whose window has ended. */
export async function forgetFloors(database: Database, now: Date): Promise<void> {
  await database.withTables<FloorTables>().deleteFrom('floor_counts').where('window_ends', '<=', now).execute()
}

/** The attempt succeeded: the account starts anew, the address gets its attempt back. */
export async function giveBack(database: Database, tickets: readonly FloorTicket[]): Promise<void> {
  for (const { key } of tickets) {
    const counts = database.withTables<FloorTables>()
    if (key.includes(':account:')) await counts.deleteFrom('floor_counts').where('key', '=', key).execute()
    else await counts.updateTable('floor_counts').set({ attempts: sql<number>`greatest(attempts - 1, 0)` }).where('key', '=', key).execute()
  }
}
