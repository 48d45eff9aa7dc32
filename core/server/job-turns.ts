// One run of a job that works in each tenancy. Each gets a turn, a few at the same time; one that says `more` gets another after all the others had theirs.
// A turn that fails ends the job for that tenancy alone, and one that takes long goes on aside, so that nobody waits for another's counterpart. Where the time
// is up before all had their turns, the next run goes on with those that are left.

import { setTimeout as pause } from 'node:timers/promises'
import { jobName } from '#core/contract/contract.ts'
import { reasonOf } from './each.ts'
import type { House } from './house.ts'
import { countAside, goAside, readGoing, takeFailures } from './job-aside.ts'
import type { JobBinding, TakeTurn } from './serve.ts'
import { allTenancies, type KnownTenancy } from './tenancies.ts'
import { inTurn } from './turn-signal.ts'

/** Shorter than the time after which the queue gives a job up. */
const longestMilliseconds = 240_000
/** Turns at the same time: what one waits for costs no others anything. */
const together = 4
/** So long a turn is waited for. Then it goes on aside, where there is room, or at the end of the run. */
const patienceMilliseconds = 15_000
const mostAside = 50
/** Then what it asks of other machines is broken off. The longest reading (of a directory) takes twelve minutes. */
const turnMilliseconds = 780_000

export type TurnsTaken = {
  tenancies: number
  failures: readonly { tenancy: KnownTenancy; error: unknown }[]
  /** Where the next run begins: with the tenancy behind this one. */
  startAfter: string | undefined
  /** Some are left that wait for a turn. */
  timeIsUp: boolean
}

/** In milliseconds: of the run, until a turn goes on aside, and of a turn. */
export type TurnLimits = { longest?: number; patience?: number; turn?: number }

/** Those that are left of a run whose time was up, by job. Another server begins with all, behind the last. */
const leftOver = new WeakMap<House, Map<string, readonly string[]>>()

/** Whose last turn went on aside, by job: they come after the others. */
const slow = new WeakMap<House, Map<string, Set<string>>>()

function slowOf(house: House, job: string): Set<string> {
  const all = slow.get(house) ?? new Map<string, Set<string>>()
  slow.set(house, all)
  const found = all.get(job) ?? new Set<string>()
  all.set(job, found)
  return found
}

function takeLeft(house: House, job: string): readonly string[] | undefined {
  const left = leftOver.get(house)?.get(job)
  leftOver.get(house)?.delete(job)
  return left
}

function keepLeft(house: House, job: string, ids: readonly string[]): void {
  const all = leftOver.get(house) ?? new Map<string, readonly string[]>()
  leftOver.set(house, all.set(job, ids))
}

/** Begins behind `startAfter`, so that another tenancy is the last each time. `began` is told the first, before its turn: one that brings the server down is not the first again. */
export async function takeTurns(
  house: House,
  { job }: JobBinding,
  takeTurn: TakeTurn,
  { startAfter, began }: { startAfter: string | undefined; began(first: string): Promise<void> },
  { longest = longestMilliseconds, patience = patienceMilliseconds, turn = turnMilliseconds }: TurnLimits = {},
): Promise<TurnsTaken> {
  const name = jobName(job)
  const all = await allTenancies(house)
  const isGoing = await readGoing(house, name)
  const begin = all.findIndex(({ id }) => startAfter !== undefined && id > startAfter)
  const inOrder = begin < 0 ? all : [...all.slice(begin), ...all.slice(0, begin)]
  const left = takeLeft(house, name)
  const slowOnes = slowOf(house, name)
  const waiting = inOrder
    .filter(({ id }) => !isGoing(id) && left?.includes(id) !== false)
    .toSorted((a, b) => Number(slowOnes.has(a.id)) - Number(slowOnes.has(b.id)))
  const first = waiting[0]?.id
  const failures = takeFailures(house, name).flatMap(({ tenantId, error }) => {
    const tenancy = all.find(({ id }) => id === tenantId)
    return tenancy === undefined ? [] : [{ tenancy, error }]
  })
  const until = performance.now() + longest
  let last = first
  let turns = 0
  let timeIsUp = false
  if (first !== undefined) await began(first)

  function next(): KnownTenancy | undefined {
    if (turns > 0 && waiting.length > 0 && performance.now() > until) timeIsUp = true
    const tenancy = timeIsUp ? undefined : waiting.shift()
    if (tenancy === undefined) return undefined
    turns += 1
    last = tenancy.id
    return tenancy
  }

  async function takeOne(tenancy: KnownTenancy): Promise<void> {
    const ending = new AbortController()
    const end = setTimeout(() => ending.abort(new DOMException('The turn of the job took too long', 'TimeoutError')), turn)
    let isAside = false
    const work = inTurn(ending.signal, async () => takeTurn({ house, tenantId: tenancy.id, until }))
      .then((answer) => {
        if (answer !== 'more') return
        if (isAside) house.wake(job)
        else waiting.push(tenancy)
      })
      .catch((error: unknown) => {
        house.log.error({ error, job: name, tenancy: tenancy.id }, 'a job failed in one tenancy; it runs again at its next time')
        if (isAside) throw error
        failures.push({ tenancy, error })
      })
      .finally(() => clearTimeout(end))
    if (await isOverWithin(work, patience)) return void slowOnes.delete(tenancy.id)
    slowOnes.add(tenancy.id)
    // Where many go on aside already it is waited for longer, yet never past the end of the run.
    if (countAside(house) >= mostAside && (await isOverWithin(work, Math.max(0, until - performance.now())))) return
    isAside = true
    house.log.warn({ job: name, tenancy: tenancy.id }, 'a job takes long in one tenancy; it goes on there, and the others do not wait')
    await goAside(house, { job: name, tenantId: tenancy.id, work, ending })
  }

  const lane = async (): Promise<void> => {
    for (let tenancy = next(); tenancy !== undefined; tenancy = next()) await takeOne(tenancy)
  }
  await Promise.all(Array.from({ length: together }, lane))
  if (timeIsUp)
    keepLeft(
      house,
      name,
      waiting.map(({ id }) => id),
    )
  return { tenancies: all.length, failures, startAfter: timeIsUp ? last : first, timeIsUp }
}

async function isOverWithin(work: Promise<unknown>, wanted: number): Promise<boolean> {
  // A longer one would be none.
  const milliseconds = Math.min(wanted, 2 ** 31 - 1)
  const waited = new AbortController()
  try {
    return await Promise.race([
      work.then(
        () => true,
        () => true,
      ),
      pause(milliseconds, false, { signal: waited.signal }),
    ])
  } finally {
    waited.abort()
  }
}

/** Says in which tenancies a run failed, and why. */
export function failureOf({ tenancies, failures }: TurnsTaken): Error | undefined {
  if (failures.length === 0) return undefined
  const each = failures.map(({ tenancy, error }) => `${tenancy.name}: ${reasonOf(error)}`).join('; ')
  return new AggregateError(
    failures.map(({ error }) => error),
    `Failed in ${failures.length} of ${tenancies} tenancies. ${each}`,
  )
}
