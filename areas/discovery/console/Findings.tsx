// What scans have found: numbers, the list by view, a single finding, and the graph.

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconRadar } from '@tabler/icons-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { certificates } from '#areas/certificates/contract.ts'
import { readSpan } from '#areas/certificates/rules.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { BarChart } from '#core/console/kit/BarChart.tsx'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { dayText, spanDays } from '#core/console/kit/day-text.ts'
import { EndDate } from '#core/console/kit/EndDate.tsx'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { NumberTiles } from '#core/console/kit/NumberTiles.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { ViewTabs } from '#core/console/kit/ViewTabs.tsx'
import { changed, useCall, useSend } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { discovery } from '../contract.ts'
import { views, type View } from '../rules.ts'
import { FindingGraph } from './FindingGraph.tsx'
import { reasonWord, viewWord } from './words.ts'

type Row = OutputOf<typeof discovery.calls.search>['rows'][number]

const isView = (text: string | null): text is View => views.some((view) => view === text)
const mostAtOnce = 1_000

export function Findings() {
  const [search] = useSearchParams()
  const asked = search.get('show')
  const view = isView(asked) ? asked : 'closeToExpiry'
  const here = to(discovery.screens.report)
  return (
    <Page
      title={t('Discovered certificates')}
      views={
        <ViewTabs
          listKeys={[]}
          label={t('Discovered certificates')}
          views={[
            { key: 'overview', label: t('Overview'), to: here },
            ...views.map((one) => ({ key: one, label: viewWord(one), to: here, query: { show: one } })),
            { key: 'graph', label: t('Graph'), to: here, query: { show: 'graph' } },
            { key: 'scans', label: t('Scans'), to: to(discovery.screens.config, { provider: 'network' }) },
          ]}
        />
      }
    >
      {asked === null ? <Overview /> : asked === 'graph' ? <FindingGraph /> : <FindingList key={view} view={view} />}
    </Page>
  )
}

function Overview() {
  const query = useCall(discovery.calls.overview, {})
  const check = useSend(discovery.calls.checkServed)
  const may = useMay()
  const here = to(discovery.screens.report)
  return (
    <Loaded query={query}>
      {(answer) => (
        <Stack gap="lg">
          {(answer.views.all ?? 0) + (answer.views.ignored ?? 0) === 0 && (
            <EmptyState
              icon={IconRadar}
              title={t('Nothing was found yet')}
              text={t('Have a network allowed, then run a scan of it.')}
              action={<TextLink to={to(discovery.screens.config, { provider: 'network' })}>{t('Open scans')}</TextLink>}
            />
          )}
          <NumberTiles
            label={t('Discovered certificates')}
            tiles={views.map((view) => ({
              key: view,
              count: answer.views[view] ?? 0,
              says: viewWord(view),
              path: `${here}?show=${view}`,
            }))}
          />
          <Section
            title={t('Renewed certificates')}
            intro={t('After a finding was taken over and renewed, its place is looked at until the new certificate is there.')}
          >
            <FaultAlert fault={check.fault} />
            <Text>{t('{served, number} seen served, {awaited, number} awaited', { served: answer.served, awaited: answer.awaited })}</Text>
            {may('infrastructureConfig') && (
              <Group mt="sm">
                <Button loading={check.pending} onClick={() => void check.run({}).catch(() => undefined)}>
                  {t('Look now')}
                </Button>
              </Group>
            )}
          </Section>
          {answer.endsByWeek.some(({ count }) => count > 0) && (
            <Section title={t('Ends by week')}>
              <BarChart
                label={t('Ends by week')}
                axis={t('Week from')}
                every={3}
                groups={answer.endsByWeek.map(({ week, span, count }) => ({
                  key: week,
                  name: dayText(week, 'full'),
                  short: dayText(week, 'short'),
                  bars: [
                    {
                      name: t('Certificates'),
                      tone: 'warn',
                      count,
                      text: formatNumber(count),
                      path: `${here}?${new URLSearchParams({ show: 'all', ends: span })}`,
                    },
                  ],
                }))}
              />
            </Section>
          )}
          {answer.issuers.length > 0 && (
            <Section title={t('Issuers')}>
              <SmallTable
                label={t('Issuers')}
                rows={answer.issuers}
                rowId={({ issuer }) => issuer}
                columns={[
                  { label: t('Issuer'), cell: ({ issuer }) => issuer },
                  { label: t('Certificates'), align: 'end', aside: true, cell: ({ count }) => formatNumber(count) },
                ]}
              />
            </Section>
          )}
        </Stack>
      )}
    </Loaded>
  )
}

/** Each thing by itself: that a renewal is awaited says nothing of what is served meanwhile. */
function stateOf(row: Row, view?: View) {
  const isBad = row.reasons.length > 0
  return (
    <Group gap={4} wrap="nowrap" component="span">
      {isBad && <Status of="warning" label={row.reasons.map(reasonWord).join(', ')} />}
      {row.renewal === 'served' && <Status of="active" label={t('Renewed and served')} />}
      {row.renewal === 'awaited' && <Status of="pending" label={t('Renewal awaited')} />}
      {!isBad && row.renewal === 'none' && <Status of="active" label={t('Good')} />}
      {row.state === 'taken' && view !== 'taken' && <Status of="active" label={t('Taken over')} />}
    </Group>
  )
}

