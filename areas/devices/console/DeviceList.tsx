import { IconDevices, IconPlus } from '@tabler/icons-react'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { changed } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchPageSize, searchScreen } from '#core/contract/search.ts'
import { devices } from '../contract.ts'
import { deviceStatuses, sourceKinds } from '../rules.ts'
import { typeWord } from './type-word.ts'
import { sourceWord, statusLook, statusWord } from './words.ts'

const question = {
  key: 'devices.all',
  filters: {
    type: { many: true },
    status: { many: true },
    source: { many: true },
    conflict: { read: (text: string) => text === 'true' },
    organisationId: {},
  },
  sort: 'name',
  size: searchPageSize,
} as const

DeviceList.ask = (address: URLSearchParams) => askForList(devices.calls.search, question, address)

export function DeviceList() {
  const may = useMay()
  const list = useList(devices.calls.search, {
    ...question,
    filters: {
      type: { ...question.filters.type, label: t('Device type'), word: typeWord },
      status: {
        ...question.filters.status,
        label: t('Status'),
        options: deviceStatuses.map((value) => ({ value, label: statusWord(value) })),
      },
      source: {
        ...question.filters.source,
        label: t('Source'),
        more: true,
        options: sourceKinds.map((value) => ({ value, label: sourceWord(value) })),
      },
      conflict: {
        ...question.filters.conflict,
        label: t('Conflict'),
        more: true,
        options: [
          { value: 'true', label: t('To decide') },
          { value: 'false', label: t('None') },
        ],
      },
      organisationId: { label: t('Organisation'), silent: true },
    },
  })
  const retire = async (selection: { selectAll: boolean; inclusionList: string[]; exclusionList: string[] }, count: number) => {
    const sure = await confirm({
      title: t('{count, plural, one {Retire # device?} other {Retire # devices?}}', { count }),
      consequence: t('They stay in the list with their history. Certificates that still run are not revoked by it.'),
      action: t('Retire devices'),
      keep: t('Keep them'),
    })
    if (!sure) return undefined
    const answer = await send(devices.calls.changeMany, { ...selection, query: list.input, status: 'retired' })
    changed('devices')
    return { says: t('{count, plural, one {# device retired} other {# devices retired}}', { count: answer.changed }) }
  }
  const add = may('deviceAdd', 'View') ? (
    <LinkButton to={to(devices.screens.add)} leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}>
      {t('New device')}
    </LinkButton>
  ) : undefined
  return (
    <Page title={t('Devices')} actions={add}>
      <DataTable
        list={list}
        label={t('Devices')}
        views={[{ name: t('Mobile'), path: to(searchScreen, { searchType: 'device' }), query: '?type=Mobile' }]}
        search={t('Name, host name or identifier')}
        exportable={{ from: devices.endpoints.export.path, fileName: 'devices.csv' }}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Name'), sort: true, link: (row) => to(devices.screens.view, { id: row.id }), cell: (row) => row.name },
          {
            key: 'status',
            label: t('Status'),
            sort: true,
            aside: true,
            csv: (row) => row.status,
            cell: (row) =>
              row.conflict ? (
                <Status of="warning" label={t('Conflict')} />
              ) : (
                <Status of={statusLook[row.status]} label={statusWord(row.status)} />
              ),
          },
          { key: 'type', label: t('Device type'), sort: true, cell: (row) => typeWord(row.type), csv: (row) => row.type },
          { key: 'hostname', label: t('Host name'), cell: (row) => row.hostname },
          {
            key: 'serial',
            label: t('Serial number'),
            csv: (row) => row.serial,
            cell: (row) => row.serial !== '' && <Mono value={row.serial} />,
          },
          { key: 'owner', label: t('Owner'), cell: (row) => row.owner },
          { key: 'organisation', label: t('Organisation'), phone: false, cell: (row) => row.organisation },
          { key: 'source', label: t('Source'), phone: false, csv: (row) => row.source, cell: (row) => sourceWord(row.source) },
          {
            key: 'seenAt',
            label: t('Last seen'),
            sort: true,
            phone: false,
            csv: (row) => row.seenAt ?? '',
            cell: (row) => row.seenAt !== undefined && <DateTime at={row.seenAt} />,
          },
        ]}
        rowActions={(row) => [
          { label: t('Open device'), to: to(devices.screens.view, { id: row.id }) },
          may('deviceEdit', 'View') && { label: t('Edit device'), to: to(devices.screens.edit, { id: row.id }) },
          may('deviceAdd', 'View') && { label: t('Clone device'), to: to(devices.screens.clone, { id: row.id }) },
        ]}
        bulk={[{ label: t('Retire devices'), needs: 'deviceEdit', run: (selection, { count }) => retire(selection, count) }]}
        empty={{
          icon: IconDevices,
          title: t('No devices yet'),
          text: t('Add the first one, import a file, or connect a system that manages devices.'),
          action: add,
        }}
      />
    </Page>
  )
}
