// Mail about tickets that was not plainly from who got the letter: a person looks, and takes it as a note or discards it.

import { Modal, Text } from '@mantine/core'
import { IconMailPause } from '@tabler/icons-react'
import { useState } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { useList, type RowOf } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { tickets } from '../contract.ts'
import type { HeldReason } from '../rules.ts'

type Row = RowOf<typeof tickets.calls.searchHeldMail>

const reasons: Record<HeldReason, { label: string }> = {
  sender: { label: 'Another sender than who got the letter' },
  disabled: { label: 'The account is disabled or has no permission for tickets' },
  authentication: { label: 'The mail server does not say that the sender is genuine' },
  closed: { label: 'The ticket is closed, or not open to the sender' },
  tooLong: { label: 'Longer than a message may be' },
}

export function HeldMail() {
  const list = useList(tickets.calls.searchHeldMail, { key: 'tickets.held' })
  const [read, setRead] = useState<Row>()
  const release = useSend(tickets.calls.releaseHeldMail)
  const decide = async ({ id, sender, content, ticketId }: Row, discard: boolean): Promise<void> => {
    const sure = await confirm({
      title: discard ? t('Discard the mail of {sender}?', { sender }) : t('Take the mail of {sender} as a note?', { sender }),
      consequence: discard
        ? t('Its text is deleted.')
        : t('It becomes an internal note of yours in ticket {ticketId}: {text}', { ticketId, text: content.slice(0, 500) }),
      action: discard ? t('Discard mail') : t('Take as note'),
      keep: t('Keep mail held'),
      danger: discard,
    })
    if (sure) await release.run({ id, discard }).catch((error: unknown) => toastFault(error, t('The held mail stays held')))
  }
  return (
    <Page
      title={t('Held mail')}
      intro={t('Answers by mail that are not plainly from who got the letter. Nobody hears of them before somebody has looked.')}
    >
      <DataTable
        list={list}
        label={t('Held mail')}
        search={t('Sender')}
        rowId={(row) => row.id}
        rowName={(row) => row.sender}
        columns={[
          { key: 'sender', label: t('Sender'), cell: (row) => row.sender },
          {
            key: 'ticket',
            label: t('Ticket'),
            // No link of the row: its details are those of the mail.
            cell: (row) => <TextLink to={to(tickets.screens.view, { id: String(row.ticketId) })}>{row.ticketId}</TextLink>,
            csv: (row) => String(row.ticketId),
          },
          { key: 'reason', label: t('Reason'), cell: (row) => t(reasons[row.reason].label), csv: (row) => row.reason },
          {
            key: 'content',
            label: t('Text'),
            cell: (row) => (
              <Text size="sm" lineClamp={2}>
                {row.content}
              </Text>
            ),
            csv: (row) => row.content,
          },
          {
            key: 'receivedAt',
            label: t('Received'),
            aside: true,
            cell: (row) => <DateTime at={row.receivedAt} />,
            csv: (row) => row.receivedAt,
          },
        ]}
        rowActions={(row) => [
          { label: t('Read mail'), onClick: () => setRead(row) },
          { label: t('Take as note'), onClick: () => void decide(row, false) },
          { label: t('Discard mail'), danger: true, onClick: () => void decide(row, true) },
        ]}
        empty={{ icon: IconMailPause, title: t('No mail is held'), text: t('Answers by mail go straight into their tickets.') }}
      />
      <Modal
        opened={read !== undefined}
        onClose={() => setRead(undefined)}
        title={t('Mail of {sender}', { sender: read?.sender ?? '' })}
        size="lg"
      >
        <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{read?.content}</Text>
      </Modal>
    </Page>
  )
}
