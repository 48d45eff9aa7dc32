import { Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { t } from '#core/console/text.ts'

/** A due time; one that has passed says so in words, not by its colour alone. */
export function Due({ at }: { at: string }) {
  const late = Date.parse(at) < Date.now()
  return (
    <Text span fw={late ? 600 : undefined}>
      <DateTime at={at} /> {late && t('(overdue)')}
    </Text>
  )
}
