import { Alert, Stack, Text } from '@mantine/core'
import { t } from '#core/console/text.ts'

export function Refusals({ faults }: { faults: readonly { field: string; says: string }[] }) {
  if (faults.length === 0) return null
  return (
    <Alert color="red" variant="light" title={t('This would be refused')}>
      <Stack gap={4}>
        {faults.map(({ field, says }) => (
          <Text inherit key={field + says}>
            {says}
          </Text>
        ))}
      </Stack>
    </Alert>
  )
}
