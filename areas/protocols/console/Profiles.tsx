import { IconRouter } from '@tabler/icons-react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { protocolRoom } from '../contract.ts'
import type { Protocol } from '../rules.ts'
import { protocolWords } from './protocol-words.ts'

export function Profiles({ protocol }: { protocol: Protocol }) {
  const list = useList(protocolRoom.calls.profiles, { key: `protocols.profiles.${protocol}`, base: { protocol } })
  const remove = useSend(protocolRoom.calls.removeProfile)
  const words = protocolWords[protocol]
  const askAndRemove = async (id: string, name: string): Promise<void> => {
    const sure = await confirm({
      title: t('Remove {name}?', { name }),
      consequence: t(
        'Its address stops working at once. Secrets and transactions go with it; certificates stay, and are not renewed here.',
      ),
      action: t('Remove profile'),
      keep: t('Keep profile'),
      danger: true,
    })
    if (sure) await remove.run({ id }).catch((error: unknown) => toastFault(error, t('The profile was not removed')))
  }
  return (
    <DataTable
      list={list}
      label={t('Profiles')}
      views={false}
      rowId={(row) => row.id}
      rowName={(row) => row.name}
      columns={[
        { key: 'name', label: t('Name'), link: (row) => words.edit(row.id), cell: (row) => row.name },
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
        { key: 'templateName', label: t('Template'), cell: (row) => row.templateName || t('Gone') },
        { key: 'issued', label: t('Issued'), phone: 'named', cell: (row) => row.issued },
      ]}
      rowActions={(row) => [
        { label: t('Edit profile'), to: words.edit(row.id) },
        { label: t('Remove profile'), danger: true, onClick: () => void askAndRemove(row.id, row.name) },
      ]}
      empty={{
        icon: IconRouter,
        title: t('No profiles yet'),
        text: t('A profile names a template and has an address that clients are given.'),
        action: <LinkButton to={words.add}>{t(words.newProfile)}</LinkButton>,
      }}
    />
  )
}
