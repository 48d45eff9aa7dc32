// What can put records into the DNS for orders: a tab of the page of ACME.

import { Group, Stack } from '@mantine/core'
import { IconWorldCog } from '@tabler/icons-react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { ordering } from '../contract.ts'
import { responderLabels } from './order-words.ts'

export function Responders() {
  const list = useList(ordering.calls.responders, { key: 'ordering.responders' })
  const remove = useSend(ordering.calls.removeResponder)
  const askAndRemove = async (id: string, name: string): Promise<void> => {
    const sure = await confirm({
      title: t('Remove {name}?', { name }),
      consequence: t('Its secret is deleted with it.'),
      action: t('Remove responder'),
      keep: t('Keep responder'),
      danger: true,
    })
    if (sure) await remove.run({ id }).catch((error: unknown) => toastFault(error, t('The responder was not removed')))
  }
  const add = (
    <LinkButton to={to(ordering.screens.addResponder)} variant="default">
      {t('Add a DNS responder')}
    </LinkButton>
  )
  return (
    <Stack gap="sm">
      {list.answer?.total !== 0 && <Group justify="flex-end">{add}</Group>}
      <DataTable
        list={list}
        label={t('DNS responders')}
        views={false}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Name'), link: (row) => to(ordering.screens.editResponder, { id: row.id }), cell: (row) => row.name },
          { key: 'kind', label: t('Kind'), cell: (row) => t(responderLabels[row.kind]) },
          { key: 'target', label: t('Where'), cell: (row) => row.target },
          { key: 'orders', label: t('Orders'), cell: (row) => row.orders },
        ]}
        rowActions={(row) => [{ label: t('Remove responder'), danger: true, onClick: () => void askAndRemove(row.id, row.name) }]}
        empty={{
          icon: IconWorldCog,
          title: t('No DNS responders yet'),
          text: t('With one, dns-01 and wildcards go by themselves: by dynamic updates, by acme-dns, or by a webhook of your own.'),
          action: add,
        }}
      />
    </Stack>
  )
}
