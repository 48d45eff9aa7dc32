import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { RunState as State } from '../rules.ts'

const kinds = { prepared: 'draft', running: 'issuing', done: 'done', cancelled: 'cancelled' } as const

/** Where rows failed, that is what the state is about. */
export function RunState({ state, failed, total }: { state: State; failed: number; total: number }) {
  const words = { prepared: t('Not confirmed'), running: t('Running'), done: t('Done'), cancelled: t('Stopped') }
  if (state === 'done' && failed > 0) return failed === total ? <Status of="failed" label={t('All failed')} /> : <Status of="warning" label={t('Done, some failed')} />
  return <Status of={kinds[state]} label={words[state]} />
}
