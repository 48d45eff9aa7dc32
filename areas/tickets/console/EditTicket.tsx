import { useNavigate, useParams } from 'react-router'
import { SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import { to } from '#core/contract/paths.ts'
import { tickets } from '../contract.ts'
import { readStatus, statusLook, wireStatus } from '../rules.ts'
import { MergeTicket } from './MergeTicket.tsx'
import { TicketFields, type TicketValues } from './TicketFields.tsx'

export function EditTicket() {
  const { id = '' } = useParams()
  const ticketId = Number(id)
  const navigate = useNavigate()
  const query = useCall(tickets.calls.read, { ticketId })
  const view = to(tickets.screens.view, { id })
  return (
    <Page title={t('Edit ticket {id}', { id })} narrow>
      <Loaded query={query}>
        {({ title, category, description, priority, ticketStatus, moves, version }) => {
          const status = readStatus(ticketStatus) ?? 'open'
          return (
            <Form
              key={version}
              call={tickets.calls.change}
              quiet
              initial={{ title, category, description, priority, ticketStatus: status }}
              toInput={(values: TicketValues) => ({
                ...values,
                ticketId,
                version,
                ticketStatus: wireStatus(values.ticketStatus ?? status),
              })}
              submit={t('Save ticket')}
              cancel={{ label: t('Cancel'), to: view }}
              onDone={async ({ changed }) => {
                if (changed) toast({ kind: 'success', title: t('Ticket updated successfully!') })
                else toast({ kind: 'info', title: t('No changes were made to the support ticket.') })
                await navigate(view)
              }}
            >
              {(form) => (
                <>
                  <TicketFields form={form} />
                  <SelectField
                    {...form.field('ticketStatus')}
                    label={t('Status')}
                    options={[status, ...moves].map((value) => ({ value, label: t(statusLook[value].label) }))}
                    required
                  />
                </>
              )}
            </Form>
          )
        }}
      </Loaded>
      <MergeTicket ticketId={ticketId} />
    </Page>
  )
}
