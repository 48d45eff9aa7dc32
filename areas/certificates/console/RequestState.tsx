import { Text } from '@mantine/core'
import type { StatusKind } from '#core/console/kit/status-kinds.ts'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { requestStatusLabels, type RequestStatus } from '../request-status.ts'

const kinds: Record<RequestStatus, StatusKind> = {
  incomplete: 'warning',
  error: 'failed',
  denied: 'denied',
  issued: 'issued',
  issued_out_of_band: 'issued',
  under_submission: 'pending',
  revoked: 'revoked',
}

/** The specification has no word for a request whose certificate is on hold: there it is revoked. */
export function RequestState({
  status,
  onHold = false,
  renewed = false,
  withdrawn = false,
}: {
  status: RequestStatus
  onHold?: boolean
  withdrawn?: boolean | undefined
  /** Another has taken its certificate's place. */ renewed?: boolean
}) {
  if (withdrawn) return <Status of="cancelled" label={t('Withdrawn')} />
  if (onHold && status === 'revoked') return <Status of="onHold" />
  const state = <Status of={kinds[status]} label={t(requestStatusLabels[status])} />
  if (!renewed) return state
  return (
    <span style={{ display: 'inline-flex', gap: 8, alignItems: 'center', verticalAlign: 'middle' }}>
      {state}
      <Text span size="sm" c="dimmed">
        {t('Renewed')}
      </Text>
    </span>
  )
}
