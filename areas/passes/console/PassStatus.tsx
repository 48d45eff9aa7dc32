import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { statusLabels, type PassStatus as Of } from '../rules.ts'

const kinds: Readonly<Record<Of, string>> = {
  available: 'active',
  issued: 'issued',
  expired: 'warning',
  misplaced: 'revoked',
  inactive: 'disabled',
}

export function PassStatus({ of }: { of: Of }) {
  return <Status of={kinds[of]} label={of === 'expired' ? t('Not returned') : t(statusLabels[of])} />
}
