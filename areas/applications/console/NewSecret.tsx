// A secret that was made now, shown once.

import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { t } from '#core/console/text.ts'

export function NewSecret({ secret, othersEndAt }: { secret: string; othersEndAt?: string | undefined }) {
  return (
    <Alert color="green" role="status" icon={<IconKey size={18} aria-hidden />} title={t('The new secret')}>
      <Stack gap="xs">
        <Text inherit>{t('Copy it now: it is not shown again.')}</Text>
        <Group gap="xs" wrap="nowrap" style={{ overflowWrap: 'anywhere' }}>
          <Mono value={secret} grouped={false} />
          <Copy value={secret} label={t('Secret')} />
        </Group>
        <Text size="sm">
          {t('Send it as')} <code>Authorization: Bearer …</code>
        </Text>
        {othersEndAt !== undefined && (
          <Text size="sm">
            {t('The earlier ones work until')} <DateTime at={othersEndAt} />
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