function FindingList({ view }: { view: View }) {
  const [opened, setOpened] = useState<string>()
  const [address] = useSearchParams()
  const ends = address.get('ends') ?? ''
  const span = readSpan(ends)
  // Stands above the list only while the address has it: a bar of the overview leads here.
  const filters = span === undefined ? {} : { ends: { label: t('Ends'), options: [{ value: ends, label: spanDays(span) }] } }
  const list = useList(discovery.calls.search, { key: `discovery.${view}`, base: { view }, filters, sort: 'notAfter' })
  const idsOf = async (selection: { selectAll: boolean; inclusionList: string[]; exclusionList: string[] }): Promise<string[]> => {
    if (!selection.selectAll) return selection.inclusionList.slice(0, mostAtOnce)
    const ids: string[] = []
    for (let page = 1; ids.length < mostAtOnce; page += 1) {
      const { rows, total } = await list.fetchPage(page, 200)
      ids.push(...rows.map(({ id }) => id).filter((id) => !selection.exclusionList.includes(id)))
      if (rows.length === 0 || page * 200 >= total) break
    }
    return ids.slice(0, mostAtOnce)
  }
  return (
    <>
      <DataTable
        list={list}
        label={viewWord(view)}
        search={t('Name, place or fingerprint')}
        views={false}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Name'), cell: (row) => row.name },
          { key: 'state', label: t('Status'), aside: true, csv: (row) => row.reasons.join(' '), cell: (row) => stateOf(row, view) },
          {
            key: 'address',
            label: t('Place'),
            sort: true,
            csv: (row) => row.place,
            cell: (row) => <Mono value={row.place} />,
          },
          { key: 'issuer', label: t('Issuer'), phone: false, cell: (row) => row.issuer },
          { key: 'notAfter', label: t('Ends'), sort: true, csv: (row) => row.notAfter, cell: (row) => <EndDate at={row.notAfter} /> },
          {
            key: 'lastSeen',
            label: t('Last seen'),
            sort: true,
            phone: false,
            csv: (row) => row.lastSeen,
            cell: (row) => <DateTime at={row.lastSeen} />,
          },
        ]}
        rowActions={(row) => [{ label: t('Open finding'), onClick: () => setOpened(row.id) }]}
        bulk={[
          {
            label: t('Take over'),
            needs: 'infrastructureConfig',
            run: async (selection, { count }) => {
              const sure = await confirm({
                title: t('{count, plural, one {Take # finding over?} other {Take # findings over?}}', { count }),
                consequence: t(
                  'They stand in the inventory from then on, where their end is watched; a renewed certificate is looked for at the same place.',
                ),
                action: t('Take over'),
                keep: t('Leave them'),
              })
              if (!sure) return undefined
              const { taken } = await send(discovery.calls.takeOver, { ids: await idsOf(selection) })
              changed('discovery')
              return { says: t('{taken, plural, one {# finding taken over} other {# findings taken over}}', { taken }) }
            },
          },
          {
            label: t('Ignore for 90 days'),
            needs: 'infrastructureConfig',
            run: async (selection) => {
              const ids = await idsOf(selection)
              const until = new Date(Date.now() + 90 * 86_400_000).toISOString()
              await send(discovery.calls.ignore, { ids, reason: t('Ignored in the list'), until })
              changed('discovery')
              return { says: t('{count, plural, one {# finding ignored} other {# findings ignored}}', { count: ids.length }) }
            },
          },
        ]}
        empty={{ icon: IconRadar, title: t('Nothing here'), text: t('What a scan finds of this kind stands here.') }}
      />
      {opened !== undefined && <FindingDialog id={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

function FindingDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useCall(discovery.calls.read, { id })
  return (
    <Modal opened onClose={onClose} size="xl" title={query.data?.name ?? t('Finding')}>
      <Loaded query={query}>
        {(row) => (
          <Stack gap="md">
            {stateOf(row)}
            <Facts
              items={[
                { label: t('Place'), value: row.place },
                { label: t('Subject'), value: row.subject },
                { label: t('Issuer'), value: row.issuer },
                { label: t('Names'), value: row.names.join(', ') },
                { label: t('Ends'), value: <EndDate at={row.notAfter} /> },
                { label: t('Key'), value: row.keyType },
                { label: t('Protocol'), value: row.protocol },
                { label: t('SHA-256'), value: <Mono value={row.fingerprint} />, copy: row.fingerprint },
                { label: t('First seen'), value: <DateTime at={row.firstSeen} /> },
                { label: t('Last seen'), value: <DateTime at={row.lastSeen} /> },
                {
                  label: t('In the inventory'),
                  value:
                    row.certificateId === undefined ? (
                      t('No')
                    ) : (
                      <TextLink to={to(certificates.screens.view, { certId: row.certificateId })}>{t('Open certificate')}</TextLink>
                    ),
                },
              ]}
            />
            {row.state === 'taken' && row.renewal === 'none' && (
              <Group>
                <LinkButton to={to(certificates.screens.add, { entity: 'device' })}>{t('Request a certificate in its place')}</LinkButton>
              </Group>
            )}
            {row.changes.length > 0 && (
              <SmallTable
                label={t('What was there before')}
                rows={row.changes}
                rowId={({ at }) => at}
                columns={[
                  { label: t('Changed'), cell: ({ at }) => <DateTime at={at} /> },
                  { label: t('From'), cell: ({ from }) => <Mono value={from.slice(0, 16)} /> },
                  { label: t('To'), cell: ({ to: fingerprint }) => <Mono value={fingerprint.slice(0, 16)} /> },
                ]}
              />
            )}
          </Stack>
        )}
      </Loaded>
    </Modal>
  )
}
