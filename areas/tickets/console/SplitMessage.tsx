import { Button } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { tickets } from '../contract.ts'

/** Makes a ticket of its own of a message that asks for something else. */
export function SplitMessage({ messageId }: { messageId: string }) {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  if (!open)
    return (
      <Button size="compact-xs" variant="subtle" mt="xs" onClick={() => setOpen(true)}>
        {t('Make a ticket of it')}
      </Button>
    )
  return (
    <Form
      call={tickets.calls.split}
      initial={{ title: '' }}
      toInput={({ title }: { title: string }) => ({ messageId, title })}
      submit={t('Make ticket')}
      cancel={{ label: t('Cancel'), onClick: () => setOpen(false) }}
      onDone={async ({ ticketId }) => navigate(to(tickets.screens.view, { id: String(ticketId) }))}
    >
      {(form) => <TextField {...form.field('title')} label={t('Title')} hint={t('Enter a descriptive title for your ticket')} required />}
    </Form>
  )
}
