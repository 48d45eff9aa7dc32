import { Grid, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconPencil } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useParams } from 'react-router'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { askOnce, changed, useCall, useSend } from '#core/console/queries.ts'
import { openStream } from '#core/console/stream.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { tickets } from '../contract.ts'
import { choiceWords, readStatus } from '../rules.ts'
import { Assignee } from './Assignee.tsx'
import { Conversation } from './Conversation.tsx'
import { Due } from './Due.tsx'
import { Files } from './Files.tsx'
import { Links } from './Links.tsx'
import { TicketStatus } from './TicketStatus.tsx'

ViewTicket.ask = (_address: URLSearchParams, { id = '' }: Record<string, string | undefined>) =>
  askOnce(tickets.calls.read, { ticketId: Number(id) })

export function ViewTicket() {
  const { id = '' } = useParams()
  const ticketId = Number(id)
  const query = useCall(tickets.calls.read, { ticketId })
  const close = useSend(tickets.calls.closeMany)
  useFollow(ticketId)
  const ticket = query.data
  if (ticket === undefined)
    return (
      <Page title={t('Ticket')}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  const closeIt = () =>
    void close
      .run({ ticketIds: [ticketId], fieldsToUpdate: { ticketStatus: 'closed' } })
      .catch((error: unknown) => toastFault(error, t('Failed to close tickets.')))
  const isClosed = readStatus(ticket.ticketStatus) === 'closed'
  return (
    <DetailPage
      title={ticket.title}
      status={<TicketStatus of={ticket.ticketStatus} />}
      intro={t('Ticket {id} by {username}', { id, username: ticket.username })}
      actions={[
        { label: t('Edit ticket'), icon: IconPencil, needs: 'ticketEdit', to: to(tickets.screens.edit, { id }) },
        !isClosed && { label: t('Close ticket'), icon: IconCircleCheck, needs: 'ticketEdit', onClick: closeIt },
      ]}
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="md">
            <Section title={t('Description')}>
              <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{ticket.description}</Text>
            </Section>
            <Conversation ticketId={ticketId} requester={ticket.username} mayWrite={ticket.mayWrite} isClosed={isClosed} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="md">
            <Section title={t('Details')}>
              <Stack gap="sm">
                <Assignee ticket={ticket} />
                <Facts
                  items={[
                    { label: t('Priority'), value: t(choiceWords[ticket.priority].label) },
                    { label: t('Category'), value: t(choiceWords[ticket.category].label) },
                    !isClosed && { label: t('Waiting for'), value: ticket.waitingOn === 'us' ? t('Support') : t('The requester') },
                    ticket.responseDue !== undefined && { label: t('Answer due'), value: <Due at={ticket.responseDue} /> },
                    ticket.resolutionDue !== undefined && { label: t('Done by'), value: <Due at={ticket.resolutionDue} /> },
                    { label: t('Raised'), value: <DateTime at={ticket.createdAt} /> },
                    { label: t('Updated'), value: <DateTime at={ticket.updatedAt} /> },
                    ticket.closedAt !== undefined && { label: t('Closed'), value: <DateTime at={ticket.closedAt} /> },
                  ]}
                />
              </Stack>
            </Section>
            <Links links={ticket.links} />
            <Files ticketId={ticketId} files={ticket.attachments} mayAttach={ticket.mayWrite} />
          </Stack>
        </Grid.Col>
      </Grid>
    </DetailPage>
  )
}

/** Reads the ticket again when somebody else has written in it. Where the stream breaks, the page shows what it has. */
function useFollow(ticketId: number): void {
  useEffect(() => {
    const ended = new AbortController()
    const follow = async () => {
      for await (const _change of openStream(tickets.streams.follow, { ticketId }, { signal: ended.signal })) changed('tickets')
    }
    follow().catch(() => {})
    return () => ended.abort()
  }, [ticketId])
}
