// When a certificate is due for renewal, and what is to be said of each: that it was renewed, when it will be, whom it waits for, or why it is not
// renewed. Pure, for both sides.

import { clause, type RefusalKind, type RenewalRefusal } from '#areas/certificates/renewal-rules.ts'
import type { CertificateStatus, RequestStage } from '#areas/certificates/rules.ts'
import { reasonWord } from '#areas/certificates/rules.ts'
import type { Extensions } from '#areas/templates/rules.ts'
import { dayText } from '#core/contract/days.ts'
import { isHold } from '#standards/crl/reasons.ts'
import { say } from '#standards/say/say.ts'

export type RenewalMode = Extensions['renewalMode']

const hour = 3_600_000
const day = 24 * hour
/** Renewal begins so long before the end, unless the template says otherwise. */
export const usualWindowDays = 30

/** On the home page: what ends within so many days, and so many at most. */
export const endingDays = 60
export const mostEnding = 5

export type Life = { id: string; notBefore: Date; notAfter: Date }

/**
 * `opens`: from then on it can be renewed. `due`: from then on the server does it; certificates that end together are spread over a quarter of the time,
 * each by its id. However long the template's time is, a third of the life comes first, or each renewal would be due at once.
 */
export function windowOf(
  { id, notBefore, notAfter }: Life,
  mode: RenewalMode,
  renewalDays: number | undefined,
): { opens: Date; due: Date } {
  const { share, days } = windowLength(renewalDays)
  const length = Math.min((notAfter.getTime() - notBefore.getTime()) * share, days * day)
  const opens = notAfter.getTime() - length
  const spread = mode === 'AUTOMATIC_SAME_KEY' || mode === 'AUTOMATIC_NEW_KEY' ? (shareOf(id) * length) / 4 : 0
  return { opens: new Date(opens), due: new Date(opens + spread) }
}

/** The time for renewal is this share of the life, and so many days, at most; the database counts by the same. */
export const windowLength = (renewalDays: number | undefined): { share: number; days: number } =>
  renewalDays === undefined ? { share: 1 / 3, days: usualWindowDays } : { share: 2 / 3, days: renewalDays }

/** From 0 up to 1, by the random end of a UUID. */
const shareOf = (id: string): number => Number.parseInt(id.slice(-6), 16) / 0x1_00_00_00 || 0

const pauses = [1, 4, 12, 24].map((hours) => hours * hour)

/** When what failed `tries` times is tried again. It is given up with the certificate's end. */
export const nextAttempt = (tries: number, now: Date): Date => new Date(now.getTime() + (pauses[tries - 1] ?? pauses.at(-1) ?? day))

/**
 * asking: being asked for. waiting: its request is open. awaitingHolder: the holder was told to renew it. awaitingKey: the holder was told to send a
 * new key. refused: not possible as things are, tried again. failed: its request failed. denied: others said no, or it was withdrawn. lapsed: the
 * certificate ended first, or was revoked.
 */
export const renewalStates = [
  'asking',
  'waiting',
  'awaitingHolder',
  'awaitingKey',
  'refused',
  'failed',
  'denied',
  'lapsed',
  'renewed',
] as const
export type RenewalState = (typeof renewalStates)[number]

/** What bulk work says of a row: renewed, being issued, waiting for others to agree or for its holder to collect the new key, or its holder was asked for a request of a new one. */
export type RowWord = 'renewed' | 'underWay' | 'waiting' | 'collect' | 'invited'

/** A certificate has one attempt in these states at most. */
export const currentStates = [
  'asking',
  'waiting',
  'awaitingHolder',
  'awaitingKey',
  'refused',
  'renewed',
] as const satisfies readonly RenewalState[]

export const stateLabels: Record<RenewalState, string> = {
  asking: 'Under way',
  waiting: 'Requested',
  awaitingHolder: 'Waits for the holder',
  awaitingKey: 'Waits for a new key',
  refused: 'Not possible',
  failed: 'Failed',
  denied: 'Denied',
  lapsed: 'Ended',
  renewed: 'Renewed',
}

export const verdictKinds = [
  'renewed',
  'superseded',
  'external',
  'revoked',
  'onHold',
  'never',
  'later',
  'due',
  'underWay',
  'approval',
  'collect',
  'newKey',
  'manual',
  'denied',
  'failed',
  'blocked',
  'missed',
  'rule',
] as const
export type VerdictKind = (typeof verdictKinds)[number]

export type Attempt = {
  state: RenewalState
  reason: string
  tries: number
  at: Date
  next: Date | undefined
  stage: RequestStage | undefined
}

