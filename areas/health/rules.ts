// What is asked of an authority's health, and what the answers mean. One table of findings: each belongs to a check, has a state and says
// what is wrong and what to do. The server writes their names, the console and the mails their words.

import { followedBy } from '#areas/revocation/rules.ts'
import type { OcspFault } from '#standards/ocsp/verify.ts'

export const healthStates = ['ok', 'late', 'failing'] as const
/** `late`: it works, and will not for ever. */
export type HealthState = (typeof healthStates)[number]

export const checkKinds = ['lists', 'served', 'ocsp', 'signer', 'key', 'life', 'cross'] as const
export type CheckKind = (typeof checkKinds)[number]

export const checkLabels: Record<CheckKind, { label: string }> = {
  lists: { label: 'Revocation lists' },
  served: { label: 'List at its public address' },
  ocsp: { label: 'OCSP answers' },
  signer: { label: 'Signer of OCSP answers' },
  key: { label: 'Key' },
  life: { label: 'Lifetime of the authority' },
  cross: { label: 'Cross-certificates' },
}

type Row = { state: HealthState; says: string }

export const findings = {
  fine: { state: 'ok', says: 'In order' },
  listMissing: { state: 'late', says: 'There is no revocation list yet: {list}. Look at the key of the authority' },
  listNotBrought: {
    state: 'late',
    says: 'No revocation list was brought yet: nobody can tell what this authority has revoked. Bring one that was made where its key is',
  },
  listOverdue: { state: 'late', says: 'A new revocation list should have been made: {list}. Look at the key of the authority' },
  listEnding: { state: 'late', says: 'A revocation list is in its last fifth and none has followed: {list}. It ends on {at}' },
  listEnded: {
    state: 'failing',
    says: 'A revocation list has ended: {list}. Relying parties refuse certificates until a new one is published',
  },
  servedUnreachable: { state: 'failing', says: 'The list cannot be fetched at its public address: {problem}' },
  servedRefused: { state: 'failing', says: 'The public address gives no list: {status}' },
  servedOld: { state: 'late', says: 'An older list is given out at the public address, of {at}. Something between keeps it' },
  ocspUnreachable: { state: 'failing', says: 'The OCSP responder cannot be reached at its public address: {problem}' },
  ocspRefused: { state: 'failing', says: 'The OCSP responder gives no answer: {status}' },
  ocspWrong: { state: 'failing', says: 'Relying parties do not believe the OCSP answer: {problem}' },
  signerMissing: { state: 'late', says: 'There is no signer of OCSP answers: the authority signs them by itself' },
  signerEnding: { state: 'late', says: 'The signer of OCSP answers should have been renewed. It ends on {at}' },
  keyUnavailable: { state: 'failing', says: '{problem}' },
  lifeEnding: { state: 'late', says: 'The authority ends on {at}. Give it a successor, or renew it' },
  lifeNearEnd: { state: 'failing', says: 'The authority ends on {at}. What it issued ends with it' },
  lifeEnded: { state: 'failing', says: 'The authority ended on {at}' },
  crossEnding: { state: 'late', says: 'The certificate that {issuer} gave {subject} ends on {at}. Have another made' },
  crossNearEnd: {
    state: 'failing',
    says: 'The certificate that {issuer} gave {subject} ends on {at}. Who trusts by it alone trusts no more then',
  },
  crossEnded: { state: 'failing', says: 'The certificate that {issuer} gave {subject} ended on {at}' },
} as const satisfies Record<string, Row>

/** What stands for `list`; a part has its number. */
export const listLabels = { whole: { label: 'whole list' }, delta: { label: 'delta list' } } as const

/** What stands for `problem`. */
export const problems = {
  timedOut: { says: 'no answer within five seconds' },
  connectionRefused: { says: 'the connection is refused' },
  nameUnknown: { says: 'nobody knows the name of the host' },
  connectionFailed: { says: 'the connection fails' },
  otherCertificate: { says: 'it is about another certificate' },
  otherNonce: { says: 'it was made for another request' },
  unknownSigner: { says: 'nobody knows who signed it' },
  unauthorisedSigner: { says: 'who signed it has no right to' },
  signerNotValid: { says: 'who signed it is not valid now' },
  wrongSignature: { says: 'its signature is wrong' },
  notYet: { says: 'it is of a time to come' },
  tooOld: { says: 'it is too old' },
  malformed: { says: 'it cannot be read' },
} as const satisfies Record<
  OcspFault | 'timedOut' | 'connectionRefused' | 'nameUnknown' | 'connectionFailed' | 'malformed',
  { says: string }
>
export type Problem = keyof typeof problems

export const findingNames = Object.keys(findings) as (keyof typeof findings)[]
export type FindingName = keyof typeof findings
export const isFinding = (name: string): name is FindingName => Object.hasOwn(findings, name)

/** `mark`: for a finding that worsens in steps, the step: each is told once. */
export type Finding = { name: FindingName; params: Record<string, string>; mark?: number | undefined }
export const fine: Finding = { name: 'fine', params: {} }

export const stateOf = ({ name }: Pick<Finding, 'name'>): HealthState => findings[name].state

export const worstState = (states: readonly HealthState[]): HealthState =>
  healthStates[Math.max(0, ...states.map((state) => healthStates.indexOf(state)))] ?? 'ok'

/** The words of a finding in a mail. */
export const findingText = ({ name, params }: Finding): string =>
  findings[name].says.replace(/\{(\w+)\}/g, (whole, key: string) => params[key] ?? whole)

