// The external authorities of the tenancy: a tab of the page of ACME.

import { Group, Stack } from '@mantine/core'
import { IconBuildingBank } from '@tabler/icons-react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { ordering } from '../contract.ts'

export function Authorities() {
  const list = useList(ordering.calls.authorities, { key: 'ordering.authorities' })
  const remove = useSend(ordering.calls.removeAuthority)
  const askAndRemove = async (id: string, name: string): Promise<void> => {
    const sure = await confirm({
      title: t('Remove {name}?', { name }),
      consequence: t('The key of the account there is deleted with it. Certificates that were obtained stay.'),
      action: t('Remove authority'),
      keep: t('Keep authority'),
      danger: true,
    })
    if (sure) await remove.run({ id }).catch((error: unknown) => toastFault(error, t('The authority was not removed')))
  }
  const add = <LinkButton to={to(ordering.screens.addAuthority)}>{t('Add an authority')}</LinkButton>
  return (
    <Stack gap="sm">
      {list.answer?.total !== 0 && <Group justify="flex-end">{add}</Group>}
      <DataTable
        list={list}
        label={t('External authorities')}
        views={false}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Name'), link: (row) => to(ordering.screens.editAuthority, { id: row.id }), cell: (row) => row.name },
          {
            key: 'registered',
            label: t('Account'),
            aside: true,
            cell: (row) => (
              <Status of={row.registered ? 'active' : 'draft'} label={row.registered ? t('Registered') : t('With the first order')} />
            ),
            csv: (row) => (row.registered ? t('Registered') : t('With the first order')),
          },
          { key: 'directoryUrl', label: t('Directory'), cell: (row) => <Mono value={row.directoryUrl} />, csv: (row) => row.directoryUrl },
          { key: 'orders', label: t('Orders'), cell: (row) => row.orders },
        ]}
        rowActions={(row) => [{ label: t('Remove authority'), danger: true, onClick: () => void askAndRemove(row.id, row.name) }]}
        empty={{
          icon: IconBuildingBank,
          title: t('No external authorities yet'),
          text: t("Add Let's Encrypt or any other ACME authority, and people with the right to order get certificates from it."),
          action: add,
        }}
      />
    </Stack>
  )
}
