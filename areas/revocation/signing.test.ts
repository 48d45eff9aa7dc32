import { describe, expect, test } from 'vitest'
import { lifeOfSigner, renewalOf, signerIsDue, signerKeyFor, signerServes } from './signing.ts'

const [hour, day] = [3_600_000, 86_400_000]
const now = new Date('2026-11-21T12:00:00.500Z')
const at = (milliseconds: number) => new Date(now.getTime() + milliseconds)
const authority = { notBefore: at(-day), notAfter: at(3650 * day) }

describe('A signer', () => {
  test('lives thirty days, begins an hour early, and never leaves the life of its authority', () => {
    expect(lifeOfSigner(authority, now)).toEqual({
      notBefore: new Date('2026-11-21T11:00:00Z'),
      notAfter: new Date('2026-12-21T12:00:00Z'),
    })
    expect(lifeOfSigner({ notBefore: at(-60_000), notAfter: at(day) }, now)).toEqual({
      notBefore: new Date('2026-11-21T11:59:00Z'),
      notAfter: new Date('2026-11-22T12:00:00Z'),
    })
  })

  test('is renewed when a third is left, and at once where there is none', () => {
    const life = lifeOfSigner(authority, now)
    const renewal = renewalOf(life)
    expect((life.notAfter.getTime() - renewal.getTime()) / day).toBeCloseTo(10, 1)
    expect([
      signerIsDue(undefined, authority, now),
      signerIsDue(life, authority, new Date(renewal.getTime() - 1)),
      signerIsDue(life, authority, renewal),
    ]).toEqual([true, false, true])
  })

  test('that ends with its authority has no successor, and an authority in its last hour needs none', () => {
    const ending = { notBefore: at(-day), notAfter: at(9 * day) }
    expect(signerIsDue(lifeOfSigner(ending, now), ending, at(8 * day))).toBe(false)
    expect(signerIsDue(undefined, { notBefore: at(-day), notAfter: at(hour / 2) }, now)).toBe(false)
  })

  test('signs while what it signs now still counts when it is read', () => {
    const life = lifeOfSigner(authority, now)
    const [last, late] = [new Date(life.notAfter.getTime() - hour - 1), new Date(life.notAfter.getTime() - hour)]
    expect([signerServes(life, now), signerServes(life, last), signerServes(life, late), signerServes(life, at(-2 * hour))]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  test('has a quick key, no weaker against tomorrow than what it vouches for', () => {
    expect((['RSA-4096', 'P-384', 'Ed448', 'ML-DSA-87', 'SLH-DSA-SHA2-128s'] as const).map(signerKeyFor)).toEqual([
      'P-256',
      'P-256',
      'P-256',
      'ML-DSA-44',
      'ML-DSA-44',
    ])
  })
})
