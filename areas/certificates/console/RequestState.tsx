import { Status } from '#core/console/kit/Status.tsx'
import type { StatusKind } from '#core/console/kit/status-kinds.ts'
import { t } from '#core/console/text.ts'
import { requestStatusWords, type RequestStatus } from '../rules.ts'

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
export function RequestState({ status, onHold = false }: { status: RequestStatus; onHold?: boolean }) {
  if (onHold && status === 'revoked') return <Status of="onHold" />
  return <Status of={kinds[status]} label={t(requestStatusWords[status])} />
}
