// Tickets in a table: those that the viewer may see, with what is done to many of them.

import { IconCircleCheck, IconPlus, IconTicket } from '@tabler/icons-react'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import type { WireSelection } from '#core/console/kit/list-selection.ts'
import { useList, type List, type RowOf } from '#core/console/kit/list.ts'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { tickets } from '../contract.ts'
import { categories, choiceWords, priorities, statuses, statusLook } from '../rules.ts'
import { Due } from './Due.tsx'
import { usePeopleFilters } from './people-filters.ts'
import { question } from './question.ts'
import { TicketStatus } from './TicketStatus.tsx'

type Row = RowOf<typeof tickets.calls.search>

const mostAtOnce = 1_000

export function TicketTable({ listKey }: { listKey: string }) {
  const may = useMay()
  const close = useSend(tickets.calls.closeMany)
  const people = usePeopleFilters()
  const ahead = question(listKey)
  const list = useList(tickets.calls.search, {
    ...ahead,
    ahead,
    filters: {
      ...people,
      status: { label: t('Status'), many: true, options: statuses.map((value) => ({ value, label: t(statusLook[value].label) })) },
      category: { label: t('Category'), many: true, options: categories.map((value) => ({ value, label: t(choiceWords[value].label) })) },
      priority: { label: t('Priority'), many: true, options: priorities.map((value) => ({ value, label: t(choiceWords[value].label) })) },
    },
  })
  const closeAll = async (selection: WireSelection, { count }: { count: number }) => {
    const sure = await confirm({
      title: t('{count, plural, one {Close # ticket?} other {Close # tickets?}}', { count }),
      consequence: t('Whoever raised one can open it again by a reply within 14 days.'),
      action: t('Close tickets'),
      keep: t('Keep them open'),
    })
    if (!sure) return undefined
    const ticketIds = await numbersOf(list, selection)
    const { closed, unchanged, missing } = await close.run({ ticketIds, fieldsToUpdate: { ticketStatus: 'closed' } })
    return {
      says: t('{closed} closed, {unchanged} were closed already, {missing} are not there any more', { closed, unchanged, missing }),
    }
  }
  return (
    <DataTable
      list={list}
      label={t('Tickets')}
      rowId={(row) => String(row.ticketId)}
      rowName={(row) => row.title}
      search={t('Number, title or words of the description')}
      columns={[
        {
          key: 'title',
          label: t('Title'),
          sort: true,
          link: (row) => to(tickets.screens.view, { id: String(row.ticketId) }),
          cell: (row) => row.title,
        },
        { key: 'ticketId', label: t('Number'), sort: true, align: 'end', cell: (row) => row.ticketId, csv: (row) => String(row.ticketId) },
        {
          key: 'status',
          label: t('Status'),
          aside: true,
          cell: (row) => <TicketStatus of={row.ticketStatus} />,
          csv: (row) => row.ticketStatus,
        },
        {
          key: 'priority',
          label: t('Priority'),
          sort: true,
          cell: (row) => t(choiceWords[row.priority].label),
          csv: (row) => row.priority,
        },
        {
          key: 'category',
          priority: -1,
          phone: false,
          label: t('Category'),
          cell: (row) => t(choiceWords[row.category].label),
          csv: (row) => row.category,
        },
        { key: 'username', label: t('Raised by'), cell: (row) => row.username },
        {
          key: 'assigned',
          label: t('Assigned to'),
          phone: false,
          cell: (row) => (row.assignedName === '' ? t('Nobody') : row.assignedName),
          csv: (row) => row.assignedName,
        },
        {
          key: 'due',
          label: t('Due'),
          phone: false,
          cell: (row) => {
            const due = dueOf(row)
            return due === undefined ? '' : <Due at={due} />
          },
          csv: (row) => dueOf(row) ?? '',
        },
        { key: 'waitingOn', label: t('Waiting for'), phone: 'named', cell: (row) => waiting(row), csv: (row) => row.waitingOn },
        {
          key: 'updatedAt',
          priority: 1,
          label: t('Updated'),
          sort: true,
          cell: (row) => <DateTime at={row.updatedAt} />,
          csv: (row) => row.updatedAt,
        },
      ]}
      rowActions={(row) => [{ label: t('Edit ticket'), needs: 'ticketEdit', to: to(tickets.screens.edit, { id: String(row.ticketId) }) }]}
      bulk={[{ label: t('Close tickets'), icon: IconCircleCheck, needs: 'ticketEdit', run: closeAll }]}
      empty={{
        icon: IconTicket,
        title: t('No tickets yet'),
        text: t('Raise one when something does not work or something is missing.'),
        action: may('ticketAdd', 'View') ? (
          <LinkButton to={to(tickets.screens.add)} leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}>
            {t('New ticket')}
          </LinkButton>
        ) : undefined,
      }}
    />
  )
}

/** The answer or the end, whichever is due first. */
const dueOf = ({ responseDue, resolutionDue }: Row): string | undefined =>
  [responseDue, resolutionDue].filter((due) => due !== undefined).toSorted()[0]

const waiting = ({ ticketStatus, waitingOn }: Row): string =>
  ticketStatus === 'TICKET_STATUS_CLOSED' ? '' : waitingOn === 'us' ? t('Support') : t('The requester')

/** The numbers that are selected; of "all matching" the pages are read until there are as many as one call closes. */
async function numbersOf(list: List<Row>, { selectAll, inclusionList, exclusionList }: WireSelection): Promise<number[]> {
  if (!selectAll) return inclusionList.slice(0, mostAtOnce).map(Number)
  const without = new Set(exclusionList)
  const numbers: number[] = []
  for (let page = 1; numbers.length < mostAtOnce; page += 1) {
    const { rows, total } = await list.fetchPage(page, 100)
    numbers.push(...rows.map(({ ticketId }) => ticketId).filter((one) => !without.has(String(one))))
    if (rows.length === 0 || page * 100 >= total) break
  }
  return numbers.slice(0, mostAtOnce)
}
