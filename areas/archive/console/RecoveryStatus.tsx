import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { recoveryLabels, type RecoveryState } from '../rules.ts'

const kinds: Record<RecoveryState, string> = {
  waiting: 'pending',
  approved: 'approved',
  lapsed: 'expired',
  denied: 'denied',
  collected: 'done',
}

export function RecoveryStatus({
  recovery: { state, approvals, needed },
}: {
  recovery: { state: RecoveryState; approvals: number; needed: number }
}) {
  return (
    <Status
      of={kinds[state]}
      label={state === 'waiting' ? t('{approvals} of {needed} agreed', { approvals, needed }) : t(recoveryLabels[state])}
    />
  )
}
