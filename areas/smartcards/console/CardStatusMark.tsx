import { Group } from '@mantine/core'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { inUseStatuses, type CardStatus } from '../rules.ts'
import { statusWords } from './status-words.ts'

/** A card whose PIN is blocked stays issued, and is of no use until somebody unblocks it. */
export function CardStatusMark({ of, pinBlocked = false }: { of: CardStatus; pinBlocked?: boolean }) {
  const { kind, label } = statusWords[of]
  const mark = <Status of={kind} label={t(label)} />
  if (!pinBlocked || !inUseStatuses.includes(of)) return mark
  return (
    <Group gap="xs" wrap="nowrap">
      {mark}
      <Status of="failed" label={t('PIN blocked')} />
    </Group>
  )
}
