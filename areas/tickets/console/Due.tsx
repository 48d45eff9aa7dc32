import { Text } from '@mantine/core'
import { useState } from 'react'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { t } from '#core/console/text.ts'

/** A due time; one that has passed says so in words, not by its colour alone. */
export function Due({ at }: { at: string }) {
  // As of when it was drawn: the list and the ticket are read anew often enough.
  const [now] = useState(Date.now)
  const late = Date.parse(at) < now
  return (
    <Text span fw={late ? 600 : undefined}>
      <DateTime at={at} /> {late && t('(overdue)')}
    </Text>
  )
}
