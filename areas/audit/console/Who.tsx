import { Text } from '@mantine/core'
import { formatLocale, t } from '#core/console/text.ts'
import type { AuditEvent } from '../contract.ts'
import { actorWord } from './actor-word.ts'

/** Who did it, and on whose word: the request of somebody else, and those who agreed to it. */
export function Who({
  event: { actor, actorId, askedBy, agreedBy = [] },
}: {
  event: Pick<AuditEvent, 'actor' | 'actorId' | 'askedBy' | 'agreedBy'>
}) {
  const approvers = new Intl.ListFormat(formatLocale(), { type: 'conjunction' }).format(agreedBy)
  const says =
    askedBy === undefined
      ? agreedBy.length === 0
        ? undefined
        : t('approved by {approvers}', { approvers })
      : agreedBy.length === 0
        ? t('on request of {requester}', { requester: askedBy })
        : t('on request of {requester}, approved by {approvers}', { requester: askedBy, approvers })
  return (
    <>
      {actorWord(actor, actorId)}
      {says !== undefined && (
        <Text component="span" display="block" size="xs" c="dimmed">
          {says}
        </Text>
      )}
    </>
  )
}
