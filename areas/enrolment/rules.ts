// What a rule would do for somebody, before it does it. Pure.

export const outcomeStates = ['held', 'requested', 'refused'] as const
export type OutcomeState = (typeof outcomeStates)[number]

export const outcomeLabels: Record<OutcomeState, string> = { held: 'Has a certificate', requested: 'Asked for', refused: 'Not done' }

/** The class of template that each kind of holder is enrolled with. */
export const classOf = { user: 'AUTONENROLLUSER', device: 'AUTONENROLLDEVICE' } as const
export type EnrolledEntity = keyof typeof classOf

const day = 86_400_000

/** Whether a certificate is due: there is none, or the one there is ends within so many days. */
export const isDue = (holding: { notAfter: Date } | undefined, renewDays: number, now: Date): boolean =>
  holding === undefined || holding.notAfter.getTime() - now.getTime() <= renewDays * day

/**
 * One request for each rule as it stands, each subject and each certificate that it follows: a run that is repeated makes none twice, and one that was
 * denied is not made again until somebody changes the rule.
 */
export const requestKey = (rule: { id: string; version: number }, subject: string, after: string | undefined): string =>
  `enrolment:${rule.id}:${rule.version}:${subject}:${after ?? 'first'}`
