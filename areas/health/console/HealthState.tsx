import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { HealthState as State } from '../rules.ts'

const styles = {
  ok: { of: 'active', label: 'In order' },
  late: { of: 'warning', label: 'Late' },
  failing: { of: 'failed', label: 'Failing' },
} as const

export function HealthState({ state }: { state: State }) {
  const { of, label } = styles[state]
  return <Status of={of} label={t(label)} />
}
