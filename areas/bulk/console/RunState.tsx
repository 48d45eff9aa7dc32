import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { RunState as State } from '../rules.ts'

const kinds = { prepared: 'draft', running: 'issuing', done: 'done', cancelled: 'cancelled' } as const

/** Where some rows failed, that is what the state is about. */
export function RunState({ state, failed }: { state: State; failed: number }) {
  const words = { prepared: t('Not confirmed'), running: t('Running'), done: t('Done'), cancelled: t('Stopped') }
  return state === 'done' && failed > 0 ? <Status of="warning" label={t('Done, some failed')} /> : <Status of={kinds[state]} label={words[state]} />
}
