// Taking back a revocation that was asked for, from wherever it is shown.

import { plainSubject } from '#areas/certificates/plain-subject.ts'
import type { CallFault } from '#core/console/call-fault.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { revocation } from '../contract.ts'
import { textsFor } from './actions.ts'

type Cancelled = { revocationId: string; subject: string; reason: RevocationReason }

/** What is asked before a request is taken back. */
export const cancelQuestion = ({ subject, reason }: Omit<Cancelled, 'revocationId'>) => ({
  title: textsFor({ reason }).cancel(plainSubject(subject)),
  consequence: textsFor({ reason }).cancelled(),
  action: t('Cancel the request'),
  keep: t('Keep the request'),
})

export function useCancelling({ revocationId, subject, reason }: Cancelled): { cancelIt(): Promise<void>; fault: CallFault | undefined } {
  const cancel = useSend(revocation.calls.cancel)
  const cancelIt = async (): Promise<void> => {
    const sure = await confirm(cancelQuestion({ subject, reason }))
    // A failure is shown from `fault`.
    if (sure) await cancel.run({ revocationId }).catch(() => {})
  }
  return { cancelIt, fault: cancel.fault }
}
