import { IconCpu } from '@tabler/icons-react'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { protocolRoom } from '../contract.ts'
import { tpmAttemptWords } from './protocol-words.ts'

export function TpmAttempts() {
  const list = useList(protocolRoom.calls.tpmAttempts, { key: 'protocols.tpm' })
  return (
    <Page title={t('Attestations by TPMs')} intro={t('What machines showed by their TPMs, and why it was refused.')}>
      <DataTable
        list={list}
        label={t('Attestations')}
        views={false}
        rowId={(row) => row.id}
        rowName={(row) => row.requester}
        columns={[
          {
            key: 'requester',
            label: t('Requested by'),
            cell: (row) => row.requester,
          },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={tpmAttemptWords[row.state].kind} label={t(tpmAttemptWords[row.state].label)} />,
            csv: (row) => t(tpmAttemptWords[row.state].label),
          },
          { key: 'reason', label: t('Why'), cell: (row) => row.reason },
          { key: 'manufacturer', label: t('Manufacturer'), cell: (row) => row.manufacturer },
          {
            key: 'ekSha256',
            label: t('Endorsement key (SHA-256)'),
            cell: (row) => <Mono value={row.ekSha256} />,
            csv: (row) => row.ekSha256,
          },
          { key: 'address', label: t('From'), cell: (row) => row.address },
          { key: 'createdAt', label: t('Asked'), cell: (row) => <DateTime at={row.createdAt} />, csv: (row) => row.createdAt },
        ]}
        empty={{
          icon: IconCpu,
          title: t('No attestations yet'),
          text: t('The page of TPM key attestation has the line for the machine, at each template that demands it.'),
        }}
      />
    </Page>
  )
}
