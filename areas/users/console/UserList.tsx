import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { useSearchParams } from 'react-router'
import { useRoleFilter } from '#areas/roles/role-filter.tsx'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchPageSize } from '#core/contract/search.ts'
import { users } from '../contract.ts'
import { userStatusLabels } from './user-status.ts'

const question = { key: 'users.all', filters: { status: {} }, sort: 'name', size: searchPageSize } as const

export function UserList() {
  const may = useMay()
  const [address] = useSearchParams()
  const offered = useRoleFilter(address.get('roleId') ?? undefined, may('roleView'))
  const list = useList(users.calls.search, {
    ...question,
    filters: {
      status: { label: t('Status'), options: Object.entries(userStatusLabels).map(([value, word]) => ({ value, label: t(word) })) },
      ...(may('roleView') ? { roleId: { label: t('Role'), ...offered } } : {}),
    },
  })
  const add = may('userAdd', 'View') ? (
    <LinkButton to={to(users.screens.add)} leftSection={<IconUserPlus size={16} stroke={1.8} aria-hidden />}>
      {t('New user')}
    </LinkButton>
  ) : undefined
  return (
    <Page title={t('Users')} actions={add}>
      <DataTable
        list={list}
        label={t('Users')}
        search={t('Name, username or e-mail address')}
        {...(may('userView') ? { exportable: { from: users.endpoints.export.path, fileName: 'users.csv' } } : {})}
        rowId={(row) => row.id}
        rowName={(row) => `${row.givenName} ${row.familyName}`}
        columns={[
          {
            key: 'name',
            label: t('Name'),
            sort: true,
            link: (row) => to(users.screens.view, { id: row.id }),
            cell: (row) => `${row.familyName}, ${row.givenName}`,
          },
          {
            key: 'status',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={row.status} label={t(userStatusLabels[row.status])} />,
            csv: (row) => row.status,
          },
          { key: 'username', label: t('Username'), sort: true, cell: (row) => row.username },
          { key: 'emailAddress', label: t('E-mail address'), sort: true, cell: (row) => row.emailAddress },
          {
            key: 'lastSuccessfulLogin',
            label: t('Last sign-in'),
            sort: true,
            cell: (row) => <DateTime at={row.lastSuccessfulLogin} />,
            csv: (row) => row.lastSuccessfulLogin ?? '',
          },
        ]}
        rowActions={(row) => [
          { label: t('Open user'), to: to(users.screens.view, { id: row.id }) },
          { label: t('Edit user'), needs: 'userEdit', to: to(users.screens.edit, { id: row.id }) },
        ]}
        empty={{
          icon: IconUsers,
          title: t('No users yet'),
          text: t('Add the people who request, approve and manage. Each gets a link to activate the account.'),
          action: add,
        }}
      />
    </Page>
  )
}

/** Whether a role is a filter shows only when the list is drawn. */
UserList.ask = async (address: URLSearchParams) => (address.has('roleId') ? undefined : askForList(users.calls.search, question, address))
