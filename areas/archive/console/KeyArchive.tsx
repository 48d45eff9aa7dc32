// The keys that can be recovered, and the recoveries that this person has asked for.

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconArchive } from '@tabler/icons-react'
import { useState } from 'react'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { PasswordField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { saveFile } from '#core/console/save-file.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { archive } from '../contract.ts'
import { fileOf } from './recovered-file.ts'
import { RecoveryStatus } from './RecoveryStatus.tsx'

type ArchivedKey = OutputOf<typeof archive.calls.search>['rows'][number]
type Recovery = OutputOf<typeof archive.calls.own>['recoveries'][number]

const question = { key: 'archive.keys' } as const

KeyArchive.ask = (address: URLSearchParams) => askForList(archive.calls.search, question, address)

export function KeyArchive() {
  const [wanted, setWanted] = useState<ArchivedKey>()
  const list = useList(archive.calls.search, question)
  return (
    <Page
      title={t('Key archive')}
      intro={t(
        'Keys that were made here for templates that archive them. Nobody recovers one alone: others must agree, and everything is on record.',
      )}
    >
      <OwnRecoveries />
      <DataTable
        list={list}
        label={t('Archived keys')}
        search={t('Name, holder or serial number')}
        rowId={(row) => row.archivedKeyId}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Certificate'), cell: (row) => row.name },
          { key: 'holder', label: t('Holder'), aside: true, cell: (row) => row.holder },
          { key: 'templateName', label: t('Template'), cell: (row) => row.templateName },
          { key: 'keyKind', label: t('Key'), cell: (row) => row.keyKind },
          { key: 'notAfter', label: t('Valid until'), cell: (row) => <DateTime at={row.notAfter} dateOnly />, csv: (row) => row.notAfter },
          { key: 'archivedAt', label: t('Archived'), cell: (row) => <DateTime at={row.archivedAt} />, csv: (row) => row.archivedAt },
          { key: 'approvers', label: t('Approvers'), cell: (row) => row.approvers },
          {
            key: 'serialNumber',
            label: t('Serial number'),
            cell: (row) => <Mono value={row.serialNumber} />,
            csv: (row) => row.serialNumber,
            phone: false,
            hidden: true,
          },
        ]}
        rowActions={(row) => [{ label: t('Ask for recovery'), onClick: () => setWanted(row) }]}
        empty={{
          icon: IconArchive,
          title: t('No key is archived'),
          text: t('A template says whether its keys are archived. Keys of all other templates are handed out once and kept nowhere.'),
        }}
      />
      <Modal
        opened={wanted !== undefined}
        onClose={() => setWanted(undefined)}
        title={t('Ask for recovery')}
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        {wanted !== undefined && (
          <Form
            call={archive.calls.request}
            initial={{ archivedKeyId: wanted.archivedKeyId, reason: '' }}
            submit={t('Ask for the key')}
            cancel={{ label: t('Cancel'), onClick: () => setWanted(undefined) }}
            guard={false}
            onDone={() => setWanted(undefined)}
          >
            {(form) => (
              <Stack gap="sm">
                <Text>
                  {t('The key of {name}, held by {holder}. {count, plural, one {One other person} other {# other people}} must agree.', {
                    name: wanted.name,
                    holder: wanted.holder || t('nobody'),
                    count: wanted.approvers,
                  })}
                </Text>
                <TextField {...form.field('reason')} label={t('Reason')} hint={t('The others see it, and it stays on record')} required />
              </Stack>
            )}
          </Form>
        )}
      </Modal>
    </Page>
  )
}

function OwnRecoveries() {
  const query = useCall(archive.calls.own, {})
  const [fetching, setFetching] = useState<Recovery>()
  const recoveries = query.data?.recoveries ?? []
  if (recoveries.length === 0) return null
  return (
    <Section title={t('What you asked for')}>
      {recoveries.slice(0, 5).map((recovery) => (
        <Group key={recovery.recoveryId} justify="space-between" gap="sm">
          <div>
            <Text fw={600}>{recovery.name}</Text>
            <Text size="sm" c="dimmed">
              {recovery.reason}
            </Text>
          </div>
          <Group gap="sm">
            <RecoveryStatus recovery={recovery} />
            {recovery.mayFetch && (
              <Button size="xs" aria-label={t('Fetch the key of {name}', { name: recovery.name })} onClick={() => setFetching(recovery)}>
                {t('Fetch key')}
              </Button>
            )}
          </Group>
        </Group>
      ))}
      <Modal
        opened={fetching !== undefined}
        onClose={() => setFetching(undefined)}
        title={t('Fetch the key')}
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        {fetching !== undefined && (
          <Form
            call={archive.calls.fetch}
            initial={{ recoveryId: fetching.recoveryId, password: '' }}
            submit={t('Download key and certificates')}
            cancel={{ label: t('Cancel'), onClick: () => setFetching(undefined) }}
            guard={false}
            onDone={({ pkcs12, fileName }) => {
              saveFile(fileOf(pkcs12), fileName)
              setFetching(undefined)
            }}
          >
            {(form) => (
              <PasswordField
                {...form.field('password')}
                label={t('Password for the file')}
                hint={t('The file is handed out once. Nobody can tell you the password later.')}
                autoComplete="new-password"
                required
              />
            )}
          </Form>
        )}
      </Modal>
    </Section>
  )
}
