// The files of batches: lists, faces, and what a bureau gets; and who took them.

import { Button, Group, Modal, Text } from '@mantine/core'
import { IconFileDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { useList, type RowOf } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { queryText } from '#core/contract/paths.ts'
import { printing } from '../contract.ts'
import { fileLabels, type FileKind } from '../rules.ts'
import { batchColumns, batchName } from './batch-columns.tsx'

const endings: Readonly<Record<FileKind, string>> = { list: 'csv', faces: 'pdf', bureau: 'p7m' }

type Row = RowOf<typeof printing.calls.batches>

export function BatchFiles() {
  const list = useList(printing.calls.batches, { key: 'printing.files' })
  const bureau = useCall(printing.calls.bureau, {}).data?.bureau
  const maySet = useMay()('smartcardManage')
  const [setting, setSetting] = useState(false)
  const [looking, setLooking] = useState<Row>()
  const kinds: FileKind[] = bureau === undefined || bureau.isOver ? ['list', 'faces'] : ['list', 'faces', 'bureau']
  return (
    <Page
      title={t('Batch files')}
      actions={
        maySet && (
          <Button variant="default" onClick={() => setSetting(true)}>
            {t('Bureau')}
          </Button>
        )
      }
    >
      {bureau !== undefined && (
        <Text size="sm" c="dimmed">
          {bureau.isOver
            ? t('The certificate of the bureau {subject} has expired: nothing is sealed to it.', { subject: bureau.subject })
            : t('Bureau files are sealed to {subject}.', { subject: bureau.subject })}
        </Text>
      )}
      <DataTable
        list={list}
        label={t('Batches')}
        search={false}
        rowId={(row) => row.id}
        rowName={batchName}
        columns={[
          { key: 'batch', label: t('Batch'), cell: batchName },
          ...batchColumns(),
          {
            key: 'files',
            label: t('Files'),
            cell: (row) => (
              <Group gap="xs">
                {kinds.map((file) => (
                  <DownloadButton
                    key={file}
                    size="xs"
                    label={t(fileLabels[file])}
                    fileName={`batch-${row.id.slice(0, 8)}.${endings[file]}`}
                    from={printing.endpoints.file.path + queryText({ id: row.id, file })}
                  />
                ))}
              </Group>
            ),
          },
        ]}
        rowActions={(row) => [{ label: t('Who took files'), onClick: () => setLooking(row) }]}
        empty={{ icon: IconFileDownload, title: t('No batches yet'), text: t('Each batch has its list and its faces as a file here.') }}
      />
      {setting && <SetBureau onClose={() => setSetting(false)} />}
      {looking !== undefined && <Takings batch={looking} onClose={() => setLooking(undefined)} />}
    </Page>
  )
}

function SetBureau({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={t('Bureau')} size="lg">
      <Form
        call={printing.calls.setBureau}
        initial={{ certificate: '' }}
        submit={t('Set bureau')}
        cancel={{ label: t('Cancel'), onClick: onClose }}
        guard={false}
        onDone={onClose}
      >
        {(form) => (
          <PemInput
            {...form.field('certificate')}
            label={t('Certificate of the bureau')}
            hint={t('Whoever prints your cards elsewhere. Only the holder of its key can read the files.')}
            kind="CERTIFICATE"
            accept=".pem,.crt,.cer"
            required
          />
        )}
      </Form>
    </Modal>
  )
}

function Takings({ batch, onClose }: { batch: Row; onClose: () => void }) {
  const query = useCall(printing.calls.takings, { batchId: batch.id, size: 100 })
  return (
    <Modal opened onClose={onClose} title={t('Who took files of {batch}', { batch: batchName(batch) })} size="lg">
      <Loaded query={query}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Text>{t('Nobody has taken a file yet.')}</Text>
          ) : (
            <SmallTable
              label={t('Who took files')}
              rows={rows}
              rowId={({ id }) => id}
              columns={[
                { label: t('File'), cell: ({ file }) => t(fileLabels[file]) },
                { label: t('By'), cell: ({ by }) => by },
                { label: t('When'), cell: ({ at }) => <DateTime at={at} /> },
                { label: t('Received'), cell: ({ isWhole }) => (isWhole ? t('In full') : t('Not in full')) },
              ]}
            />
          )
        }
      </Loaded>
    </Modal>
  )
}
