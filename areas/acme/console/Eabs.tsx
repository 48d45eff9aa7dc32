// Keys of external accounts: who may come. The secret of a new one is shown once.

import { Button, Group, Modal, Stack } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { acme } from '../contract.ts'
import { EabMaker } from './EabMaker.tsx'

type Row = OutputOf<typeof acme.calls.eabs>['rows'][number]

const words: Record<Row['state'], { kind: string; label: string }> = {
  active: { kind: 'active', label: 'Active' },
  used: { kind: 'disabled', label: 'Used up' },
  expired: { kind: 'expired', label: 'Expired' },
  revoked: { kind: 'revoked', label: 'Revoked' },
}

export function Eabs() {
  const list = useList(acme.calls.eabs, { key: 'acme.eabs' })
  const revoke = useSend(acme.calls.revokeEab)
  const [making, setMaking] = useState<Row | 'new' | undefined>()
  const askAndRevoke = async ({ id, name, accounts }: Row): Promise<void> => {
    const sure = await confirm({
      title: t('Revoke {name}?', { name }),
      consequence: t(
        '{count, plural, =0 {Nobody has used it.} one {The account that came with it ends.} other {The # accounts that came with it end.}}',
        {
          count: accounts,
        },
      ),
      action: t('Revoke key'),
      keep: t('Keep key'),
      danger: true,
    })
    if (sure) await revoke.run({ id }).catch((error: unknown) => toastFault(error, t('The key was not revoked')))
  }
  const add = (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setMaking('new')}>
      {t('New EAB key')}
    </Button>
  )
  return (
    <Stack gap="md">
      {list.answer?.total !== 0 && <Group justify="flex-end">{add}</Group>}
      <DataTable
        list={list}
        label={t('EAB keys')}
        views={false}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Name'), cell: (row) => row.name },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={words[row.state].kind} label={t(words[row.state].label)} />,
            csv: (row) => t(words[row.state].label),
          },
          { key: 'directoryName', label: t('Directory'), cell: (row) => row.directoryName },
          { key: 'names', label: t('Names'), cell: (row) => row.names.join(', ') || t('All that the template allows') },
          { key: 'usesLeft', label: t('Accounts left'), cell: (row) => row.usesLeft ?? t('Any number') },
          { key: 'accounts', label: t('Accounts'), cell: (row) => row.accounts },
          { key: 'expiresAt', label: t('Ends'), cell: (row) => <DateTime at={row.expiresAt} />, csv: (row) => row.expiresAt ?? '' },
          { key: 'createdBy', label: t('Made by'), cell: (row) => row.createdBy },
        ]}
        rowActions={(row) =>
          row.state === 'revoked'
            ? []
            : [
                { label: t('Replace key'), onClick: () => setMaking(row) },
                { label: t('Revoke key'), danger: true, onClick: () => void askAndRevoke(row) },
              ]
        }
        empty={{
          icon: IconKey,
          title: t('No EAB keys yet'),
          text: t('Give one to each machine or team that may have an account. It says which names they may ask for.'),
          action: add,
        }}
      />
      <Modal
        opened={making !== undefined}
        onClose={() => setMaking(undefined)}
        title={making === 'new' ? t('New EAB key') : t('Replace key')}
        size="lg"
      >
        {making !== undefined && <EabMaker before={making === 'new' ? undefined : making} close={() => setMaking(undefined)} />}
      </Modal>
    </Stack>
  )
}
