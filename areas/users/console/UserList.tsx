import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { useSearchParams } from 'react-router'
import { useRoleFilter } from '#areas/roles/role-filter.tsx'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { dayText } from '#core/console/kit/day-text.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { to, type Query } from '#core/contract/paths.ts'
import { searchPageSize } from '#core/contract/search.ts'
import { users } from '../contract.ts'
import { originLabels } from '../creation.ts'
import { userStatusLabels } from './user-status.ts'

const question = {
  key: 'users.all',
  filters: { status: {}, origin: {}, link: {}, createdFrom: {}, createdUntil: {} },
  sort: 'name',
  size: searchPageSize,
} as const

const dayWord = (day: string): string => (/^\d{4}-\d\d-\d\d$/.test(day) ? dayText(day, 'full') : day)

export function UserList() {
  const may = useMay()
  const [address] = useSearchParams()
  const offered = useRoleFilter(address.get('roleId') ?? undefined, may('roleView'))
  const list = useList(users.calls.search, {
    ...question,
    filters: {
      status: { label: t('Status'), options: Object.entries(userStatusLabels).map(([value, word]) => ({ value, label: t(word) })) },
      ...(may('roleView') ? { roleId: { label: t('Role'), ...offered } } : {}),
      origin: {
        label: t('How they came'),
        options: Object.entries(originLabels).map(([value, word]) => ({ value, label: t(word) })),
        more: true,
      },
      link: {
        label: t('Activation link'),
        options: [
          { value: 'lapsed', label: t('Lapsed') },
          { value: 'none', label: t('None') },
        ],
        more: true,
      },
      createdFrom: { label: t('Created from'), options: [], word: dayWord, silent: true },
      createdUntil: { label: t('Created until'), options: [], word: dayWord, silent: true },
    },
  })
  const { page: _page, size: _size, sort: _sort, direction: _direction, ...narrowed } = list.input
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
        {...(may('userView') ? { exportable: { from: to(users.endpoints.export, {}, narrowed as Query), fileName: 'users.csv' } } : {})}
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
          {
            key: 'createdAt',
            label: t('Created'),
            sort: true,
            priority: -1,
            phone: false,
            cell: (row) => <DateTime at={row.createdAt} />,
            csv: (row) => row.createdAt,
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