export type Known = {
  now: Date
  status: CertificateStatus
  revoked: { reason: string; at: Date } | undefined
  external: boolean
  notAfter: Date
  /** As the template says today, or as it said once where it is gone. */
  mode: RenewalMode
  window: { opens: Date; due: Date }
  /** Who is told: the holder, or who asked. */
  holder: string
  /** It is the holder who reads it. */
  yours: boolean
  /** Its key was made here, and so can the next one be. */
  madeHere: boolean
  /** It can be renewed with another key. */
  newKey: boolean
  renewedBy: { serialHex: string; at: Date } | undefined
  supersededBy: { serialHex: string } | undefined
  /** The rule of auto-enrolment that asks for the next one. */
  rule: { name: string; renewDays: number } | undefined
  attempt: Attempt | undefined
  /** What would be in the way today; before its window, at the opening of that, as far as it can be told. */
  blocked: RenewalRefusal | undefined
}

/** `says` is one sentence, or two. `why` names what is in the way where something is. */
export type Verdict = { kind: VerdictKind; says: string; why?: RefusalKind }

const momentText = (at: Date): string => `${dayText(at)} ${at.toISOString().slice(11, 16)} UTC`
/** A clause that stands after a colon. */
const inner = (says: string): string => clause(says).replace(/^(?:It|The|This|A|An|Keys?|Issuing|Choose) /, (word) => word.toLowerCase())

/** Whole sentences, so that each can be said in another language. They stand behind one another. */
const sentences = (...parts: readonly (string | undefined)[]): string => parts.filter((part) => part !== undefined).join(' ')

export function verdictOn(known: Known): Verdict {
  const { now, status, mode, attempt, blocked, window } = known
  const over = status === 'expired'
  if (known.renewedBy !== undefined)
    return { kind: 'renewed', says: say`It was renewed on ${dayText(known.renewedBy.at)} by the certificate ${known.renewedBy.serialHex}.` }
  if (known.external) return { kind: 'external', says: 'It was issued elsewhere, and its issuer renews it.' }
  if (known.revoked !== undefined && isHold(known.revoked.reason))
    return over
      ? {
          kind: 'missed',
          says: say`It ended on ${dayText(known.notAfter)} and was not renewed: it had been on hold since ${dayText(known.revoked.at)}.`,
        }
      : {
          kind: 'onHold',
          says: sentences(
            say`It has been on hold since ${dayText(known.revoked.at)}, and is not renewed until it is released.`,
            say`Whoever may revoke certificates here can release it.`,
          ),
        }
  if (known.revoked !== undefined)
    return {
      kind: 'revoked',
      says: revokedText(dayText(known.revoked.at), reasonWord(known.revoked.reason).toLowerCase()),
    }
  if (known.supersededBy !== undefined)
    return {
      kind: 'superseded',
      says: say`It is not renewed, because the newer certificate ${known.supersededBy.serialHex} of the same template has the same key and names, and is valid for longer.`,
    }
  if (over) return missed(known)
  // Where the template renews no more, or a rule asks instead, what was set going before goes on; but nobody is sent after what is not given any more.
  const renewedOtherwise = mode === 'NONE' || known.rule !== undefined
  const current = attempt === undefined || (renewedOtherwise && !isUnderWay(attempt)) ? undefined : verdictOfAttempt(attempt, known)
  if (current !== undefined) return current
  if (known.rule !== undefined)
    return {
      kind: 'rule',
      says: say`The rule "${known.rule.name}" of auto-enrolment asks for the next one ${known.rule.renewDays} days before the end.`,
    }
  if (mode === 'NONE') return { kind: 'never', says: 'It is not renewed: its template says so.' }
  if (blocked?.kind === 'key' && known.newKey && mode !== 'AUTOMATIC_NEW_KEY') return anotherKey(known, blocked)
  if (blocked !== undefined)
    return {
      kind: 'blocked',
      why: blocked.kind,
      says:
        now < window.opens
          ? sentences(blockedText(inner(blocked.says)), say`There is time until ${dayText(window.opens)}.`)
          : notRenewed(inner(blocked.says)),
    }
  if (mode === 'MANUAL')
    return now < window.opens
      ? { kind: 'later', says: sentences(say`It can be renewed by hand from ${dayText(window.opens)} on.`, toldThen(known)) }
      : { kind: 'manual', says: sentences(say`It can be renewed now, by hand.`, told(known)) }
  if (mode === 'AUTOMATIC_NEW_KEY' && !known.madeHere) return holdersKey(known)
  const [opens, due] = [dayText(window.opens), dayText(window.due)]
  const sameKey = mode === 'AUTOMATIC_SAME_KEY'
  if (now < window.opens)
    return {
      kind: 'later',
      says: sameKey
        ? say`It is renewed with the same key by itself on ${due}, and can be renewed by hand from ${opens} on.`
        : say`It is renewed with a new key by itself on ${due}, and can be renewed by hand from ${opens} on.`,
    }
  if (now < window.due)
    return {
      kind: 'later',
      says: sameKey ? say`It is renewed with the same key by itself on ${due}.` : say`It is renewed with a new key by itself on ${due}.`,
    }
  return {
    kind: 'due',
    says: sameKey
      ? say`It has been due since ${due} and is renewed with the same key within minutes.`
      : say`It has been due since ${due} and is renewed with a new key within minutes.`,
  }
}

