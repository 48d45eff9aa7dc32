// The tenancies that this one manages, each with the way into it.

import { Group, Text } from '@mantine/core'
import { IconArrowBackUp, IconArrowsExchange, IconBuildingCommunity } from '@tabler/icons-react'
import { useViewer } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime, mediumDate } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { switchTenancy } from '#core/console/session.ts'
import { useTenantColours } from '#core/console/shell/tenant-colour.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { tenancy } from '../contract.ts'
import { departurePath, newTenancyPath } from '../rules.ts'

const question = { key: 'tenancy.managed' } as const

ManagedTenancies.ask = (address: URLSearchParams) => askForList(tenancy.calls.managed, question, address)

export function ManagedTenancies() {
  const viewer = useViewer()
  const list = useList(tenancy.calls.managed, question)
  // Only people of the management tenancy who work in it make others.
  const add = viewer.management === true ? <LinkButton to={newTenancyPath}>{t('New tenancy')}</LinkButton> : undefined
  return (
    <Page
      title={t('Managed tenancies')}
      intro={t(
        'Each has its own people, authorities and certificates, which no other tenancy sees. Every record says from where somebody worked in it.',
      )}
      actions={list.answer?.total === 0 ? undefined : add}
    >
      <DataTable
        list={list}
        label={t('Tenancies')}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          {
            key: 'name',
            label: t('Name'),
            sort: true,
            csv: (row) => row.name,
            cell: (row) => (
              <Group gap="xs" wrap="nowrap">
                <Swatch colour={row.bannerColour} />
                <Text inherit>{row.name}</Text>
              </Group>
            ),
          },
          { key: 'state', label: t('State'), cell: (row) => <State row={row} />, csv: (row) => stateText(row) },
          { key: 'createdAt', label: t('Made'), cell: (row) => <DateTime at={row.createdAt} dateOnly />, csv: (row) => row.createdAt },
          { key: 'bannerColour', label: t('Colour'), cell: (row) => row.bannerColour, hidden: true },
        ]}
        rowActions={(row) => [
          row.id !== viewer.tenantId &&
            row.endsAt === undefined && {
              label: t('Work in this tenancy'),
              icon: IconArrowsExchange,
              onClick: () => void switchTenancy(row.id).catch(() => {}),
            },
          row.endsAt !== undefined && !row.removing && { label: t('Take the deletion back'), icon: IconArrowBackUp, to: departurePath },
        ]}
        empty={{
          icon: IconBuildingCommunity,
          title: t('No other tenancies yet'),
          ...(viewer.management === true
            ? {
                text: t('Create one for each organisation that you look after. Its first administrator gets an activation link.'),
                action: add,
              }
            : { text: t('Tenancies are created in the management tenancy, on its own page of this name.') }),
        }}
      />
    </Page>
  )
}

type Row = OutputOf<typeof tenancy.calls.managed>['rows'][number]

const stateText = ({ endsAt, removing }: Row): string =>
  removing
    ? t('Being removed')
    : endsAt === undefined
      ? t('Active')
      : t('Deleted, removed on {date}', { date: mediumDate(new Date(endsAt), true) })

const State = ({ row }: { row: Row }) => (
  <Status of={row.removing ? 'cancelled' : row.endsAt === undefined ? 'active' : 'expiring'} label={stateText(row)} />
)

function Swatch({ colour }: { colour: string }) {
  const colours = useTenantColours(colour)
  return <span aria-hidden style={{ width: 12, height: 12, borderRadius: 3, background: colours?.line ?? colour, flex: 'none' }} />
}
