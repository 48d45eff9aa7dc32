import { Checkbox, FileInput, Text } from '@mantine/core'
import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { lastFault } from '#core/console/last-fault.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { tickets } from '../contract.ts'
import { TicketFields, type TicketValues } from './TicketFields.tsx'
import { attachFile } from './upload.ts'

export function AddTicket() {
  const navigate = useNavigate()
  const may = useMay()
  const [address] = useSearchParams()
  const [files, setFiles] = useState<File[]>([])
  // Where one came from: a page, or a record (`?kind=certificate&about=<id>`).
  const [page, kind, id] = [address.get('page'), address.get('kind'), address.get('about')]
  const links = [...(page === null ? [] : [{ kind: 'page', id: page }]), ...(kind === null || id === null ? [] : [{ kind, id }])]
  // Kept as it was when the form was opened, since the form itself may be refused something.
  const [refused] = useState(lastFault)
  const [telling, setTelling] = useState(true)
  const withRefusal = (description: string): string =>
    refused === undefined || !telling || description.trim() === ''
      ? description
      : `${description}\n\n${[refused.title, refused.says, ...refused.fields, refused.reference].filter((line) => line !== undefined && line !== '').join('\n')}`
  const done = async ({ ticketId }: { ticketId: number }) => {
    for (const file of files)
      await attachFile(ticketId, file).catch((error: unknown) =>
        toastFault(error, t('The file {name} was not attached', { name: file.name })),
      )
    if (may('ticketView', 'View')) await navigate(to(tickets.screens.view, { id: String(ticketId) }))
  }
  return (
    <Page title={t('New ticket')} narrow>
      <Form
        call={tickets.calls.add}
        initial={{ title: '', category: 'General', description: '', priority: may('ticketEdit') ? 'Normal' : undefined }}
        toInput={({ title, category, description, priority }: TicketValues) => ({
          title,
          category,
          description: withRefusal(description),
          links,
          ...(priority === undefined ? {} : { priority }),
        })}
        submit={t('Create ticket')}
        cancel={{ label: t('Cancel'), to: to(tickets.screens.mine) }}
        onDone={done}
      >
        {(form) => (
          <>
            <TicketFields form={form} />
            {links.length > 0 && <Text size="sm">{t('The page that you come from is linked to the ticket.')}</Text>}
            {refused !== undefined && (
              <Checkbox
                label={t('Tell what was refused last')}
                description={[refused.says, ...refused.fields, refused.reference]
                  .filter((line) => line !== undefined && line !== '')
                  .join(' · ')}
                checked={telling}
                onChange={(event) => setTelling(event.currentTarget.checked)}
              />
            )}
            {may('ticketView') && (
              <FileInput
                label={t('Files')}
                placeholder={t('Choose files')}
                description={t('Pictures, PDF, Office documents, certificates or plain text, at most 10 MB each')}
                multiple
                clearable
                value={files}
                onChange={setFiles}
              />
            )}
          </>
        )}
      </Form>
    </Page>
  )
}
