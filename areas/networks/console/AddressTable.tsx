// The known addresses of a subnet.

import { devices } from '#areas/devices/contract.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { networks } from '../contract.ts'
import { shownLook, shownWord } from './words.ts'

const states = ['used', 'silent', 'reserved', 'unknown', 'conflict'] as const

export function AddressTable({ subnetId, onOpen }: { subnetId: string; onOpen: (address: string) => void }) {
  const free = useSend(networks.calls.removeAddress)
  const list = useList(networks.calls.searchAddresses, {
    key: 'networks.addresses',
    base: { subnetId },
    filters: { shown: { many: true, label: t('Status'), options: states.map((value) => ({ value, label: shownWord(value) })) } },
    sort: 'address',
  })
  return (
    <DataTable
      list={list}
      label={t('Addresses')}
      search={t('Address, name or MAC address')}
      views={false}
      rowId={(row) => row.address}
      rowName={(row) => row.address}
      columns={[
        { key: 'address', label: t('Address'), sort: true, csv: (row) => row.address, cell: (row) => <Mono value={row.address} /> },
        {
          key: 'shown',
          label: t('Status'),
          aside: true,
          csv: (row) => row.shown,
          cell: (row) => row.shown !== 'free' && <Status of={shownLook[row.shown]} label={shownWord(row.shown)} />,
        },
        { key: 'name', label: t('Name'), sort: true, cell: (row) => row.name },
        {
          key: 'device',
          label: t('Device'),
          csv: (row) => row.device,
          cell: (row) => row.device !== '' && <TextLink to={to(devices.screens.view, { id: row.deviceId })}>{row.device}</TextLink>,
        },
        { key: 'mac', label: t('MAC address'), phone: false, cell: (row) => row.mac },
        {
          key: 'seenAt',
          label: t('Last seen'),
          sort: true,
          csv: (row) => row.seenAt ?? '',
          cell: (row) => (row.seenAt === undefined ? t('Never') : <DateTime at={row.seenAt} />),
        },
      ]}
      rowActions={(row) => [
        { label: t('Write who has it'), onClick: () => onOpen(row.address) },
        {
          label: t('Give the address free'),
          danger: true,
          onClick: () =>
            void free
              .run({ subnetId, address: row.address })
              .catch((error: unknown) => toastFault(error, t('The address was not given free'))),
        },
      ]}
      empty={{ title: t('No address is known here'), text: t('Take the next free one, write one, or scan the network.') }}
    />
  )
}
