import { afterEach, describe, expect, it, vi } from 'vitest'
import { answering } from '#core/testing/little-server.ts'
import { backoffMilliseconds, ChallengePause, fetchChallenge, openChallenges } from './challenge.ts'

const minute = 60_000

function clockwork({ failing = 0, random = 0.5 } = {}) {
  let now = 0
  let left = failing
  const fetched: number[] = []
  const challenges = openChallenges({
    now: () => now,
    random: () => random,
    async fetchOne() {
      fetched.push(now)
      if (left > 0) {
        left -= 1
        throw new Error('unexpected response content type')
      }
      return Uint8Array.of(fetched.length)
    },
  })
  return { challenges, fetched, advance: (milliseconds: number) => void (now += milliseconds) }
}

describe('A challenge', () => {
  it('is used until half of its ten minutes, and then replaced', async () => {
    const { challenges, fetched, advance } = clockwork()
    const first = await challenges.take({ explicit: false })
    advance(5 * minute - 1)
    expect(await challenges.take({ explicit: true })).toBe(first)
    expect(challenges.freshFor(first)).toBe(1)
    advance(1)
    expect(await challenges.take({ explicit: false })).not.toBe(first)
    expect(fetched).toHaveLength(2)
  })

  it('is discarded once it was answered', async () => {
    const { challenges, fetched } = clockwork()
    const first = await challenges.take({ explicit: false })
    challenges.discard(first)
    const second = await challenges.take({ explicit: false })
    challenges.discard(first)
    expect(await challenges.take({ explicit: false })).toBe(second)
    expect(fetched).toHaveLength(2)
  })

  it('that could not be fetched is asked for again after a pause, unless somebody presses the button', async () => {
    const { challenges, fetched, advance } = clockwork({ failing: 2 })
    await expect(challenges.take({ explicit: false })).rejects.toThrow('unexpected response content type')
    await expect(challenges.take({ explicit: false })).rejects.toMatchObject({ name: 'ChallengePause', milliseconds: 20_000 })
    advance(19_999)
    await expect(challenges.take({ explicit: false })).rejects.toBeInstanceOf(ChallengePause)
    await expect(challenges.take({ explicit: true })).rejects.toThrow('unexpected')
    expect(challenges.pauseLeft()).toBe(40_000)
    await expect(challenges.take({ explicit: true })).resolves.toMatchObject({ bytes: Uint8Array.of(3) })
    expect(fetched).toHaveLength(3)
    expect(challenges.pauseLeft()).toBe(0)
  })

  it('waits 10 s times 2 to the power of 1 to 8, half as much more or less', () => {
    expect([0, 1, 2, 8, 9, 100].map((failures) => backoffMilliseconds(failures, 0.5))).toEqual([
      20_000, 20_000, 40_000, 2_560_000, 2_560_000, 2_560_000,
    ])
    expect([backoffMilliseconds(1, 0), backoffMilliseconds(1, 1)]).toEqual([10_000, 30_000])
  })
})

describe('The request for one', () => {
  afterEach(() => vi.restoreAllMocks())

  it('has no body and no credentials, and takes raw bytes of the right type alone', async () => {
    const sent = vi
      .spyOn(globalThis, 'fetch')
      .mockResolvedValueOnce(new Response(Uint8Array.of(1, 2, 3), { headers: { 'content-type': 'application/x-webauthn-challenge' } }))
    expect(await fetchChallenge()).toEqual(Uint8Array.of(1, 2, 3))
    const [path, init] = sent.mock.calls[0] ?? []
    expect(path).toBe('/api2/Authentication-v1/PrepareFido2Authentication')
    expect(init).toEqual({ method: 'POST', credentials: 'omit', headers: { accept: 'application/x-webauthn-challenge' } })
  })

  it('fails where something else answers', async () => {
    await answering({ 'POST /api2/Authentication-v1/PrepareFido2Authentication': { challenge: 'AAAA' } })
    await expect(fetchChallenge()).rejects.toThrow('unexpected response content type')
  })
})
