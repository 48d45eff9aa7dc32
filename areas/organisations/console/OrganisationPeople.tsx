// The people of an organisation, or of it and all below it.

import { Switch } from '@mantine/core'
import { useState } from 'react'
import { users } from '#areas/users/contract.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { useList } from '#core/console/kit/list.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { organisations } from '../contract.ts'

export function OrganisationPeople({ id }: { id: string }) {
  const [below, setBelow] = useState(false)
  const list = useList(organisations.calls.people, { key: 'organisations.people', base: { id, below } })
  return (
    <DataTable
      list={list}
      label={t('People')}
      search={t('Name, username or e-mail address')}
      tools={<Switch label={t('And of those below')} checked={below} onChange={(event) => setBelow(event.currentTarget.checked)} />}
      rowId={(row) => row.id}
      rowName={(row) => row.name}
      columns={[
        { key: 'name', label: t('Name'), link: (row) => to(users.screens.view, { id: row.id }), cell: (row) => row.name },
        { key: 'username', label: t('Username'), cell: (row) => row.username },
        {
          key: 'organisations',
          label: t('Organisations'),
          cell: (row) => row.organisations.map(({ name }) => name).join(', '),
        },
      ]}
      empty={{ title: t('Nobody yet'), text: t('Choose the organisations of a person on the page of that person.') }}
    />
  )
}
