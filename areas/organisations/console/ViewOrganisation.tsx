import { Alert, Text } from '@mantine/core'
import { IconArrowMerge, IconArrowsMove, IconPencil, IconPlus, IconShieldLock, IconTrash } from '@tabler/icons-react'
import { Fragment, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { organisations } from '../contract.ts'
import { DeleteDialog } from './DeleteDialog.tsx'
import { countryName, typeLabels } from './labels.ts'
import { MergeDialog, MoveDialog } from './MoveDialog.tsx'
import { organisationColumns } from './organisation-columns.tsx'
import { OrganisationPeople } from './OrganisationPeople.tsx'

type Organisation = OutputOf<typeof organisations.calls.read>

export function ViewOrganisation() {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const may = useMay()
  const [dialog, setDialog] = useState<'move' | 'merge' | 'delete'>()
  const query = useCall(organisations.calls.read, { id })
  const row = query.data
  if (row === undefined)
    return (
      <Page title={t('Organisation')}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  const close = () => setDialog(undefined)
  const leave = () => void navigate(to(searchScreen, { searchType: 'organisation' }))
  return (
    <>
      <DetailPage
        title={row.name}
        intro={row.parents.length === 0 ? t('At the top of the tree') : <Line parents={row.parents} />}
        actions={[
          row.mayEdit &&
            may('orgEdit', 'View') && {
              label: t('Edit organisation'),
              icon: IconPencil,
              primary: true,
              to: to(organisations.screens.edit, { id }),
            },
          row.mayAdd &&
            may('orgAdd', 'View') && {
              label: t('Add one below'),
              icon: IconPlus,
              to: to(organisations.screens.add, {}, { parentId: id }),
            },
          { label: t('Permissions'), icon: IconShieldLock, to: to(organisations.screens.permissions, { orgId: id }) },
          row.mayEdit && { label: t('Move organisation'), icon: IconArrowsMove, onClick: () => setDialog('move') },
          row.mayEdit && { label: t('Merge organisation'), icon: IconArrowMerge, onClick: () => setDialog('merge') },
          row.mayEdit && { label: t('Delete organisation'), icon: IconTrash, danger: true, onClick: () => setDialog('delete') },
        ]}
        tabs={[
          { key: 'details', label: t('Details'), content: () => <Details row={row} /> },
          { key: 'people', label: t('People'), content: () => <OrganisationPeople id={id} /> },
          { key: 'below', label: t('Below'), content: () => <Below id={id} /> },
        ]}
      />
      {dialog === 'move' && <MoveDialog row={row} onClose={close} />}
      {dialog === 'merge' && (
        <MergeDialog row={row} onClose={close} onDone={(into) => void navigate(to(organisations.screens.view, { id: into }))} />
      )}
      {dialog === 'delete' && <DeleteDialog row={row} onClose={close} onDone={leave} />}
    </>
  )
}

function Line({ parents }: { parents: Organisation['parents'] }) {
  return (
    <Text span inherit>
      {parents.map(({ id, name }, at) => (
        <Fragment key={id}>
          {at > 0 && ' › '}
          <TextLink to={to(organisations.screens.view, { id })}>{name}</TextLink>
        </Fragment>
      ))}
    </Text>
  )
}

function Details({ row }: { row: Organisation }) {
  return (
    <Section title={t('Details')}>
      {row.numberFault !== '' && (
        <Alert color="yellow" title={t('The business number is wrong')}>
          {t(row.numberFault)}
        </Alert>
      )}
      <Facts
        items={[
          { label: t('Type'), value: t(typeLabels[row.type].label) },
          { label: t('Country'), value: countryName(row.country) },
          { label: t('Business number'), value: row.businessNumber, copy: row.businessNumber },
          { label: t('Contact'), value: row.contact },
          { label: t('Address'), value: row.address },
          { label: t('Note'), value: row.note },
          { label: t('People'), value: formatNumber(row.people) },
          { label: t('Directly below'), value: formatNumber(row.children) },
          { label: t('Added'), value: <DateTime at={row.addedAt} /> },
          { label: t('Last changed'), value: <DateTime at={row.modifiedAt} /> },
        ]}
      />
    </Section>
  )
}

function Below({ id }: { id: string }) {
  const list = useList(organisations.calls.search, { key: 'organisations.below', base: { within: id }, sort: 'name' })
  return (
    <DataTable
      list={list}
      label={t('Organisations')}
      search={t('Name or business number')}
      rowId={(row) => row.id}
      rowName={(row) => row.name}
      columns={organisationColumns()}
      empty={{ title: t('Nothing below'), text: t('Departments and teams of this organisation stand here.') }}
    />
  )
}
