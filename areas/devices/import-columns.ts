// What an import of devices reads, in the order in which the screen offers it. The export has the same columns.

export const importColumns = {
  name: { label: 'Name' },
  type: { label: 'Device type' },
  status: { label: 'Status' },
  hostname: { label: 'Host name' },
  serial: { label: 'Serial number' },
  mac: { label: 'MAC address' },
  uuid: { label: 'UUID' },
  imei: { label: 'IMEI' },
  asset: { label: 'Asset number' },
  owner: { label: 'Owner' },
  organisation: { label: 'Organisation' },
  note: { label: 'Note' },
  id: { label: 'Id' },
} as const
