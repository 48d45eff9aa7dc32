// What an authority's state is, how long it lives, and in what order a list of them is read. Pure: the console shows the same answers
// that the server acts on.

import { dayText } from '#core/contract/days.ts'

/** The specification's three. An authority without a certificate waits for one. */
export const authorityStatuses = ['PendingCert', 'ActiveCert', 'ExpiredCert'] as const
export type AuthorityStatus = (typeof authorityStatuses)[number]

type Validity = { notBefore: Date | undefined; notAfter: Date | undefined }

/** The three-way rule, where no status is given: pending before notBefore, expired after notAfter, both moments belonging to its life (RFC 5280 4.1.2.5). */
export function authorityStatus(
  { status, notBefore, notAfter }: Validity & { status?: AuthorityStatus | undefined },
  now: Date,
): AuthorityStatus {
  if (status !== undefined) return status
  if (notBefore === undefined || notAfter === undefined || now < notBefore) return 'PendingCert'
  return now > notAfter ? 'ExpiredCert' : 'ActiveCert'
}

export const authorityKinds = ['root', 'subordinate', 'outside', 'offline'] as const
/** `outside`: its certificate comes from an authority that is not ours. `offline`: its key is never here, and it signs nothing here. */
export type AuthorityKind = (typeof authorityKinds)[number]

/** Those that have a key here. */
export const madeKinds = ['root', 'subordinate', 'outside'] as const satisfies readonly AuthorityKind[]
export type MadeKind = (typeof madeKinds)[number]

export const validityUnits = ['HOURS', 'DAYS', 'MONTHS', 'YEARS'] as const
export type ValidityUnit = (typeof validityUnits)[number]

/** The years that an authority lives where nobody says otherwise. */
export const defaultYears: Record<MadeKind, number> = { root: 20, subordinate: 10, outside: 10 }

/** X.509 times have whole seconds, and none after the year 9999. */
export const wholeSecond = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000)
export const latestTime = new Date('9999-12-31T23:59:59Z')

/** The most parts that a revocation list is published in. */
export const mostCrlShards = 1_024

/** The end of a period. A month that is too short ends on its last day (31 January + 1 month = 28 February). */
export function endOfValidity(from: Date, period: number, unit: ValidityUnit): Date {
  const end = new Date(from)
  if (unit === 'HOURS') end.setTime(from.getTime() + period * 3_600_000)
  else if (unit === 'DAYS') end.setUTCDate(from.getUTCDate() + period)
  else {
    end.setUTCDate(1)
    end.setUTCMonth(from.getUTCMonth() + period * (unit === 'YEARS' ? 12 : 1))
    const daysOfMonth = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate()
    end.setUTCDate(Math.min(from.getUTCDate(), daysOfMonth))
  }
  return Number.isNaN(end.getTime()) || end > latestTime ? latestTime : end
}

/** What a path length leaves for an authority below: undefined is without limit. `unable` where there may be none below. */
export function pathLengthBelow(
  issuer: number | undefined,
  wanted: number | 'none',
): { pathLength: number | undefined } | 'unable' | 'tooLong' {
  if (issuer === undefined) return { pathLength: wanted === 'none' ? undefined : wanted }
  if (issuer === 0) return 'unable'
  if (wanted === 'none') return { pathLength: issuer - 1 }
  return wanted <= issuer - 1 ? { pathLength: wanted } : 'tooLong'
}

type Branch = { id: string; issuerId?: string | undefined; friendlyName: string }

/** Roots by name, each followed by what stands below it. An authority whose issuer is not in the list stands as a root. */
export function inTreeOrder<A extends Branch>(authorities: readonly A[]): (A & { depth: number })[] {
  const known = new Set(authorities.map(({ id }) => id))
  const below = Map.groupBy(authorities, ({ issuerId }) => (issuerId !== undefined && known.has(issuerId) ? issuerId : ''))
  const walk = (parent: string, depth: number): (A & { depth: number })[] =>
    (below.get(parent) ?? [])
      .toSorted((a, b) => a.friendlyName.localeCompare(b.friendlyName, 'en'))
      .flatMap((authority) => [{ ...authority, depth }, ...walk(authority.id, depth + 1)])
  return walk('', 0)
}

/** The attributes of a subject in the order in which a certificate writes them: the most significant first. */
export const subjectFields = [
  { name: 'C', label: 'Country', hint: 'Two letters, such as GB', most: 2 },
  { name: 'ST', label: 'State or province', hint: '', most: 128 },
  { name: 'L', label: 'Locality', hint: '', most: 128 },
  { name: 'O', label: 'Organisation', hint: '', most: 64 },
  { name: 'OU', label: 'Organisational unit', hint: '', most: 64 },
  { name: 'CN', label: 'Common name', hint: 'The name that people see in a chain', most: 64 },
] as const
export type SubjectField = (typeof subjectFields)[number]['name']

/** What the owner grants, and on which days: both belong to them, and are days in UTC such as 2026-06-30. Without a day there is no limit on that side. */
export type LicenceTerm = { enabled: boolean; from: string | undefined; until: string | undefined }

/** Why a licence does not hold now, as it goes on after what is licensed; undefined where it holds. */
export function licenceRefusal({ enabled, from, until }: LicenceTerm, now: Date): string | undefined {
  const today = dayText(now)
  if (!enabled) return 'was taken back'
  if (from !== undefined && today < from) return `begins on ${from}`
  return until !== undefined && today > until ? `ended on ${until}` : undefined
}
