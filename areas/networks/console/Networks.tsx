import { Button, Modal } from '@mantine/core'
import { IconPlus, IconTopologyStar3 } from '@tabler/icons-react'
import { useState } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { NumberField, SelectField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { networks } from '../contract.ts'

type Row = OutputOf<typeof networks.calls.searchNetworks>['rows'][number]

export function Networks() {
  const list = useList(networks.calls.searchNetworks, { key: 'networks.vlans' })
  const [edited, setEdited] = useState<Row | 'new'>()
  const remove = useSend(networks.calls.removeNetwork)
  const askAndRemove = async ({ id, name }: Row) => {
    const sure = await confirm({
      title: t('Delete {name}?', { name }),
      consequence: t('Its number is free again in its group.'),
      action: t('Delete network'),
      keep: t('Keep network'),
      danger: true,
    })
    if (sure) await remove.run({ id }).catch((error: unknown) => toastFault(error, t('The network was not deleted')))
  }
  const add = (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setEdited('new')}>
      {t('New network')}
    </Button>
  )
  return (
    <Page title={t('Networks')} intro={t('VLANs, each with its number, where it is and what subnets are in it.')} actions={add}>
      <DataTable
        list={list}
        label={t('Networks')}
        views={false}
        rowId={(row) => row.id}
        rowName={(row) => `${row.vid} ${row.name}`}
        columns={[
          { key: 'name', label: t('Name'), cell: (row) => row.name },
          { key: 'vid', label: t('Number'), aside: true, cell: (row) => row.vid },
          { key: 'group', label: t('Group'), cell: (row) => row.group },
          { key: 'location', label: t('Location'), cell: (row) => row.location },
          { key: 'subnets', label: t('Subnets'), cell: (row) => row.subnets },
        ]}
        rowActions={(row) => [
          { label: t('Edit network'), onClick: () => setEdited(row) },
          { label: t('Delete network'), danger: true, onClick: () => void askAndRemove(row) },
        ]}
        empty={{
          icon: IconTopologyStar3,
          title: t('No networks yet'),
          text: t('Add the VLANs of your sites, and name them at their subnets.'),
          action: add,
        }}
      />
      {edited !== undefined && <NetworkDialog row={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </Page>
  )
}

type Values = { group: string; vid: number; name: string; locationId: string; note: string }

function NetworkDialog({ row, onClose }: { row: Row | undefined; onClose: () => void }) {
  const locations = useCall(networks.calls.locations, {})
  const initial: Values = {
    group: row?.group ?? '',
    vid: row?.vid ?? 1,
    name: row?.name ?? '',
    locationId: row?.locationId ?? '',
    note: row?.note ?? '',
  }
  const shared = { initial, guard: false as const, cancel: { label: t('Cancel'), onClick: onClose }, onDone: onClose }
  const fields = (form: FormKit<Values>) => {
    const location = form.field('locationId')
    return (
      <>
        <TextField {...form.field('name')} label={t('Name')} autoFocus required />
        <NumberField {...form.field('vid')} label={t('Number')} min={1} max={4_094} />
        <TextField {...form.field('group')} label={t('Group')} hint={t('A number stands in each group once')} />
        <SelectField
          {...location}
          value={location.value === '' ? undefined : location.value}
          onChange={(id) => location.onChange(id ?? '')}
          label={t('Location')}
          options={(locations.data?.locations ?? []).map(({ id, path }) => ({ value: id, label: path }))}
          clearable
        />
        <TextAreaField {...form.field('note')} label={t('Note')} rows={2} />
      </>
    )
  }
  return (
    <Modal opened onClose={onClose} title={row === undefined ? t('New network') : t('Edit {name}', { name: row.name })}>
      {row === undefined ? (
        <Form call={networks.calls.addNetwork} {...shared} toInput={(values: Values) => values} submit={t('Add network')}>
          {fields}
        </Form>
      ) : (
        <Form
          call={networks.calls.changeNetwork}
          {...shared}
          toInput={(values: Values) => ({ id: row.id, version: row.version, ...values })}
          submit={t('Save network')}
        >
          {fields}
        </Form>
      )}
    </Modal>
  )
}
