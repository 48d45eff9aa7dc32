// What has to be where for the authority to see it, and whether it is there.

import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Copy } from '#core/console/kit/Copy.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { ordering } from '../contract.ts'
import type { Order } from './order.ts'

type Results = OutputOf<typeof ordering.calls.check>['results']

const statusOf: Record<string, string> = { pending: 'pending', valid: 'done', invalid: 'failed' }

export function Challenges({ order: { id, authorizations } }: { order: Order }) {
  const check = useSend(ordering.calls.check)
  const [results, setResults] = useState<Results>([])
  const isPending = authorizations.some(({ status }) => status === 'pending')
  const look = async (): Promise<void> => setResults((await check.run({ id }).catch(() => undefined))?.results ?? [])
  return (
    <Section
      title={t('Proof of the names')}
      actions={
        isPending && (
          <Button variant="default" size="xs" loading={check.pending} onClick={() => void look()}>
            {t('Check')}
          </Button>
        )
      }
    >
      <Stack gap="md">
        <FaultAlert fault={check.fault} />
        {authorizations.map((one) => {
          const result = results.find(({ name }) => name === one.name)
          return (
            <Stack key={one.name} gap={4}>
              <Group gap="xs">
                <Title order={3} size="h5">
                  {one.name}
                </Title>
                <Status of={statusOf[one.status] ?? 'failed'} />
              </Group>
              {one.status === 'pending' && (
                <>
                  <Line label={one.challenge === 'dns-01' ? t('TXT record') : t('File')} value={one.place} />
                  <Line label={t('Value')} value={one.value} />
                </>
              )}
              {one.error !== undefined && (
                <Text size="sm" c="red">
                  {t(one.error)}
                </Text>
              )}
              {result !== undefined && (
                <>
                  <Status of={result.ok ? 'done' : 'warning'} label={t(result.says)} />
                  {result.steps.map((step) => (
                    <Text key={step} size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                      {step}
                    </Text>
                  ))}
                </>
              )}
            </Stack>
          )
        })}
      </Stack>
    </Section>
  )
}

function Line({ label, value }: { label: string; value: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Mono value={value} />
      <Copy value={value} label={label} />
    </Group>
  )
}
