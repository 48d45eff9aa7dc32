// The messages of a ticket, public ones and internal notes in two looks, and the field to write another. A text is shown as it is written: no markup of it is read.

import { Button, Group, Stack, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useState } from 'react'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { CheckboxField, TextAreaField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { tickets } from '../contract.ts'
import { filledAnswer } from '../desk-settings.ts'
import { CannedAnswers } from './CannedAnswers.tsx'
import classes from './Conversation.module.css'
import { Present } from './Present.tsx'
import { SplitMessage } from './SplitMessage.tsx'

type Message = OutputOf<typeof tickets.calls.messages>['ticketMessages'][number]

type ConversationProps = { ticketId: number; requester: string; mayWrite: boolean; isClosed: boolean }

export function Conversation({ ticketId, requester, mayWrite, isClosed }: ConversationProps) {
  const query = useCall(tickets.calls.messages, { ticketId })
  const [sent, setSent] = useState(0)
  return (
    <Section title={t('Conversation')}>
      <Stack gap="md">
        <Loaded query={query}>
          {({ ticketMessages }) =>
            ticketMessages.length === 0 ? (
              <Text c="dimmed">{t('Nobody has written yet.')}</Text>
            ) : (
              <Stack gap="sm" component="ol" p={0} m={0} style={{ listStyle: 'none' }} aria-label={t('Messages')}>
                {ticketMessages.map((message) => (
                  <OneMessage key={message.messageId} message={message} mayChange={message.own && !isClosed} />
                ))}
              </Stack>
            )
          }
        </Loaded>
        {mayWrite ? (
          <Reply key={sent} ticketId={ticketId} requester={requester} isClosed={isClosed} onDone={() => setSent(sent + 1)} />
        ) : (
          <Text c="dimmed">{t('The ticket is closed. Raise a new one and name this one in it')}</Text>
        )}
      </Stack>
    </Section>
  )
}

type ReplyProps = { ticketId: number; requester: string; isClosed: boolean; onDone: () => void }

function Reply({ ticketId, requester, isClosed, onDone }: ReplyProps) {
  const handles = useMay()('ticketEdit')
  return (
    <Form
      call={tickets.calls.addMessage}
      initial={{ messageContent: '', internalIndicator: false }}
      toInput={({ messageContent, internalIndicator }: { messageContent: string; internalIndicator: boolean }) => ({
        ticketId: { ticketId },
        messageContent,
        internalIndicator,
      })}
      submit={t('Send message')}
      onDone={onDone}
    >
      {(form) => (
        <>
          {handles && <Present ticketId={ticketId} writing={form.values.messageContent !== ''} />}
          {handles && (
            <CannedAnswers
              onChoose={(text) => {
                const answer = filledAnswer(text, { requester, ticketId })
                form.set('messageContent', form.values.messageContent === '' ? answer : `${form.values.messageContent}\n\n${answer}`)
              }}
            />
          )}
          <TextAreaField
            {...form.field('messageContent')}
            label={t('Your message')}
            hint={
              isClosed && !handles
                ? t('Your reply opens the ticket again')
                : t('At most 10,000 characters. Name a colleague with @ and the username')
            }
            rows={4}
            required
          />
          {handles && (
            <CheckboxField
              {...form.field('internalIndicator')}
              label={t('Internal note')}
              hint={t('Only those who handle tickets see it; no mail holds its text')}
            />
          )}
        </>
      )}
    </Form>
  )
}

function OneMessage({ message, mayChange }: { message: Message; mayChange: boolean }) {
  const { messageId, ticketId, messageContent, sender, internalIndicator, sentAt, editedAt, byMail } = message
  const may = useMay()
  const [editing, setEditing] = useState(false)
  const removal = useSend(tickets.calls.removeMessage)
  const remove = async () => {
    const sure = await confirm({
      title: t('Delete this message?'),
      consequence: t('Its text is deleted for good. A mail that was sent stays sent.'),
      action: t('Delete message'),
      keep: t('Keep message'),
      danger: true,
    })
    if (sure) await removal.run({ messageId }).catch((error: unknown) => toastFault(error, t('The message was not deleted')))
  }
  return (
    <li className={`${classes['message']} ${internalIndicator ? classes['internal'] : ''}`}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Group gap="xs">
          <Text fw={600}>{sender}</Text>
          {internalIndicator && (
            <Text size="sm" fw={500}>
              <IconLock size={14} stroke={1.8} aria-hidden /> {t('Internal note')}
            </Text>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {byMail === true && `${t('by mail')}, `}
          <DateTime at={sentAt} />
          {editedAt !== undefined && ` ${t('(changed)')}`}
        </Text>
      </Group>
      {editing ? (
        <Form
          call={tickets.calls.changeMessage}
          initial={{ messageContent }}
          toInput={(values: { messageContent: string }) => ({ messageId, ticketId, ...values })}
          submit={t('Save message')}
          cancel={{ label: t('Cancel'), onClick: () => setEditing(false) }}
          onDone={() => setEditing(false)}
        >
          {(form) => <TextAreaField {...form.field('messageContent')} label={t('Message')} rows={4} required />}
        </Form>
      ) : (
        <div className={classes['text']}>{messageContent}</div>
      )}
      {!internalIndicator && !editing && may('ticketEdit') && <SplitMessage messageId={messageId} />}
      {mayChange && !editing && (
        <Group gap="xs" mt="xs">
          <Button size="compact-xs" variant="subtle" onClick={() => setEditing(true)}>
            {t('Edit message')}
          </Button>
          <Button size="compact-xs" variant="subtle" color="red" onClick={() => void remove()}>
            {t('Delete message')}
          </Button>
        </Group>
      )}
    </li>
  )
}
