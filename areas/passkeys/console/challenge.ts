// Fetches challenges for signing in: one is used until half of its ten minutes and once, and after a failure the next is asked for with ever longer pauses, so
// that pages left open do not press on a server in trouble. Somebody who presses the button does not wait.

import { baseAddress } from '#core/console/send.ts'
import { passkeys } from '../contract.ts'
import { challengeMilliseconds } from '../rules.ts'

const contentType = 'application/x-webauthn-challenge'
const backoffSeconds = 10

/** The pause after so many failures: 10 s times 2 to the power of 1 to 8, half as much more or less. */
export const backoffMilliseconds = (failures: number, random: number): number =>
  backoffSeconds * 1000 * 2 ** Math.min(8, Math.max(1, failures)) * (0.5 + random)

export class ChallengePause extends Error {
  override name = 'ChallengePause'
  readonly milliseconds: number
  constructor(milliseconds: number) {
    super('A challenge was asked for a moment ago, without success')
    this.milliseconds = milliseconds
  }
}

export type Challenge = { bytes: Uint8Array<ArrayBuffer>; at: number }

export async function fetchChallenge(): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(`${baseAddress}${passkeys.endpoints.prepareAuthentication.path}`, {
    method: 'POST',
    credentials: 'omit',
    headers: { accept: contentType },
  })
  if (!response.ok || response.headers.get('content-type') !== contentType) throw new Error('unexpected response content type')
  return new Uint8Array(await response.arrayBuffer())
}

type Sources = { fetchOne(): Promise<Uint8Array<ArrayBuffer>>; now(): number; random(): number }

export function openChallenges({ fetchOne, now, random }: Sources) {
  let current: Challenge | undefined
  let failures = 0
  let pauseEnds = 0
  return {
    /** `explicit`: somebody pressed the button. Throws ChallengePause where it is not yet time. */
    async take({ explicit }: { explicit: boolean }): Promise<Challenge> {
      if (current !== undefined && now() - current.at < challengeMilliseconds / 2) return current
      if (!explicit && now() < pauseEnds) throw new ChallengePause(pauseEnds - now())
      try {
        const bytes = await fetchOne()
        failures = 0
        pauseEnds = 0
        current = { bytes, at: now() }
        return current
      } catch (error) {
        failures += 1
        pauseEnds = now() + backoffMilliseconds(failures, random())
        throw error
      }
    },
    /** It was answered: nobody takes it again. */
    discard(used: Challenge): void {
      if (current === used) current = undefined
    },
    /** How long until it is replaced. */
    freshFor: ({ at }: Challenge): number => Math.max(0, at + challengeMilliseconds / 2 - now()),
    pauseLeft: (): number => Math.max(0, pauseEnds - now()),
  }
}

export const challenges = openChallenges({ fetchOne: fetchChallenge, now: () => Date.now(), random: () => Math.random() })
