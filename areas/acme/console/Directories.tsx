import { IconServerBolt } from '@tabler/icons-react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { acme } from '../contract.ts'

export function Directories() {
  const list = useList(acme.calls.directories, { key: 'acme.directories' })
  const remove = useSend(acme.calls.removeDirectory)
  const askAndRemove = async (id: string, name: string): Promise<void> => {
    const sure = await confirm({
      title: t('Remove {name}?', { name }),
      consequence: t(
        'Its address stops working at once. Accounts, orders and EAB keys go with it; certificates stay, and are not renewed here.',
      ),
      action: t('Remove directory'),
      keep: t('Keep directory'),
      danger: true,
    })
    if (sure) await remove.run({ id }).catch((error: unknown) => toastFault(error, t('The directory was not removed')))
  }
  return (
    <DataTable
      list={list}
      label={t('Directories')}
      views={false}
      rowId={(row) => row.id}
      rowName={(row) => row.name}
      columns={[
        { key: 'name', label: t('Name'), link: (row) => to(acme.screens.editDirectory, { id: row.id }), cell: (row) => row.name },
        {
          key: 'enabled',
          label: t('Status'),
          aside: true,
          cell: (row) => <Status of={row.enabled ? 'active' : 'disabled'} />,
          csv: (row) => (row.enabled ? t('Active') : t('Disabled')),
        },
        {
          key: 'url',
          label: t('Address'),
          cell: (row) => (
            <>
              <Copy value={row.url} label={t('Address')} /> <code>{row.url}</code>
            </>
          ),
          csv: (row) => row.url,
        },
        {
          key: 'templates',
          label: t('Templates'),
          cell: (row) => row.templates.map((name) => (name === '' ? t('Gone') : name)).join(', '),
        },
        { key: 'eabRequired', label: t('EAB'), phone: 'named', cell: (row) => (row.eabRequired ? t('Required') : t('Not required')) },
        { key: 'accounts', label: t('Accounts'), phone: 'named', cell: (row) => row.accounts },
        { key: 'orders', label: t('Orders'), phone: 'named', cell: (row) => row.orders },
      ]}
      rowActions={(row) => [
        { label: t('Edit directory'), to: to(acme.screens.editDirectory, { id: row.id }) },
        { label: t('Remove directory'), danger: true, onClick: () => void askAndRemove(row.id, row.name) },
      ]}
      empty={{
        icon: IconServerBolt,
        title: t('No directories yet'),
        text: t('A directory names a template, says how names are proven, and has an address for certbot and its like.'),
        action: <LinkButton to={to(acme.screens.addDirectory)}>{t('New directory')}</LinkButton>,
      }}
    />
  )
}
