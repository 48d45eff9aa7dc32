import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime, momentText } from '#core/console/kit/DateTime.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to, type Query } from '#core/contract/paths.ts'
import { audit, type AuditEvent } from '../contract.ts'
import { areaLabels, eventLabels } from '../event-labels.ts'
import { About } from './About.tsx'
import { EventDrawer } from './EventDrawer.tsx'
import { LogState } from './LogState.tsx'
import { soughtText } from './sought.ts'
import { sinceText, spans } from './spans.ts'
import { TimeRange } from './TimeRange.tsx'
import { Who } from './Who.tsx'

const question = {
  key: 'audit.events',
  filters: { actor: {}, event: {}, area: {}, outcome: {}, about: {} },
  sort: 'at',
  direction: 'desc',
} as const

// What lies in the last hours is another question at each moment: the list asks it itself.
AuditDashboard.ask = async (address: URLSearchParams) =>
  address.has('from') || address.has('to') ? undefined : askForList(audit.calls.search, question, address)

export function AuditDashboard() {
  const [search, setSearch] = useSearchParams()
  const [shownRows, setShownRows] = useState<readonly AuditEvent[]>([])
  const list = useList(audit.calls.search, {
    ...question,
    filters: {
      actor: { label: t('Who') },
      event: { label: t('Event'), word: eventWord },
      about: { label: t('About'), options: aboutOptions(shownRows) },
      area: { label: t('Area'), word: areaLabels, more: true },
      outcome: {
        label: t('Outcome'),
        options: [
          { value: 'done', label: t('Done') },
          { value: 'refused', label: t('Refused') },
          { value: 'failed', label: t('Failed') },
        ],
      },
      from: {
        label: t('Time'),
        options: spans.map(({ value, label }) => ({ value, label: t(label) })),
        read: (text) => sinceText(text, new Date()),
        word: momentText,
        below: TimeRange,
      },
      to: { label: t('Until'), options: [], word: momentText, silent: true },
    },
  })
  const rows = list.answer?.rows
  // What the last page was about can be chosen, the chosen thing too.
  if (rows !== undefined && rows !== shownRows) setShownRows(rows)
  const openId = search.get('open')
  const eventPath = (row: AuditEvent) => {
    const next = new URLSearchParams(search)
    next.set('open', row.id)
    return `?${next.toString()}`
  }
  const close = () =>
    setSearch((before) => {
      const after = new URLSearchParams(before)
      after.delete('open')
      return after
    })
  const { page: _page, size: _size, sort: _sort, direction: _direction, ...filters } = list.input

  return (
    <Page title={t('Audit')} intro={t('Everything that was changed in this tenancy, and every attempt that was refused.')}>
      <LogState />
      <DataTable
        list={list}
        label={t('Events')}
        search={t('Event, name, id or a word of the details')}
        exportable={{ from: to(audit.endpoints.exportAuditEvents, {}, filters as Query), fileName: 'audit.csv' }}
        note={list.answer === undefined ? undefined : soughtText((list.answer as OutputOf<typeof audit.calls.search>).sought)}
        rowId={(row) => row.id}
        rowName={(row) => eventLabels(row.area, row.name)}
        columns={[
          {
            key: 'name',
            label: t('Event'),
            link: eventPath,
            cell: (row) => eventLabels(row.area, row.name),
            csv: (row) => `${row.area}.${row.name}`,
          },
          { key: 'technical', label: t('Technical name'), hidden: true, cell: (row) => `${row.area}.${row.name}` },
          { key: 'at', label: t('Time'), sort: true, cell: (row) => <DateTime at={row.at} /> },
          { key: 'actor', label: t('Who'), cell: (row) => <Who event={row} />, csv: (row) => row.actor },
          { key: 'about', label: t('About'), cell: (row) => <About event={row} />, csv: (row) => row.about },
          {
            key: 'outcome',
            label: t('Outcome'),
            aside: true,
            cell: (row) => <Status of={row.outcome} {...(row.outcome === 'refused' ? { label: t('Refused') } : {})} />,
          },
          { key: 'address', label: t('From'), phone: false, cell: (row) => row.address },
          { key: 'sequence', label: t('Number'), align: 'end', phone: false, cell: (row) => row.sequence ?? t('not numbered yet') },
        ]}
        empty={{ title: t('Nothing has happened yet'), text: t('Every change in this tenancy will be listed here, with who made it.') }}
      />
      {openId !== null && <EventDrawer id={openId} onClose={close} />}
    </Page>
  )
}

/** `roles.added` in words. */
const eventWord = (event: string): string => eventLabels(event.slice(0, event.indexOf('.')), event.slice(event.indexOf('.') + 1))

const aboutOptions = (rows: readonly AuditEvent[]) =>
  [...new Map(rows.flatMap(({ about, named }) => (about === '' ? [] : [[about, named?.name ?? about] as const])))].map(
    ([value, label]) => ({
      value,
      label,
    }),
  )
