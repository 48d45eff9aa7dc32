import { Group } from '@mantine/core'
import { IconFileDownload } from '@tabler/icons-react'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { queryText } from '#core/contract/paths.ts'
import { printing } from '../contract.ts'
import { batchColumns, batchName } from './batch-columns.tsx'

export function BatchFiles() {
  const list = useList(printing.calls.batches, { key: 'printing.files' })
  return (
    <Page title={t('Batch files')}>
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
              <Group gap="xs" wrap="nowrap">
                <DownloadButton
                  size="xs"
                  label={t('List')}
                  fileName={`batch-${row.id.slice(0, 8)}.csv`}
                  from={printing.endpoints.file.path + queryText({ id: row.id, file: 'list' })}
                />
                <DownloadButton
                  size="xs"
                  label={t('Faces')}
                  fileName={`batch-${row.id.slice(0, 8)}.pdf`}
                  from={printing.endpoints.file.path + queryText({ id: row.id, file: 'faces' })}
                />
              </Group>
            ),
          },
        ]}
        empty={{ icon: IconFileDownload, title: t('No batches yet'), text: t('Each batch has its list and its faces as a file here.') }}
      />
    </Page>
  )
}
