// What a room says of the deliveries that it makes, and what comes of one.

import { slot } from '#core/contract/slots.ts'
import type { House } from '../house.ts'

export type Delivery = {
  tenantId: string
  /** The same at each attempt: whoever receives it knows by it what came twice. */
  id: string
  /** What the room calls the receiver; its address and its secrets are in the room's own rows. */
  target: string
  key: string
  payload: string
  /** 1 at first. */
  attempt: number
  queuedAt: Date
}

export type DeliveryOutcome = {
  /** `failed` is tried again; `refused` will never be taken, and is given up; `gone` says that the target wants nothing more. */
  outcome: 'delivered' | 'failed' | 'refused' | 'gone'
  /** Of HTTP. */
  status?: number | undefined
  /** What came back; the first kilobyte is kept. */
  answer?: string | undefined
  /** What the receiver asked for, such as Retry-After. */
  retryAfterSeconds?: number | undefined
}

export type DeliveryKind = {
  /** `room.noun`, as `webhooks.message`. */
  kind: string
  title: string
  /** Sends once. What it throws counts as failed, with its message as the answer. */
  deliver(delivery: Delivery, house: House, signal: AbortSignal): Promise<DeliveryOutcome>
  /** How many go to one target at a time; 4 unless told. */
  parallel?: number
  /** The longest that one attempt may take; 30 s unless told. */
  milliseconds?: number
  /** How long one is tried, and how long it is kept after its end; 3 and 14 days unless told. */
  giveUpAfterDays?: number
  keepDays?: number
  /** Hears that nothing more is sent to a target until somebody resumes it. May be told twice. */
  stopped?(target: { tenantId: string; target: string; reason: string }, house: House): Promise<void>
}

/** Where rooms offer their kinds: `offers: [offer(deliveryKinds, message)]`. */
export const deliveryKinds = slot<DeliveryKind>('delivery kinds')

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** The pauses between attempts, as Standard Webhooks proposes them; the last is repeated until the end. */
const pauses = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
/** After so many failures one after another a target gets single attempts. */
export const failuresUntilPause = 5
const targetPauses = [5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour]

export const giveUpMilliseconds = ({ giveUpAfterDays = 3 }: Pick<DeliveryKind, 'giveUpAfterDays'>): number => giveUpAfterDays * day
export const keepMilliseconds = ({ keepDays = 14 }: Pick<DeliveryKind, 'keepDays'>): number => keepDays * day
/** A target that has failed so long is stopped. */
export const stopAfterMilliseconds = 3 * day

const longestRetryAfter = 24 * hour

/** Spreads what failed together, so that it does not come together again. */
const jitter = (): number => 0.8 + 0.4 * Math.random()

/** When a delivery that failed `attempts` times is due again. */
export const nextAttempt = (attempts: number, now: Date, retryAfterSeconds = 0): Date => {
  const pause = (pauses[Math.min(attempts, pauses.length) - 1] ?? 0) * jitter()
  const asked = Math.min(Math.max(retryAfterSeconds, 0) * second, longestRetryAfter)
  return new Date(now.getTime() + Math.max(pause, asked))
}

/** When a target that failed `failures` times one after another gets its next single attempt; undefined while it gets all. */
export const nextOfTarget = (failures: number, now: Date): Date | undefined => {
  if (failures < failuresUntilPause) return undefined
  const pause = targetPauses[Math.min(failures - failuresUntilPause, targetPauses.length - 1)] ?? 0
  return new Date(now.getTime() + pause * jitter())
}
