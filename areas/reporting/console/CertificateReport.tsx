// Period and grouping stand in the address, so that a report can be sent to somebody as a link.

import { Group, Paper, Select, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { DateField } from '#core/console/kit/DateField.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { csvText } from '#core/console/kit/list-export.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatLocale, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { reporting } from '../contract.ts'
import { lastDays, periodOf, reportGroups, type ReportGroup } from '../rules.ts'
import classes from './CertificateReport.module.css'

type Report = OutputOf<typeof reporting.calls.certificates>
type Row = Report['rows'][number]

const columns = {
  issued: { label: 'Issued' },
  revoked: { label: 'Revoked or on hold' },
  ended: { label: 'Ending' },
  valid: { label: 'Valid now' },
} as const
type Column = keyof typeof columns
const columnNames = Object.keys(columns) as Column[]

/** What is chosen is asked for at once: there is nothing to do when the field is left. */
const ignore = (): void => undefined

const isGroup = (text: string): text is ReportGroup => Object.hasOwn(reportGroups, text)

export function CertificateReport() {
  const [address, setAddress] = useSearchParams()
  const [begin] = useState(() => lastDays(new Date()))
  const [first, last] = [address.get('first') ?? begin.first, address.get('last') ?? begin.last]
  const asked = address.get('by') ?? ''
  const by = isGroup(asked) ? asked : 'authority'
  const period = periodOf(first, last)
  const query = useCall(reporting.calls.certificates, { by, first, last }, { enabled: period !== undefined, keepPrevious: true })
  const change = (name: string, value: string) =>
    setAddress((before) => (before.set(name, value), before), { replace: true, preventScrollReset: true })
  return (
    <Page title={t('Certificate report')} intro={t('What was issued and revoked in a period, what ends in it, and what is valid now.')}>
      <Group align="flex-end" gap="sm">
        <DateField
          name="first"
          label={t('First day')}
          value={first}
          onChange={(day) => change('first', day ?? '')}
          onBlur={ignore}
          error={undefined}
        />
        <DateField
          name="last"
          label={t('Last day')}
          value={last}
          onChange={(day) => change('last', day ?? '')}
          onBlur={ignore}
          error={period === undefined ? t('The last day must not be before the first, nor more than ten years after it') : undefined}
        />
        <Select
          label={t('Grouped by')}
          allowDeselect={false}
          value={by}
          onChange={(value) => change('by', value ?? 'authority')}
          data={Object.entries(reportGroups).map(([value, label]) => ({ value, label: t(label) }))}
        />
      </Group>
      {period !== undefined && (
        <Loaded query={query}>
          {(report) => <ReportTable report={report} by={by} period={period} name={`certificates-${first}-${last}`} />}
        </Loaded>
      )}
    </Page>
  )
}

type TableProps = { report: Report; by: ReportGroup; period: { from: Date; until: Date }; name: string }

function ReportTable({ report: { rows, totals, more }, by, period, name }: TableProps) {
  if (rows.length === 0)
    return <EmptyState title={t('No certificates yet')} text={t('As soon as the first is issued or uploaded, it counts here.')} />
  const number = (count: number) => count.toLocaleString(formatLocale())
  return (
    <>
      <Paper withBorder className={classes['frame'] ?? ''}>
        <Table aria-label={t('Certificate report')} highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t(reportGroups[by])}</Table.Th>
              {columnNames.map((column) => (
                <Table.Th key={column} ta="end">
                  {t(columns[column].label)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={`${row.key} ${row.label}`}>
                <Table.Th scope="row" className={classes['name'] ?? ''}>
                  {labelOf(row)}
                </Table.Th>
                {columnNames.map((column) => (
                  <Table.Td key={column} ta="end">
                    <Counted count={row[column]} text={number(row[column])} path={listBehind(by, row, column, period)} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th>{t('Total')}</Table.Th>
              {columnNames.map((column) => (
                <Table.Th key={column} ta="end">
                  {number(totals[column])}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      </Paper>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {more ? t('Only the {count} groups with most issued are shown.', { count: rows.length }) : ''}
        </Text>
        <DownloadButton label={t('Download CSV')} fileName={`${name}.csv`} from={() => csvOf(rows, by)} />
      </Group>
    </>
  )
}

const labelOf = ({ label }: Row): string => (label === '' ? t('None') : label)

function Counted({ count, text, path }: { count: number; text: string; path: string | undefined }) {
  return count === 0 || path === undefined ? <span>{text}</span> : <TextLink to={path}>{text}</TextLink>
}

const filterNames: Partial<Record<ReportGroup, string>> = { authority: 'caId', template: 'templateId' }

/** The list of exactly those certificates, where the inventory has such a filter. */
function listBehind(by: ReportGroup, { key }: Row, column: Column, { from, until }: TableProps['period']): string | undefined {
  const filter = filterNames[by]
  if (filter === undefined || key === '') return undefined
  const span = `${from.toISOString()}/${until.toISOString()}`
  const narrowing = {
    issued: { issued: span },
    revoked: { revoked: span },
    ended: { ends: span },
    valid: { status: ['active', 'expiring'] },
  }[column]
  return to(searchScreen, { searchType: 'certificate' }, { [filter]: key, ...narrowing })
}

const csvOf = (rows: readonly Row[], by: ReportGroup): Blob =>
  new Blob(
    [
      csvText([
        [t(reportGroups[by]), ...columnNames.map((column) => t(columns[column].label))],
        ...rows.map((row) => [row.label, ...columnNames.map((column) => String(row[column]))]),
      ]),
    ],
    { type: 'text/csv' },
  )
