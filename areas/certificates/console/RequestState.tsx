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

export function RequestState({ status }: { status: RequestStatus }) {
  return <Status of={kinds[status]} label={t(requestStatusWords[status])} />
}
