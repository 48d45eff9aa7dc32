// On an authority's page: each check with what was found, a look at once, and what its end means for what it issues.

import { Alert, Button, Stack, Table, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { templates } from '#areas/templates/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime, mediumDate } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { formatLocale, formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { health } from '../contract.ts'
import { checkLabels } from '../rules.ts'
import { findingTexts, movedConsequence, movedTexts } from './finding-texts.ts'
import { HealthState } from './HealthState.tsx'

/** A day in UTC, wherever it is read. */
const dayText = (day: string): string =>
  new Intl.DateTimeFormat(formatLocale(), { timeZone: 'UTC', dateStyle: 'medium' }).format(new Date(day))

type View = OutputOf<typeof health.calls.authority>

export function HealthPart({ caId }: { caId: string }) {
  const query = useCall(health.calls.authority, { caId }, { refetchMilliseconds: 30_000 })
  const check = useSend(health.calls.checkNow)
  return (
    <>
      <Section
        title={t('Health')}
        intro={t(
          'Checked every minute, and tried through the public addresses every five. Who may manage authorities gets mail when something changes.',
        )}
        actions={
          <Button
            size="compact-md"
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={check.pending}
            onClick={() => void check.run({ caId }).catch(() => {})}
          >
            {t('Check now')}
          </Button>
        }
      >
        <FaultAlert fault={check.fault} />
        {query.data?.moved !== undefined && (
          <Alert color="yellow" variant="light" mb="sm" title={t('Other address')} style={{ overflowWrap: 'anywhere' }}>
            {movedTexts(query.data.moved)}. {movedConsequence(query.data.moved)}
          </Alert>
        )}
        <Loaded query={query}>{(view) => <Checks view={view} />}</Loaded>
      </Section>
      <Loaded query={query}>{(view) => <Forecast view={view} />}</Loaded>
    </>
  )
}

function Checks({ view: { checks } }: { view: View }) {
  if (checks.length === 0)
    return <Text c="dimmed">{t('Not checked yet. The first check comes within a minute, once the authority is valid.')}</Text>
  return (
    <Facts
      items={checks.map((check) => ({
        label: t(checkLabels[check.kind].label),
        value: (
          <Stack gap={2}>
            <HealthState state={check.state} />
            {check.state !== 'ok' && <Text size="sm">{findingTexts(check)}</Text>}
            <Text size="xs" c="dimmed">
              {t('since {when}', { when: mediumDate(new Date(check.since)) })}
            </Text>
          </Stack>
        ),
      }))}
    />
  )
}

function Forecast({ view: { caId, notAfter, warnsAt, shortened, crosses, licences, cutShort, revoked } }: { view: View }) {
  const may = useMay()
  if (notAfter === undefined || revoked) return null
  return (
    <Section title={t('Forecast')} intro={t('What its end means for what it issues: no certificate outlives its authority.')}>
      <Stack gap="xs">
        <Facts
          items={[
            { label: t('Ends'), value: <DateTime at={notAfter} /> },
            { label: t('Warns, days before'), value: warnsAt.map((days) => formatNumber(days)).join(', ') },
          ]}
        />
        {cutShort.count > 0 && (
          <Text>
            <TextLink to={to(searchScreen, { searchType: 'certificate' }, { caId, ends: cutShort.span })}>
              {cutShort.more
                ? t('More than {count} valid certificates were cut short by its end', { count: formatNumber(cutShort.count) })
                : t(
                    '{count, plural, one {# valid certificate was cut short by its end} other {# valid certificates were cut short by its end}}',
                    { count: cutShort.count },
                  )}
            </TextLink>
          </Text>
        )}
        {shortened.length > 0 && (
          <Table aria-label={t('Templates that its end cuts short')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('Template')}</Table.Th>
                <Table.Th>{t('Its certificates live in full until')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shortened.map(({ templateId, templateName, from }) => (
                <Table.Tr key={templateId}>
                  <Table.Th scope="row">
                    {may('manageCAs', 'View') ? (
                      <TextLink to={to(templates.screens.manage, { id: templateId })}>{templateName}</TextLink>
                    ) : (
                      templateName
                    )}
                  </Table.Th>
                  <Table.Td>
                    {from === undefined ? <Status of="warning" label={t('Already cut short')} /> : <DateTime at={from} dateOnly />}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        {licences.length > 0 && (
          <Table aria-label={t('Licences that end')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('Licensed to')}</Table.Th>
                <Table.Th>{t('Last day')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {licences.map(({ tenancy, until, state }) => (
                <Table.Tr key={tenancy}>
                  <Table.Th scope="row">{tenancy}</Table.Th>
                  <Table.Td>
                    {state === 'ended' ? (
                      <Status of="expired" label={t('Ended on {until}', { until: dayText(until) })} />
                    ) : state === 'endsSoon' ? (
                      <Status of="expiring" label={dayText(until)} />
                    ) : (
                      dayText(until)
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        {crosses.length > 0 && (
          <Table aria-label={t('Cross-certificates')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('Cross-certificate')}</Table.Th>
                <Table.Th>{t('Ends')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {crosses.map(({ subject, issuer, notAfter: end }) => (
                <Table.Tr key={`${subject} ${issuer}`}>
                  <Table.Th scope="row" style={{ overflowWrap: 'anywhere' }}>
                    {t('{issuer} for {subject}', { issuer, subject })}
                  </Table.Th>
                  <Table.Td>
                    <DateTime at={end} dateOnly />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
    </Section>
  )
}
