// What a firewall has to let through for this tenancy, both ways.

import { Stack, Text } from '@mantine/core'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { configuration } from '../contract.ts'
import { addressLabels } from '../rules.ts'

type Address = { purpose: string; name: string; address: string }

const labelOf = (purpose: string): string =>
  Object.hasOwn(addressLabels, purpose) ? t(addressLabels[purpose as keyof typeof addressLabels].label) : purpose

function Addresses({ label, rows }: { label: string; rows: readonly Address[] }) {
  if (rows.length === 0) return <Text size="sm">{t('None')}</Text>
  return (
    <SmallTable
      label={label}
      rows={rows}
      rowId={({ purpose, address, name }) => `${purpose} ${name} ${address}`}
      columns={[
        { label: t('For'), cell: ({ purpose, name }) => (name === '' ? labelOf(purpose) : `${labelOf(purpose)}: ${name}`) },
        {
          label: t('Address'),
          cell: ({ address }) => (
            <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {address}
            </Text>
          ),
        },
      ]}
    />
  )
}

export function Infrastructure() {
  const query = useCall(configuration.calls.infrastructure, {})
  return (
    <Page title={t('Infrastructure')} intro={t('What the networks around this tenancy have to let through.')} narrow>
      <Loaded query={query}>
        {({ incoming, outgoing }) => (
          <Stack gap="md">
            <Section title={t('Reached by others')} intro={t('Browsers, programs and devices call these addresses of the server.')}>
              <Addresses label={t('Reached by others')} rows={incoming} />
            </Section>
            <Section title={t('Reached from here')} intro={t('The server connects to these addresses for this tenancy.')}>
              <Addresses label={t('Reached from here')} rows={outgoing} />
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}