const minute = 60_000
const day = 86_400_000

/** Lists are made within some minutes of being due; later than this somebody should look. */
const listGraceMilliseconds = 15 * minute
/** Caches between keep a list for five minutes. */
export const servedGraceMilliseconds = 15 * minute
export const probeEveryMilliseconds = 5 * minute
/** So many probes in a row fail before it counts. */
export const strikesToCount = 2

export type ListAge = { name: string; list: { thisUpdate: Date; nextUpdate: Date } | undefined }

/** The worst that can be said of an authority's lists. `uploaded`: somebody makes them by hand, so that none is ever overdue, and none is on its way. */
export function listsFinding(lists: readonly ListAge[], { since, uploaded, now }: { since: Date; uploaded: boolean; now: Date }): Finding {
  const found = lists.map(({ name, list }): Finding => {
    if (list === undefined && uploaded) return { name: 'listNotBrought', params: {} }
    if (list === undefined)
      return now.getTime() - since.getTime() > listGraceMilliseconds ? { name: 'listMissing', params: { list: name } } : fine
    const whole = list.nextUpdate.getTime() - list.thisUpdate.getTime()
    const left = list.nextUpdate.getTime() - now.getTime()
    if (left <= 0) return { name: 'listEnded', params: { list: name } }
    if (left < whole / 5) return { name: 'listEnding', params: { list: name, at: textOf(list.nextUpdate) } }
    return !uploaded && now.getTime() > followedBy(list).getTime() + listGraceMilliseconds
      ? { name: 'listOverdue', params: { list: name } }
      : fine
  })
  return worstFinding(found)
}

const worstFinding = (found: readonly Finding[]): Finding =>
  found.toSorted((a, b) => healthStates.indexOf(stateOf(b)) - healthStates.indexOf(stateOf(a)))[0] ?? fine

export type Life = { notBefore: Date; notAfter: Date }

/** The signer of its answers, where the authority wants one. A sixth of its life is left when two thirds of the time for a renewal have passed. */
export function signerFinding(signer: Life | undefined, { due, now }: { due: boolean; now: Date }): Finding {
  if (!due) return fine
  if (signer === undefined) return { name: 'signerMissing', params: {} }
  const left = signer.notAfter.getTime() - now.getTime()
  return left < (signer.notAfter.getTime() - signer.notBefore.getTime()) / 6
    ? { name: 'signerEnding', params: { at: textOf(signer.notAfter) } }
    : fine
}

const usualMarks = [180, 90, 30, 7]
/** Lives shorter than this warn in proportion. */
const fullLifeDays = 730

/** The days before an authority's end at which it warns, the earliest first. */
export function lifeMarks({ notBefore, notAfter }: Life): number[] {
  const share = Math.min(1, (notAfter.getTime() - notBefore.getTime()) / day / fullLifeDays)
  return [...new Set(usualMarks.map((days) => Math.max(1, Math.round(days * share))))]
}

export function lifeFinding(life: Life, now: Date): Finding {
  const params = { at: textOf(life.notAfter) }
  if (now > life.notAfter) return { name: 'lifeEnded', params, mark: 0 }
  const marks = lifeMarks(life)
  const left = (life.notAfter.getTime() - now.getTime()) / day
  const passed = marks.filter((mark) => left <= mark)
  const mark = passed.at(-1)
  if (mark === undefined) return fine
  return { name: passed.length > marks.length / 2 ? 'lifeNearEnd' : 'lifeEnding', params, mark }
}

const crossNames = { lifeEnding: 'crossEnding', lifeNearEnd: 'crossNearEnd', lifeEnded: 'crossEnded' } as const

/** Of several the one that ends first. */
export function crossFinding(crosses: readonly (Life & { subject: string; issuer: string })[], now: Date): Finding {
  const [first] = crosses.toSorted((a, b) => a.notAfter.getTime() - b.notAfter.getTime())
  if (first === undefined) return fine
  const { name, params, mark } = lifeFinding(first, now)
  return name in crossNames
    ? { name: crossNames[name as keyof typeof crossNames], params: { ...params, subject: first.subject, issuer: first.issuer }, mark }
    : fine
}

/** For mails and for findings that are kept: the console shows times in the reader's way where it has them. */
export const textOf = (at: Date): string => at.toISOString().slice(0, 16).replace('T', ' ').concat(' UTC')

export type Told = { state: HealthState; mark: number | undefined }

/** Whether people are to be told: it is worse than what they heard last, or a further step was passed, or it is in order again. */
export function newsOf(before: Told, after: Told): 'worse' | 'well' | undefined {
  const rank = (state: HealthState) => healthStates.indexOf(state)
  if (after.state === 'ok') return before.state === 'ok' ? undefined : 'well'
  if (rank(after.state) > rank(before.state)) return 'worse'
  return after.mark !== undefined && before.mark !== undefined && after.mark < before.mark ? 'worse' : undefined
}

/** The last moment at which something of this validity still fits before the end; undefined where even now it does not. `endOf` grows with its argument. */
export function fitsUntil(endOf: (from: Date) => Date, end: Date, now: Date): Date | undefined {
  if (endOf(now) > end) return undefined
  let [fits, beyond] = [now.getTime(), end.getTime()]
  while (beyond - fits > 1000) {
    const middle = Math.floor((fits + beyond) / 2)
    if (endOf(new Date(middle)) <= end) fits = middle
    else beyond = middle
  }
  return new Date(fits)
}