const notRenewed = (reason: string): string => say`It is not renewed: ${reason}.`
const blockedText = (reason: string): string => say`It could not be renewed as things are: ${reason}.`
const revokedText = (day: string, word: string): string => say`It was revoked on ${day} (${word}), and what is revoked is not renewed.`
const takesNewKey = (reason: string): string => say`It takes a new key: ${reason}.`

type Reader = Pick<Known, 'holder' | 'yours'>
const told = ({ yours, holder }: Reader): string => (yours ? say`You are told by mail.` : say`${holder} is told by mail.`)
const toldThen = ({ yours, holder }: Reader): string => (yours ? say`You are told by mail then.` : say`${holder} is told by mail then.`)

/** When whose turn it is gets the mail. */
function toldWhen({ now, window, yours, holder }: Known): string {
  const day = dayText(window.due)
  if (now < window.due) return yours ? say`You are told by mail on ${day}.` : say`${holder} is told by mail on ${day}.`
  return yours ? say`You are told by mail within minutes.` : say`${holder} is told by mail within minutes.`
}

/** Its own will not do any more: whoever may choose another does, and nothing goes by itself. */
function anotherKey(known: Known, { kind, says }: RenewalRefusal): Verdict {
  const opens = dayText(known.window.opens)
  const from = known.now < known.window.opens ? say`It can be renewed from ${opens} on.` : undefined
  return { kind: 'blocked', why: kind, says: sentences(takesNewKey(inner(says)), from, toldWhen(known)) }
}

/** The key is the holder's, and so is the next one: nothing goes by itself. */
function holdersKey(known: Known): Verdict {
  const { now, window, yours, holder } = known
  const [opens, day] = [dayText(window.opens), dayText(window.due)]
  const early = now < window.opens
  const own = early
    ? yours
      ? say`It can be renewed from ${opens} on, with a new key of your own.`
      : say`It can be renewed from ${opens} on, with a new key of the holder's own.`
    : yours
      ? say`It can be renewed now, with a new key of your own.`
      : say`It can be renewed now, with a new key of the holder's own.`
  const mail =
    now < window.due
      ? yours
        ? say`You are told by mail on ${day} to send a request of it.`
        : say`${holder} is told by mail on ${day} to send a request of it.`
      : yours
        ? say`You are told by mail within minutes to send a request of it.`
        : say`${holder} is told by mail within minutes to send a request of it.`
  return { kind: early ? 'later' : 'newKey', says: sentences(own, mail) }
}

export const isUnderWay = ({ state }: Pick<Attempt, 'state'>): boolean => state === 'asking' || state === 'waiting'

