import { Anchor, Modal } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { certificates } from '#areas/certificates/contract.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { protocolRoom } from '../contract.ts'
import { transactionStates, type Protocol } from '../rules.ts'
import { kindWords, transactionWords } from './protocol-words.ts'

type Row = OutputOf<typeof protocolRoom.calls.transactions>['rows'][number]

export function Transactions({ protocol }: { protocol: Protocol }) {
  const [shown, setShown] = useState<Row>()
  const list = useList(protocolRoom.calls.transactions, {
    key: `protocols.transactions.${protocol}`,
    base: { protocol },
    filters: {
      state: { label: t('Status'), options: transactionStates.map((value) => ({ value, label: t(transactionWords[value].label) })) },
    },
  })
  return (
    <>
      <DataTable
        list={list}
        label={t('Transactions')}
        views={false}
        rowId={(row) => row.id}
        rowName={(row) => row.subject || row.transactionId}
        columns={[
          {
            key: 'subject',
            label: t('Names'),
            link: (row) => (row.certificateId === undefined ? undefined : to(certificates.screens.view, { certId: row.certificateId })),
            cell: (row) => row.subject || t('Not known'),
          },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={transactionWords[row.state].kind} label={t(transactionWords[row.state].label)} />,
            csv: (row) => t(transactionWords[row.state].label),
          },
          {
            key: 'reason',
            label: t('Why'),
            // The sentence is what somebody comes for, and a cell has room for its beginning.
            cell: (row) =>
              row.reason !== '' && (
                <Anchor component="button" type="button" size="sm" onClick={() => setShown(row)}>
                  {t(row.reason)}
                </Anchor>
              ),
            csv: (row) => row.reason,
            priority: 1,
          },
          { key: 'kind', label: t('Kind'), cell: (row) => t(kindWords[row.kind].label) },
          { key: 'profileName', label: t('Profile'), cell: (row) => row.profileName },
          {
            key: 'transactionId',
            label: t('Transaction'),
            cell: (row) => <Mono value={row.transactionId} />,
            csv: (row) => row.transactionId,
          },
          { key: 'address', label: t('From'), cell: (row) => row.address },
          { key: 'createdAt', label: t('Asked'), cell: (row) => <DateTime at={row.createdAt} />, csv: (row) => row.createdAt },
        ]}
        empty={{
          icon: IconListCheck,
          title: t('No transactions yet'),
          text: t('What clients ask for stands here, with the reason of each refusal.'),
        }}
      />
      <Modal opened={shown !== undefined} onClose={() => setShown(undefined)} title={shown?.subject || t('Not known')}>
        {shown !== undefined && (
          <Facts
            items={[
              { label: t('Why'), value: t(shown.reason) },
              { label: t('Transaction'), value: <Mono value={shown.transactionId} />, copy: shown.transactionId },
              { label: t('Profile'), value: shown.profileName },
              { label: t('From'), value: shown.address },
              { label: t('Asked'), value: <DateTime at={shown.createdAt} /> },
            ]}
          />
        )}
      </Modal>
    </>
  )
}
