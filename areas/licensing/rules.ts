// What a licence is on a day, and what may be asked of its days. Whether it holds is said by `licenceRefusal` of the authorities' room, which issuing
// asks; here it gets its words for people, who want to know beforehand. And what a tenancy may make of a template.

import { licenceRefusal, type LicenceTerm } from '#areas/authorities/rules.ts'
import { certificateClasses, type CertificateClassName } from '#areas/templates/rules.ts'
import { dayText } from '#core/contract/days.ts'
import type { FieldFault } from '#core/contract/faults.ts'

export const licenceStates = ['none', 'off', 'notYet', 'active', 'endsSoon', 'ended'] as const
export type LicenceState = (typeof licenceStates)[number]

/** With so many days left, or fewer, a licence ends soon. */
export const soonDays = 30

const dayMilliseconds = 86_400_000

/** So many days before the end both sides are told, once each. */
const noticeDays = [soonDays, 7, 1] as const

/** The notice that is due with so many days left after today: the nearest one whose day has come, so that a licence that is short from the beginning is told of once. */
export function dueEndNotice(left: number, sent: readonly number[]): number | undefined {
  const nearest = left < 0 ? undefined : noticeDays.findLast((days) => left <= days)
  return nearest === undefined || sent.some((days) => days <= nearest) ? undefined : nearest
}

/** How many days it holds after today; undefined where it has no end. */
export const daysLeft = ({ until }: Pick<LicenceTerm, 'until'>, now: Date): number | undefined =>
  until === undefined ? undefined : Math.round((Date.parse(until) - Date.parse(dayText(now))) / dayMilliseconds)

export function licenceState(term: LicenceTerm | undefined, now: Date): LicenceState {
  if (term === undefined) return 'none'
  if (!term.enabled) return 'off'
  const left = daysLeft(term, now)
  if (left !== undefined && left < 0) return 'ended'
  if (licenceRefusal(term, now) !== undefined) return 'notYet'
  return left !== undefined && left <= soonDays ? 'endsSoon' : 'active'
}

/** What two licences allow together: that of a template, and that of its authority. */
export function bothHold(one: LicenceTerm, other: LicenceTerm): LicenceTerm {
  const days = (name: 'from' | 'until') => [one[name], other[name]].filter((day) => day !== undefined).toSorted()
  return { enabled: one.enabled && other.enabled, from: days('from').at(-1), until: days('until')[0] }
}

/** Allows people without an account to ask only for what devices may have, because they are no user of the tenancy. */
export const mayBeAnonymous = (kind: CertificateClassName): boolean =>
  certificateClasses[kind].entities.some((entity) => entity === 'device')
export const notForAnonymous = 'People without an account ask for certificates of devices only'

/** The term that is asked for: an absent day keeps the day before, an empty one removes it. */
export type WantedTerm = { enabled: boolean; from?: string | undefined; until?: string | undefined }

export function wantedTerm({ enabled, from, until }: WantedTerm, before: LicenceTerm | undefined): LicenceTerm {
  const day = (wanted: string | undefined, was: string | undefined) => (wanted === undefined ? was : wanted === '' ? undefined : wanted)
  return { enabled, from: day(from, before?.from), until: day(until, before?.until) }
}

export function termFaults({ enabled, from, until }: LicenceTerm, now: Date): FieldFault[] {
  if (until === undefined || !enabled) return []
  if (from !== undefined && until < from) return [{ field: 'until', says: 'The last day is before the first' }]
  return until < dayText(now) ? [{ field: 'until', says: 'This day has passed. Choose a later one, or switch the licence off' }] : []
}
