import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchPageSize } from '#core/contract/search.ts'
import { organisations } from '../contract.ts'
import { organisationTypes } from '../rules.ts'
import { typeLabels } from './labels.ts'
import { organisationColumns } from './organisation-columns.tsx'

const question = {
  key: 'organisations.all',
  filters: { type: {}, wrongNumber: { read: (text: string) => text === 'true' } },
  sort: 'name',
  size: searchPageSize,
} as const

OrganisationList.ask = (address: URLSearchParams) => askForList(organisations.calls.search, question, address)

export function OrganisationList() {
  const may = useMay()
  const list = useList(organisations.calls.search, {
    ...question,
    filters: {
      type: { label: t('Type'), options: organisationTypes.map((value) => ({ value, label: t(typeLabels[value].label) })) },
      wrongNumber: {
        ...question.filters.wrongNumber,
        label: t('Business number'),
        options: [
          { value: 'true', label: t('Wrong') },
          { value: 'false', label: t('Right, or none') },
        ],
      },
    },
  })
  const add = may('orgAdd', 'View') ? (
    <LinkButton to={to(organisations.screens.add)} leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}>
      {t('New organisation')}
    </LinkButton>
  ) : undefined
  return (
    <Page title={t('Organisations')} actions={add}>
      <DataTable
        list={list}
        label={t('Organisations')}
        search={t('Name or business number')}
        {...(may('orgView') ? { exportable: { from: organisations.endpoints.export.path, fileName: 'organisations.csv' } } : {})}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={organisationColumns()}
        rowActions={(row) => [
          { label: t('Open organisation'), to: to(organisations.screens.view, { id: row.id }) },
          may('orgEdit', 'View') && { label: t('Edit organisation'), to: to(organisations.screens.edit, { id: row.id }) },
          may('orgAdd', 'View') && { label: t('Add one below'), to: to(organisations.screens.add, {}, { parentId: row.id }) },
        ]}
        empty={{
          icon: IconBuilding,
          title: t('No organisations yet'),
          text: t('Add the first one, and departments and teams below it.'),
          action: add,
        }}
      />
    </Page>
  )
}
