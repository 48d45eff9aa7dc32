// Floors under sign-in, codes and public links that no rule lifts, counted in the database so that several servers share them. An attempt is
// counted before the work, so parallel guesses cannot slip through, and given back when it succeeds. An address of IPv6 counts as its network
// of 64 bits, all of which one stranger commands.
// An account is counted strictly together with where the attempt comes from, and loosely by itself: a stranger's guesses keep the right person
// out for moments at most, and a browser that the person signed in with before has an allowance of its own.

import { sql } from 'kysely'
import { isIPv6 } from 'node:net'
import type { CallShape } from '#core/contract/contract.ts'
import type { Database } from './database.ts'
import { commonFault } from './fault.ts'

type Floor = NonNullable<CallShape['floor']>

/** Attempts that may fail in one window. A person who mistypes meets none of them. `anywhere` is for one account from all places together. */
const limits: Record<Floor, { account: number; anywhere: number; address: number; windowSeconds: number }> = {
  signIn: { account: 10, anywhere: 30, address: 100, windowSeconds: 300 },
  code: { account: 6, anywhere: 30, address: 100, windowSeconds: 300 },
  publicLink: { account: 20, anywhere: 60, address: 60, windowSeconds: 300 },
  name: { account: 60, anywhere: 120, address: 200, windowSeconds: 300 },
}

/** The longest that an account is closed to all places: a power of two of seconds. */
const longestPauseExponent = 8

/** Who tries: the account that is tried, from where (a network, a credential), the address, and the device that the account knows. */
export type Attempt = { account?: string | undefined; from?: string | undefined; address?: string | undefined; device?: string | undefined }

export type FloorTicket = { key: string }
type FloorTables = { floor_counts: { key: string; attempts: number; window_ends: Date } }

/** Counts one attempt. Throws the specified 429 where one of its allowances is used up. */
export async function countAttempt(
  database: Database,
  floor: Floor,
  { account, from, address, device }: Attempt,
  now: Date,
): Promise<FloorTicket[]> {
  const limit = limits[floor]
  const name = account?.toLowerCase().slice(0, 200)
  const tickets: FloorTicket[] = []
  const take = async (kind: string, value: string, count: (key: string) => Promise<boolean>): Promise<void> => {
    const key = `${floor}:${kind}:${value}`
    tickets.push({ key })
    if (!(await count(key))) throw commonFault('too_many_requests')
  }
  const strictly = (most: number) => async (key: string) => (await countInWindow(database, key, limit.windowSeconds, now)) <= most
  if (device !== undefined) {
    await take('device', device, strictly(limit.account))
    return tickets
  }
  if (address !== undefined) await take('address', networkOf(address), strictly(limit.address))
  if (name === undefined) return tickets
  await take('account', from === undefined ? name : `${name}|${from}`, strictly(limit.account))
  if (from !== undefined) await take('anywhere', name, (key) => countLoosely(database, key, limit.anywhere, limit.windowSeconds, now))
  return tickets
}

/** One more in this window, or the first of the next. */
async function countInWindow(database: Database, key: string, windowSeconds: number, now: Date): Promise<number> {
  const windowEnds = new Date(now.getTime() + windowSeconds * 1000)
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
  return row.attempts
}

/** As many as `free` in a window; beyond, one at a time after pauses that double. What comes within a pause is refused and prolongs nothing. */
async function countLoosely(database: Database, key: string, free: number, windowSeconds: number, now: Date): Promise<boolean> {
  const windowEnds = new Date(now.getTime() + windowSeconds * 1000)
  const pauseEnds = sql`${now}::timestamptz + power(2, least(floor_counts.attempts + 1 - ${free}::int, ${longestPauseExponent}::int)) * interval '1 second'`
  const row = await database
    .withTables<FloorTables>()
    .insertInto('floor_counts')
    .values({ key, attempts: 1, window_ends: windowEnds })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          attempts: sql<number>`case when floor_counts.attempts < ${free} and floor_counts.window_ends <= ${now} then 1 else floor_counts.attempts + 1 end`,
          window_ends: sql<Date>`case
            when floor_counts.attempts + 1 >= ${free} and (floor_counts.attempts >= ${free} or floor_counts.window_ends > ${now}) then ${pauseEnds}
            when floor_counts.window_ends <= ${now} then ${windowEnds}
            else floor_counts.window_ends end`,
        })
        .where(sql<boolean>`floor_counts.attempts < ${free} or floor_counts.window_ends <= ${now}`),
    )
    .returning('attempts')
    .executeTakeFirst()
  return row !== undefined
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
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** Removes the counts whose window has ended. */
export async function forgetFloors(database: Database, now: Date): Promise<void> {
  await database.withTables<FloorTables>().deleteFrom('floor_counts').where('window_ends', '<=', now).execute()
}

/** The attempt succeeded: the account starts anew, an address and a choice of names get their one attempt back. */
export async function giveBack(database: Database, tickets: readonly FloorTicket[]): Promise<void> {
  for (const { key } of tickets) {
    const counts = database.withTables<FloorTables>()
    if (key.includes(':address:') || key.startsWith('name:'))
      await counts
        .updateTable('floor_counts')
        .set({ attempts: sql<number>`greatest(attempts - 1, 0)` })
        .where('key', '=', key)
        .execute()
    else await counts.deleteFrom('floor_counts').where('key', '=', key).execute()
  }
}
