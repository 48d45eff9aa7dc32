import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { CardStatus } from '../rules.ts'
import { statusWords } from './status-words.ts'

export function CardStatusMark({ of }: { of: CardStatus }) {
  const { kind, label } = statusWords[of]
  return <Status of={kind} label={t(label)} />
}
