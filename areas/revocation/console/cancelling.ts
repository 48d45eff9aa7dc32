// Taking back a revocation that was asked for, from wherever it is shown.

import type { CallFault } from '#core/console/call-fault.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { revocation } from '../contract.ts'

export function useCancelling({ revocationId, subject }: { revocationId: string; subject: string }): { cancelIt(): Promise<void>; fault: CallFault | undefined } {
  const cancel = useSend(revocation.calls.cancel)
  const cancelIt = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Cancel the revocation of {subject}?', { subject }),
      consequence: t('The request goes away undecided, and the certificate stays valid.'),
      action: t('Cancel the request'),
      keep: t('Keep the request'),
    })
    // A failure is shown from `fault`.
    if (sure) await cancel.run({ revocationId }).catch(() => {})
  }
  return { cancelIt, fault: cancel.fault }
}
