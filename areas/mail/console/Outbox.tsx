// What Chancery wrote to people: sent, waiting, or given up. Where no mail server is set, whoever reads it hands the link over.

import { Alert, Group, Modal, Stack, Text } from '@mantine/core'
import { IconInfoCircle, IconMail } from '@tabler/icons-react'
import { useSearchParams } from 'react-router'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { mail } from '../contract.ts'
import { noticeKinds } from '../rules.ts'

const statusLabels = { waiting: 'Waiting', sent: 'Sent', failed: 'Abandoned' } as const
const statusKinds = { waiting: 'pending', sent: 'done', failed: 'failed' } as const

const question = { key: 'mail.outbox', filters: { status: {} } } as const

Outbox.ask = (address: URLSearchParams) => askForList(mail.calls.outbox, question, address)

export function Outbox() {
  const [search, setSearch] = useSearchParams()
  const list = useList(mail.calls.outbox, {
    ...question,
    filters: { status: { label: t('Status'), options: Object.entries(statusLabels).map(([value, word]) => ({ value, label: t(word) })) } },
  })
  const open = search.get('mail')
  const withMail = (id: string | undefined): URLSearchParams => {
    const next = new URLSearchParams(search)
    if (id === undefined) next.delete('mail')
    else next.set('mail', id)
    return next
  }
  return (
    <Page title={t('Outbox')} intro={t('Mail to people: activation links, approvals that wait, certificates that expire.')}>
      {list.answer !== undefined && 'smtpConfigured' in list.answer && list.answer.smtpConfigured === false && <NoMailServer />}
      <DataTable
        list={list}
        label={t('Mail')}
        search={t('Recipient')}
        rowId={(row) => row.id}
        rowName={(row) => row.subject}
        columns={[
          {
            key: 'subject',
            label: t('Subject line'),
            link: (row) => `${to(mail.screens.outbox)}?${withMail(row.id)}`,
            cell: (row) => row.subject,
          },
          {
            key: 'status',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={statusKinds[row.status]} label={t(statusLabels[row.status])} />,
            csv: (row) => row.status,
          },
          { key: 'to', label: t('To'), cell: (row) => row.to },
          { key: 'kind', label: t('About'), cell: (row) => t(noticeKinds[row.kind].label) },
          { key: 'queuedAt', label: t('Written'), cell: (row) => <DateTime at={row.queuedAt} />, csv: (row) => row.queuedAt },
          { key: 'sentAt', label: t('Sent'), cell: (row) => <DateTime at={row.sentAt} />, csv: (row) => row.sentAt ?? '' },
          { key: 'lastError', label: t('Last error'), cell: (row) => row.lastError },
        ]}
        empty={{
          icon: IconMail,
          title: t('No mail yet'),
          text: t('The first is written when you add a person or when a request needs approval.'),
        }}
      />
      <Modal
        opened={open !== null}
        onClose={() => setSearch(withMail(undefined), { preventScrollReset: true })}
        title={t('Mail')}
        size="lg"
      >
        {open !== null && <Mail id={open} />}
      </Modal>
    </Page>
  )
}

function NoMailServer() {
  return (
    <Alert icon={<IconInfoCircle size={18} aria-hidden />} title={t('No mail server is set')}>
      <Stack gap={4}>
        <Text inherit>{t('Mail waits here. Open one to copy its link and hand it over yourself.')}</Text>
        <Text inherit>
          {t('To send it, start Chancery with')}{' '}
          <code style={{ overflowWrap: 'anywhere' }}>CHANCERY_SMTP_URL=smtp://user:password@mail.example.org:587</code>
        </Text>
      </Stack>
    </Alert>
  )
}

function Mail({ id }: { id: string }) {
  const query = useCall(mail.calls.read, { id })
  return (
    <Loaded query={query}>
      {({ subject, to: recipient, queuedAt, text }) => {
        const link = /https?:\/\/\S+/.exec(text)?.[0]
        return (
          <Stack gap="md">
            <Facts
              items={[
                { label: t('Subject line'), value: subject },
                { label: t('To'), value: recipient, copy: recipient },
                { label: t('Written'), value: <DateTime at={queuedAt} /> },
              ]}
            />
            <Text
              component="div"
              style={{
                whiteSpace: 'pre-wrap',
                overflowWrap: 'anywhere',
                borderInlineStart: '3px solid var(--chancery-line)',
                paddingInlineStart: 12,
              }}
            >
              {text}
            </Text>
            {link !== undefined && (
              <Group gap="xs" wrap="nowrap" align="flex-start">
                <Text size="sm" c="dimmed">
                  {t('Copy the link')}
                </Text>
                <Copy value={link} label={t('Link')} />
              </Group>
            )}
          </Stack>
        )
      }}
    </Loaded>
  )
}