function verdictOfAttempt({ state, reason, tries, at, next, stage }: Attempt, known: Known): Verdict | undefined {
  const { blocked } = known
  const since = dayText(at)
  if (state === 'asking') return { kind: 'underWay', says: 'It is being renewed at this moment.' }
  if (state === 'waiting') {
    if (stage === 'waiting') return { kind: 'approval', says: say`Its renewal has waited for approval since ${since}.` }
    if (stage === 'awaitingKey')
      return {
        kind: 'collect',
        says: sentences(
          say`Its renewal was granted on ${since}.`,
          known.yours ? say`You have yet to collect the new key.` : say`${known.holder} has yet to collect the new key.`,
        ),
      }
    return {
      kind: 'underWay',
      says: reason === '' ? say`Its renewal has been under way since ${since}.` : waitsText(since, inner(reason)),
    }
  }
  if (state === 'awaitingHolder' || state === 'awaitingKey') {
    const kind = state === 'awaitingHolder' ? 'manual' : 'newKey'
    const notified = notifiedText(state, since, known)
    if (blocked === undefined) return { kind, says: reason === '' ? notified : sentences(notified, tryFailed(inner(reason))) }
    if (blocked.kind === 'key' && known.newKey) return { kind, why: 'key', says: sentences(notified, takesNewKey(inner(blocked.says))) }
    return { kind: 'blocked', why: blocked.kind, says: sentences(notified, stillBlocked(inner(blocked.says))) }
  }
  if (state === 'denied')
    return {
      kind: 'denied',
      says: sentences(
        reason === '' ? say`It is not renewed: on ${since} the renewal was denied or withdrawn.` : deniedText(since, clause(reason)),
        say`It is not asked for again by itself.`,
      ),
    }
  if (state === 'refused' || state === 'failed') {
    const [moment, why] = [momentText(at), inner(reason)]
    return {
      kind: 'failed',
      says: sentences(
        say`It is not renewed yet.`,
        tries === 1 ? say`An attempt on ${moment} failed: ${why}.` : say`The last of ${tries} attempts on ${moment} failed: ${why}.`,
        next === undefined ? undefined : say`The next is on ${momentText(next)}.`,
      ),
      ...(blocked === undefined ? {} : { why: blocked.kind }),
    }
  }
  return undefined
}

const stillBlocked = (reason: string): string => say`But it cannot be renewed as things are: ${reason}.`
const tryFailed = (reason: string): string => say`A try failed: ${reason}.`
const waitsText = (since: string, reason: string): string => say`Its renewal has been under way since ${since}, and waits: ${reason}.`
const deniedText = (since: string, reason: string): string =>
  say`It is not renewed: on ${since} the renewal was denied or withdrawn (${reason}).`

function notifiedText(state: 'awaitingHolder' | 'awaitingKey', since: string, { yours, holder }: Known): string {
  if (state === 'awaitingHolder')
    return yours ? say`You were told on ${since} to renew it by hand.` : say`${holder} was told on ${since} to renew it by hand.`
  return yours
    ? say`You were told on ${since} to send a request with a new key.`
    : say`${holder} was told on ${since} to send a request with a new key.`
}

/** Of an expired one: why was it not renewed? What was tried says more than what is in the way today. */
function missed(known: Known): Verdict {
  const { notAfter, mode, attempt, blocked } = known
  const day = dayText(notAfter)
  const says = (text: string): string => {
    const why = inner(text)
    return say`It ended on ${day} and was not renewed: ${why}.`
  }
  const reason = attempt === undefined ? undefined : reasonOfAttempt(attempt, known)
  if (reason !== undefined) return { kind: 'missed', says: says(reason) }
  if (mode === 'NONE') return { kind: 'never', says: says(say`its template says so`) }
  if (blocked !== undefined && blocked.kind !== 'end') return { kind: 'missed', why: blocked.kind, says: says(blocked.says) }
  return {
    kind: 'missed',
    says: says(
      mode === 'MANUAL'
        ? say`nobody renewed it by hand, and nobody was told to`
        : say`nothing was tried in its last days, as where no server ran or its template asks for renewal only since then`,
    ),
  }
}

function reasonOfAttempt({ state, reason, tries, at, stage }: Attempt, { mode, yours, holder }: Known): string | undefined {
  const since = dayText(at)
  if (state === 'waiting' && stage === 'waiting') return say`its renewal has waited for approval since ${since}`
  if (state === 'waiting' && stage === 'awaitingKey')
    return yours
      ? say`you have not collected the new key that was granted on ${since}`
      : say`${holder} has not collected the new key that was granted on ${since}`
  if (state === 'denied') {
    const why = clause(reason)
    return reason === ''
      ? say`the renewal was denied or withdrawn on ${since}`
      : say`the renewal was denied or withdrawn on ${since} (${why})`
  }
  if (reason !== '') {
    const [moment, why] = [momentText(at), inner(reason)]
    return tries === 1 ? say`an attempt on ${moment} failed: ${why}` : say`the last of ${tries} attempts on ${moment} failed: ${why}`
  }
  if (state === 'awaitingHolder' || (state === 'lapsed' && mode === 'MANUAL'))
    return yours ? say`you were told to renew it by hand and did not` : say`${holder} was told to renew it by hand and did not`
  if (state === 'awaitingKey' || (state === 'lapsed' && mode === 'AUTOMATIC_NEW_KEY'))
    return yours
      ? say`you were told to send a request with a new key and did not`
      : say`${holder} was told to send a request with a new key and did not`
  return undefined
}
