import { IconPlus, IconUserShield } from '@tabler/icons-react'
import { users } from '#areas/users/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { sponsors } from '../contract.ts'
import { stateLabels } from './labels.ts'

const question = { key: 'sponsors.all', filters: { state: {} }, sort: 'addedAt', direction: 'desc' } as const

ManageSponsors.ask = (address: URLSearchParams) => askForList(sponsors.calls.search, question, address)

export function ManageSponsors() {
  const may = useMay()
  const list = useList(sponsors.calls.search, {
    ...question,
    filters: {
      state: { label: t('Status'), options: Object.entries(stateLabels).map(([value, { label }]) => ({ value, label: t(label) })) },
    },
  })
  const add = may('sponsorAdd', 'View') ? (
    <LinkButton to={to(sponsors.screens.add)} leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}>
      {t('New sponsor')}
    </LinkButton>
  ) : undefined
  return (
    <Page title={t('Sponsors')} actions={add}>
      <DataTable
        list={list}
        label={t('Sponsors')}
        search={t('Name, username or e-mail address')}
        rowId={(row) => row.id}
        rowName={(row) => row.person.name}
        columns={[
          {
            key: 'person',
            label: t('Person'),
            link: (row) =>
              may('sponsorEdit', 'View') ? to(sponsors.screens.edit, { id: row.id }) : to(users.screens.view, { id: row.person.id }),
            cell: (row) => row.person.name,
          },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={row.state} label={t(stateLabels[row.state].label)} />,
            csv: (row) => row.state,
          },
          { key: 'organisation', label: t('Organisation'), cell: (row) => row.organisation?.name ?? '' },
          {
            key: 'people',
            label: t('People'),
            align: 'end',
            phone: 'named',
            cell: (row) => t('{people, number} of {most, number}', { people: row.people, most: row.most }),
            csv: (row) => String(row.people),
          },
          {
            key: 'until',
            label: t('Until'),
            phone: 'named',
            sort: true,
            cell: (row) => (row.until === undefined ? t('For good') : <DateTime at={row.until} dateOnly />),
            csv: (row) => row.until ?? '',
          },
          { key: 'passTypes', label: t('Pass types'), cell: (row) => row.passTypes.join(', ') },
        ]}
        rowActions={(row) => [
          may('sponsorEdit', 'View') && { label: t('Edit sponsor'), to: to(sponsors.screens.edit, { id: row.id }) },
          may('userView', 'View') && { label: t('Open user'), to: to(users.screens.view, { id: row.person.id }) },
        ]}
        empty={{
          icon: IconUserShield,
          title: t('No sponsors yet'),
          text: t('A sponsor answers for contractors, guests and visitors.'),
          action: add,
        }}
      />
    </Page>
  )
}
