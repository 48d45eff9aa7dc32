import { Stack } from '@mantine/core'
import { useMay } from '#core/console/bootstrap.ts'
import { BarChart } from '#core/console/kit/BarChart.tsx'
import type { Tone } from '#core/console/kit/chart-points.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { smartcards } from '../contract.ts'
import { cardStatuses, type CardStatus } from '../rules.ts'
import { statusWords } from './status-words.ts'

const tones: Readonly<Record<CardStatus, Tone>> = {
  REGISTERED: 'quiet',
  ASSIGNED: 'wait',
  ISSUED: 'good',
  SUSPENDED: 'warn',
  LOST: 'bad',
  REVOKED: 'bad',
  UNREGISTERED: 'quiet',
  DESTROYED: 'quiet',
  UNKNOWN: 'warn',
}

export function CardReports() {
  const query = useCall(smartcards.calls.report, {})
  const sees = useMay()('smartcardReqView', 'View')
  const list = (status: string) => to(searchScreen, { searchType: 'smartcard' }, status === '' ? {} : { status })
  return (
    <Page title={t('Reports on smartcards')}>
      <Loaded query={query}>
        {({ total, byStatus, expiring, over, temporary, unfinished, weakFirmware }) => (
          <Stack gap="md">
            <Section title={t('Cards by status')} intro={t('{total, plural, one {One card} other {# cards}}', { total })}>
              {total > 0 && (
                <BarChart
                  label={t('Cards by status')}
                  axis={t('Status')}
                  groups={cardStatuses.flatMap((status) => {
                    const cards = byStatus.find((one) => one.status === status)?.cards ?? 0
                    const label = t(statusWords[status].label)
                    return cards === 0
                      ? []
                      : [
                          {
                            key: status,
                            name: label,
                            short: label,
                            bars: [
                              {
                                name: t('Cards'),
                                count: cards,
                                text: String(cards),
                                tone: tones[status],
                                path: sees ? list(status) : '',
                              },
                            ],
                          },
                        ]
                  })}
                />
              )}
            </Section>
            <Section title={t('To look at')}>
              <SmallTable
                label={t('To look at')}
                rows={[
                  {
                    key: 'unknown',
                    says: t('What is on the card is not known'),
                    count: byStatus.find(({ status }) => status === 'UNKNOWN')?.cards ?? 0,
                    status: 'UNKNOWN',
                  },
                  {
                    key: 'suspended',
                    says: t('Suspended'),
                    count: byStatus.find(({ status }) => status === 'SUSPENDED')?.cards ?? 0,
                    status: 'SUSPENDED',
                  },
                  { key: 'unfinished', says: t('Stopped in the middle, or waiting for approval'), count: unfinished, status: '' },
                  { key: 'over', says: t('Over, and still issued'), count: over, status: 'ISSUED' },
                  { key: 'expiring', says: t('Over within 30 days'), count: expiring, status: 'ISSUED' },
                  { key: 'temporary', says: t('Temporary and in use'), count: temporary, status: 'ISSUED' },
                  { key: 'weak', says: t('Firmware with a known weakness (before 5.7)'), count: weakFirmware, status: '' },
                ]}
                rowId={(row) => row.key}
                columns={[
                  {
                    label: t('Which cards'),
                    cell: (row) => (sees ? <TextLink to={list(row.status)}>{row.says}</TextLink> : row.says),
                  },
                  { label: t('Cards'), align: 'end', cell: (row) => row.count },
                ]}
              />
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}
