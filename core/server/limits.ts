// Limits the rate of sign-ins, codes and public links. No rule lifts these limits. The database counts them, so that several servers share them. An attempt
// is counted before the work, so that parallel guesses cannot pass, and given back when it succeeds. An IPv6 address counts as its network of 64 bits,
// because one attacker commands all of it.
// An account has a strict count together with the place of the attempt, and a loose count by itself, so that an attacker's guesses keep the right person out
// for moments at most. A browser with which the person signed in before has an allowance of its own.

import { sql } from 'kysely'
import { isIPv6 } from 'node:net'
import type { CallShape } from '#core/contract/contract.ts'
import type { Database } from './database.ts'
import { commonFault } from './fault.ts'

type Limit = NonNullable<CallShape['limit']>

/** How many attempts may fail in one window. A person who mistypes reaches none of them. `anywhere` is for one account from all places together. */
const allowances: Record<Limit, { account: number; anywhere: number; address: number; windowSeconds: number }> = {
  signIn: { account: 10, anywhere: 30, address: 100, windowSeconds: 300 },
  code: { account: 6, anywhere: 30, address: 100, windowSeconds: 300 },
  publicLink: { account: 20, anywhere: 60, address: 60, windowSeconds: 300 },
  // Of sign-ins that are begun elsewhere: each leaves a row for minutes, whatever comes of it.
  begin: { account: 600, anywhere: 600, address: 600, windowSeconds: 300 },
  name: { account: 60, anywhere: 120, address: 200, windowSeconds: 300 },
  // Of a protocol's account: each leaves rows that stay for days, whether it comes to a certificate or not.
  order: { account: 1_000, anywhere: 1_000, address: 5_000, windowSeconds: 3_600 },
}

/** The longest pause of an account for all places, as a power of two of seconds. */
const longestPauseExponent = 8

/** Describes an attempt: the account, the place it comes from (a network, a credential), the address, and the device that the account knows. */
export type Attempt = { account?: string | undefined; from?: string | undefined; address?: string | undefined; device?: string | undefined }

export type LimitTicket = { key: string }
type LimitTables = { floor_counts: { key: string; attempts: number; window_ends: Date } }

/** Counts one attempt. Throws the specified 429 where an allowance is used up. */
export async function countAttempt(
  database: Database,
  limit: Limit,
  { account, from, address, device }: Attempt,
  now: Date,
): Promise<LimitTicket[]> {
  const allowance = allowances[limit]
  const name = account?.toLowerCase().slice(0, 200)
  const tickets: LimitTicket[] = []
  const take = async (kind: string, value: string, count: (key: string) => Promise<Counted>): Promise<void> => {
    const key = `${limit}:${kind}:${value}`
    tickets.push({ key })
    const { allowed, until } = await count(key)
    if (!allowed)
      throw commonFault('too_many_requests', { params: { seconds: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)) } })
  }
  const strictly = (most: number) => (key: string) => countInWindow(database, key, most, allowance.windowSeconds, now)
  if (device !== undefined) {
    await take('device', device, strictly(allowance.account))
    return tickets
  }
  if (address !== undefined) await take('address', networkOf(address), strictly(allowance.address))
  if (name === undefined) return tickets
  await take('account', from === undefined ? name : `${name}|${from}`, strictly(allowance.account))
  if (from !== undefined)
    await take('anywhere', name, (key) => countLoosely(database, key, allowance.anywhere, allowance.windowSeconds, now))
  return tickets
}

/** `until`: when the next attempt is allowed where this one is not. */
type Counted = { allowed: boolean; until: Date }

/** Counts one more in this window, or the first of the next. */
async function countInWindow(database: Database, key: string, most: number, windowSeconds: number, now: Date): Promise<Counted> {
  const windowEnds = new Date(now.getTime() + windowSeconds * 1000)
  const row = await database
    .withTables<LimitTables>()
    .insertInto('floor_counts')
    .values({ key, attempts: 1, window_ends: windowEnds })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        attempts: sql<number>`case when floor_counts.window_ends <= ${now} then 1 else floor_counts.attempts + 1 end`,
        window_ends: sql<Date>`case when floor_counts.window_ends <= ${now} then ${windowEnds} else floor_counts.window_ends end`,
      }),
    )
    .returning(['attempts', 'window_ends'])
    .executeTakeFirstOrThrow()
  return { allowed: row.attempts <= most, until: row.window_ends }
}

/** Allows `free` attempts in a window, then one at a time after pauses that double. Refuses an attempt within a pause, without making the pause longer. */
async function countLoosely(database: Database, key: string, free: number, windowSeconds: number, now: Date): Promise<Counted> {
  const windowEnds = new Date(now.getTime() + windowSeconds * 1000)
  const pauseEnds = sql`${now}::timestamptz + power(2, least(floor_counts.attempts + 1 - ${free}::int, ${longestPauseExponent}::int)) * interval '1 second'`
  const row = await database
    .withTables<LimitTables>()
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
    .returning('window_ends')
    .executeTakeFirst()
  if (row !== undefined) return { allowed: true, until: now }
  const refused = await database
    .withTables<LimitTables>()
    .selectFrom('floor_counts')
    .select('window_ends')
    .where('key', '=', key)
    .executeTakeFirst()
  return { allowed: false, until: refused?.window_ends ?? now }
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
export async function forgetLimits(database: Database, now: Date): Promise<void> {
  await database.withTables<LimitTables>().deleteFrom('floor_counts').where('window_ends', '<=', now).execute()
}

/** Gives back an attempt that succeeded: the account starts at zero, an address or a choice of names gets one attempt back. */
export async function giveBack(database: Database, tickets: readonly LimitTicket[]): Promise<void> {
  for (const { key } of tickets) {
    const counts = database.withTables<LimitTables>()
    if (key.includes(':address:') || key.startsWith('name:'))
      await counts
        .updateTable('floor_counts')
        .set({ attempts: sql<number>`greatest(attempts - 1, 0)` })
        .where('key', '=', key)
        .execute()
    else await counts.deleteFrom('floor_counts').where('key', '=', key).execute()
  }
}
