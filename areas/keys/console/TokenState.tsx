import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { TokenState as State } from '../tokens.ts'
import { stateTexts } from './state-texts.ts'

export function TokenState({ state }: { state: State }) {
  const kind = state === 'available' ? 'active' : state === 'unchecked' ? 'pending' : 'failed'
  return <Status of={kind} label={t(stateTexts[state].short)} />
}
