// For each domain of the tenancy: what scans have found for names of it, by issuer.

import { Stack, Text } from '@mantine/core'
import { IconWorld } from '@tabler/icons-react'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { discovery } from '../contract.ts'

export function DomainReport() {
  const query = useCall(discovery.calls.domainReport, {})
  return (
    <Page title={t('Domain report')} intro={t('What scans have found for names of the own domains, and who issued it.')}>
      <Loaded query={query}>
        {({ domains }) =>
          domains.length === 0 ? (
            <EmptyState
              icon={IconWorld}
              title={t('No domains yet')}
              text={t('Add the domains that belong to you under Allowed domains.')}
            />
          ) : (
            <Stack gap="lg">
              {domains.map(({ name, proved, found, elsewhere, untrusted, issuers }) => (
                <Section
                  key={name}
                  title={name}
                  intro={t('{found, number} found, {elsewhere, number} of other issuers, {untrusted, number} that nobody trusts', {
                    found,
                    elsewhere,
                    untrusted,
                  })}
                >
                  <Status of={proved ? 'active' : 'pending'} label={proved ? t('Control is proved') : t('Control is not proved')} />
                  {issuers.length === 0 ? (
                    <Text size="sm" c="dimmed" mt="sm">
                      {t('No scan has found a certificate for it.')}
                    </Text>
                  ) : (
                    <SmallTable
                      label={t('Issuers for {name}', { name })}
                      rows={issuers}
                      rowId={({ issuer, own }) => `${own} ${issuer}`}
                      columns={[
                        { label: t('Issuer'), cell: ({ issuer }) => issuer },
                        { label: t('Own authority'), cell: ({ own }) => (own ? t('Yes') : t('No')) },
                        { label: t('Found'), align: 'end', aside: true, cell: (row) => formatNumber(row.found) },
                        { label: t('Not trusted'), align: 'end', cell: (row) => formatNumber(row.untrusted) },
                      ]}
                    />
                  )}
                </Section>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Page>
  )
}
