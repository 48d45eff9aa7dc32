// A revocation for good, a hold and the release from one walk the same way. What each is called from the question to the last word stands here.

import type { StatusProps } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { outcomeTexts } from '../contract.ts'
import { actionOf, type Action, type RevocationState } from '../rules.ts'

export const actionLabels: Record<Action, string> = { revocation: 'Revocation', hold: 'Hold', release: 'Release from hold' }

type Texts = {
  title: (subject: string) => string
  waits: () => string
  approve: () => string
  deny: () => string
  /** Before the request is taken back, and what becomes of the certificate then. */
  cancel: (subject: string) => string
  cancelled: () => string
}

const questions: Record<Action, Texts> = {
  revocation: {
    title: (subject) => t('Revocation of {subject}', { subject }),
    waits: () => t('A revocation waits for a decision'),
    approve: () => t('Approve revocation'),
    deny: () => t('Deny revocation'),
    cancel: (subject) => t('Cancel the revocation of {subject}?', { subject }),
    cancelled: () => t('The request goes away undecided, and the certificate stays as it is.'),
  },
  hold: {
    title: (subject) => t('Hold of {subject}', { subject }),
    waits: () => t('A hold waits for a decision'),
    approve: () => t('Approve hold'),
    deny: () => t('Deny hold'),
    cancel: (subject) => t('Cancel the hold of {subject}?', { subject }),
    cancelled: () => t('The request goes away undecided, and the certificate stays as it is.'),
  },
  release: {
    title: (subject) => t('Release of {subject} from hold', { subject }),
    waits: () => t('A release from hold waits for a decision'),
    approve: () => t('Approve release'),
    deny: () => t('Deny release'),
    cancel: (subject) => t('Cancel the release of {subject}?', { subject }),
    cancelled: () => t('The request goes away undecided, and the certificate stays on hold.'),
  },
}

type Asked = { reason: RevocationReason }

type Outcome = keyof (typeof outcomeTexts)[Action]

/** The questions stand here, and what is said of an outcome in the contract. */
export function textsFor({ reason }: Asked): Texts & Record<Outcome, () => string> {
  const action = actionOf(reason)
  const say = (outcome: Outcome) => () => t(outcomeTexts[action][outcome])
  return { ...questions[action], done: say('done'), requested: say('requested'), denied: say('denied'), failed: say('failed') }
}

/** A hold that was put on is called so, also when it has ended since. */
export const stateOf = ({ reason, state }: Asked & { state: RevocationState }): StatusProps =>
  state === 'revoked' && actionOf(reason) === 'hold' ? { of: 'onHold', label: t('Put on hold') } : { of: state }
