import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { CertificateStatus } from '../rules.ts'

export function CertificateState({ certificate: { status, onHold } }: { certificate: { status: CertificateStatus; onHold: boolean } }) {
  return <Status of={status} {...(status === 'expired' && onHold ? { label: t('Expired on hold') } : {})} />
}
