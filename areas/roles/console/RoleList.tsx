import { Text } from '@mantine/core'
import { IconColumns, IconPlus, IconShieldLock } from '@tabler/icons-react'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { goTo } from '#core/console/navigate.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchPageSize, searchScreen } from '#core/contract/search.ts'
import { roles } from '../contract.ts'
import { roleName } from '../role-name.tsx'
import { roleDescription } from './role-words.ts'

const question = { key: 'roles.all', filters: { held: {} }, sort: 'name', size: searchPageSize } as const

RoleList.ask = (address: URLSearchParams) => askForList(roles.calls.search, question, address)

export function RoleList() {
  const may = useMay()
  const list = useList(roles.calls.search, {
    ...question,
    filters: { held: { label: t('People'), options: [{ value: 'nobody', label: t('Nobody has it') }] } },
  })
  const add = may('roleAdd', 'View') ? (
    <LinkButton to={to(roles.screens.add)} leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}>
      {t('New role')}
    </LinkButton>
  ) : undefined
  return (
    <Page title={t('Roles')} actions={add}>
      <DataTable
        list={list}
        label={t('Roles')}
        rowId={(row) => row.id}
        rowName={(row) => roleName(row.name)}
        columns={[
          {
            key: 'name',
            label: t('Name'),
            sort: true,
            link: (row) => to(roles.screens.view, { id: row.id }),
            cell: (row) => roleName(row.name),
            csv: (row) => row.name,
          },
          { key: 'description', label: t('Description'), cell: (row) => roleDescription(row.description), csv: (row) => row.description },
          {
            key: 'people',
            label: t('People'),
            align: 'end',
            csv: (row) => String(row.people),
            cell: (row) => (
              <>
                {may('userView') ? (
                  <TextLink to={to(searchScreen, { searchType: 'user' }, { roleId: row.id })}>{formatNumber(row.people)}</TextLink>
                ) : (
                  formatNumber(row.people)
                )}
                <Text span inherit hiddenFrom="sm">
                  {' '}
                  {t('{count, plural, one {person} other {people}}', { count: row.people })}
                </Text>
              </>
            ),
          },
          { key: 'builtIn', label: t('Kind'), cell: (row) => (row.builtIn ? t('Built in') : t('Own')) },
        ]}
        bulk={[
          {
            label: t('Compare'),
            icon: IconColumns,
            exactly: 2,
            async run({ inclusionList: [a = '', b = ''] }) {
              goTo(to(roles.screens.compare, {}, { a, b }))
              return undefined
            },
          },
        ]}
        rowActions={(row) => [
          { label: t('Open role'), to: to(roles.screens.view, { id: row.id }) },
          !row.builtIn && { label: t('Edit role'), needs: 'roleEdit', to: to(roles.screens.edit, { id: row.id }) },
          { label: t('Copy role'), needs: 'roleAdd', to: to(roles.screens.add, {}, { from: row.id }) },
        ]}
        empty={{ icon: IconShieldLock, title: t('No roles yet'), text: t('A role says what its people may see and do.'), action: add }}
      />
    </Page>
  )
}
