import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { ListState as State } from '../rules.ts'

/** What is worse is said: an end that nears before that something is missing. */
export function ListState({ state, due }: { state: State; due: boolean }) {
  if (state === 'ended') return <Status of="failed" label={t('Ended')} />
  if (state === 'ending') return <Status of="warning" label={t('Ends soon')} />
  return due ? <Status of="pending" label={t('Due')} /> : <Status of="active" label={t('Fresh')} />
}
