// Turns that take long, as where another machine does not answer: they go on aside, and the run of their job does not wait for them. No run gives a tenancy
// another turn until the one aside is over, on whichever server: each holds an advisory lock, which ends with its process.

import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { House } from './house.ts'

/** The first number of the locks; the second is made of the job and the tenancy. */
const lockClass = 3_471_203
const lockOf = (key: string): number => createHash('sha256').update(key).digest().readInt32BE(0)

type Going = { work: Promise<void>; ending: AbortController }
type Aside = {
  turns: Map<string, Going>
  failures: Map<string, { tenantId: string; error: unknown }[]>
  client: Promise<pg.PoolClient> | undefined
  /** The last question on that connection, which asks one after another. */
  asking: Promise<unknown>
}
const asides = new WeakMap<House, Aside>()

function asideOf(house: House): Aside {
  const found = asides.get(house) ?? { turns: new Map(), failures: new Map(), client: undefined, asking: Promise.resolve() }
  asides.set(house, found)
  return found
}

const keyOf = (job: string, tenantId: string): string => `${job} ${tenantId}`

/** How many turns of this server go on aside. */
export const countAside = (house: House): number => asideOf(house).turns.size

/** Lets a turn go on. Comes back when no other run can give the tenancy a turn of this job. */
export async function goAside(
  house: House,
  { job, tenantId, work, ending }: { job: string; tenantId: string; work: Promise<unknown>; ending: AbortController },
): Promise<void> {
  const aside = asideOf(house)
  const key = keyOf(job, tenantId)
  const held = lock(house, aside, key)
  const over = work
    .then(
      () => {},
      (error: unknown) => void aside.failures.set(job, [...(aside.failures.get(job) ?? []), { tenantId, error }]),
    )
    .then(async () => {
      await held
      aside.turns.delete(key)
      await unlock(house, aside, key)
    })
  aside.turns.set(key, { work: over, ending })
  await held
}

async function askOn(aside: Aside, client: Promise<pg.PoolClient>, statement: string, key: string): Promise<void> {
  const before = aside.asking
  const asking = before.then(async () => (await client).query(statement, [lockClass, lockOf(key)]))
  aside.asking = asking.catch(() => {})
  await asking
}

async function lock(house: House, aside: Aside, key: string): Promise<void> {
  try {
    aside.client ??= house.held.connect().then((client) => {
      client.once('error', () => {
        aside.client = undefined
        client.release(true)
      })
      return client
    })
    await askOn(aside, aside.client, 'select pg_advisory_lock($1, $2)', key)
  } catch (error) {
    house.log.warn({ error }, 'other servers do not know of a job that goes on aside')
  }
}

async function unlock(house: House, aside: Aside, key: string): Promise<void> {
  const { client } = aside
  if (client === undefined) return
  try {
    await askOn(aside, client, 'select pg_advisory_unlock($1, $2)', key)
    if (aside.turns.size > 0 || aside.client !== client) return
    aside.client = undefined
    ;(await client).release(true)
  } catch (error) {
    house.log.warn({ error }, 'the lock of a job that went on aside could not be given back')
  }
}

/** Says of each tenancy whether a turn of this job still goes on in it, here or on another server. */
export async function readGoing(house: House, job: string): Promise<(tenantId: string) => boolean> {
  const { turns } = asideOf(house)
  const { rows } = await house.held.query<{ lock: string }>(
    `select objid::text as lock from pg_locks where locktype = 'advisory' and classid = $1 and objsubid = 2
     and database = (select oid from pg_database where datname = current_database())`,
    [lockClass],
  )
  const locks = new Set(rows.map((row) => Number(row.lock) | 0))
  return (tenantId) => turns.has(keyOf(job, tenantId)) || (locks.size > 0 && locks.has(lockOf(keyOf(job, tenantId))))
}

/** What turns of this job failed of that went on aside and are over. Told once. */
export function takeFailures(house: House, job: string): { tenantId: string; error: unknown }[] {
  const { failures } = asideOf(house)
  const found = failures.get(job) ?? []
  failures.delete(job)
  return found
}

const farewellMilliseconds = 3_000

/** Ends what goes on aside. What does not end in time is left to the next server. */
export async function endAside(house: House): Promise<void> {
  const { turns } = asideOf(house)
  if (turns.size === 0) return
  const all = [...turns.values()]
  for (const { ending } of all) ending.abort(new DOMException('The server ends', 'AbortError'))
  let timer: NodeJS.Timeout | undefined
  await Promise.race([
    Promise.allSettled(all.map(({ work }) => work)),
    new Promise((resolve) => (timer = setTimeout(resolve, farewellMilliseconds))),
  ])
  clearTimeout(timer)
}
