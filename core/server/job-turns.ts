// One run of a job that works in each tenancy. Each gets a turn; one that says `more` gets another after all the others had theirs. A turn that
// fails ends the job for that tenancy alone. Where the time is up before all had their turns, the next run goes on behind the last.

import { jobName } from '#core/contract/contract.ts'
import { reasonOf } from './each.ts'
import type { House } from './house.ts'
import type { JobBinding, TakeTurn } from './serve.ts'
import { allTenancies, type KnownTenancy } from './tenancies.ts'

/** Shorter than the time after which the queue gives a job up. */
const longestMilliseconds = 240_000

export type TurnsTaken = {
  tenancies: number
  failures: readonly { tenancy: KnownTenancy; error: unknown }[]
  /** Where the next run begins: with the tenancy behind this one. */
  startAfter: string | undefined
  /** Some are left that wait for a turn. */
  timeIsUp: boolean
}

/** Begins behind `startAfter`, so that another tenancy is the last each time. `began` is told the first, before its turn: one that brings the server down is not the first again. */
export async function takeTurns(
  house: House,
  { job }: JobBinding,
  takeTurn: TakeTurn,
  { startAfter, began }: { startAfter: string | undefined; began(first: string): Promise<void> },
  longest = longestMilliseconds,
): Promise<TurnsTaken> {
  const all = await allTenancies(house)
  const begin = all.findIndex(({ id }) => startAfter !== undefined && id > startAfter)
  const first = begin < 0 ? 0 : begin
  let waiting = [...all.slice(first), ...all.slice(0, first)]
  const failures: { tenancy: KnownTenancy; error: unknown }[] = []
  const until = performance.now() + longest
  let last = waiting[0]?.id
  if (last !== undefined) await began(last)
  const taken = (timeIsUp: boolean): TurnsTaken => ({
    tenancies: all.length,
    failures,
    startAfter: timeIsUp ? last : all[first]?.id,
    timeIsUp,
  })
  for (let turns = 0; waiting.length > 0;) {
    const again: KnownTenancy[] = []
    for (const tenancy of waiting) {
      if (turns > 0 && performance.now() > until) return taken(true)
      turns += 1
      last = tenancy.id
      try {
        if ((await takeTurn({ house, tenantId: tenancy.id, until })) === 'more') again.push(tenancy)
      } catch (error) {
        house.log.error({ error, job: jobName(job), tenancy: tenancy.id }, 'a job failed in one tenancy; it runs again at its next time')
        failures.push({ tenancy, error })
      }
    }
    waiting = again
  }
  return taken(false)
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
