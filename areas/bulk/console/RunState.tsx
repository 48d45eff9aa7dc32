import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { RunState as State } from '../rules.ts'

const kinds = { prepared: 'draft', running: 'issuing', done: 'done', cancelled: 'cancelled' } as const

/** Where rows failed, that is what the state is about; else where others must agree first. */
export function RunState({ state, failed, requested, total }: { state: State; failed: number; requested: number; total: number }) {
  const texts = { prepared: t('Not confirmed'), running: t('Running'), done: t('Done'), cancelled: t('Stopped') }
  if (state === 'done' && failed > 0)
    return failed === total ? <Status of="failed" label={t('All failed')} /> : <Status of="warning" label={t('Done, some failed')} />
  if (state === 'done' && requested > 0)
    return <Status of="pending" label={requested === total ? t('All requested') : t('Done, some requested')} />
  return <Status of={kinds[state]} label={texts[state]} />
}
