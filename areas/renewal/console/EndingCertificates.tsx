// On the home page: one's own certificates that end soon, and what becomes of each.

import { Group, Stack, Text } from '@mantine/core'
import { to } from '#core/contract/paths.ts'
import { relativeTime, WithDates } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { renewal } from '../contract.ts'
import { endingDays } from '../rules.ts'
import { toneOf } from './looks.ts'
import { RenewalStep } from './RenewalStep.tsx'

export function EndingCertificates() {
  const query = useCall(renewal.calls.ending, {})
  return (
    <Loaded query={query}>
      {({ certificates, more }) => (
        <Stack gap="md">
          {certificates.length === 0 && <Text c="dimmed">{t('None of yours ends within {days} days.', { days: endingDays })}</Text>}
          {certificates.map((info) => (
            <Stack key={info.certificateId} gap={4} align="flex-start">
              <Group justify="space-between" gap="xs" w="100%">
                <TextLink underline="hover" to={to(renewal.screens.view, { certId: info.certificateId })}>{info.name}</TextLink>
                <Text size="sm" c="dimmed">
                  {t('ends {when}', { when: relativeTime(info.notAfter) })}
                </Text>
              </Group>
              <Text size="sm" style={{ overflowWrap: 'anywhere', ...(toneOf(info.verdict.kind) === 'red' && { color: 'var(--chancery-bad)' }) }}>
                <WithDates text={info.verdict.says} />
              </Text>
              <RenewalStep info={info} />
            </Stack>
          ))}
          {more && <Text c="dimmed">{t('Others end later.')}</Text>}
        </Stack>
      )}
    </Loaded>
  )
}
