import { Button, Group, Modal } from '@mantine/core'
import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { confirm } from '#core/console/kit/confirm.tsx'
import { SelectField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { networks } from '../contract.ts'
import { locationKinds } from '../rules.ts'
import { locationKindWord } from './words.ts'

type Location = OutputOf<typeof networks.calls.locations>['locations'][number]

/** The tree; a location in the address is open to be changed. */
export function Locations() {
  const { id } = useParams()
  const navigate = useNavigate()
  const query = useCall(networks.calls.locations, {})
  const [adding, setAdding] = useState(false)
  const list = to(networks.screens.locations, {})
  const add = (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setAdding(true)}>
      {t('New location')}
    </Button>
  )
  return (
    <Page title={t('Locations')} actions={add}>
      <Loaded query={query}>
        {({ locations }) => {
          const opened = locations.find((one) => one.id === id)
          return (
            <>
              {locations.length === 0 ? (
                <EmptyState
                  icon={IconBuilding}
                  title={t('No locations yet')}
                  text={t('Add a region or a site, and buildings, floors and rooms below it.')}
                  action={add}
                />
              ) : (
                <SmallTable
                  label={t('Locations')}
                  rows={locations}
                  rowId={(row) => row.id}
                  columns={[
                    {
                      label: t('Name'),
                      cell: (row) => (
                        <span style={{ paddingInlineStart: row.depth * 16 }}>
                          <TextLink to={to(networks.screens.locations, { id: row.id })}>{row.name}</TextLink>
                        </span>
                      ),
                    },
                    { label: t('Kind'), aside: true, cell: (row) => locationKindWord(row.kind) },
                    { label: t('Code'), cell: (row) => row.code },
                    { label: t('Time zone'), cell: (row) => row.timeZone },
                    { label: t('Subnets'), align: 'end', cell: (row) => formatNumber(row.subnets) },
                    { label: t('Networks'), align: 'end', cell: (row) => formatNumber(row.vlans) },
                  ]}
                />
              )}
              {adding && <LocationDialog locations={locations} onClose={() => setAdding(false)} />}
              {opened !== undefined && (
                <LocationDialog key={opened.id} row={opened} locations={locations} onClose={() => void navigate(list)} />
              )}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

type Values = { name: string; kind: Location['kind']; parentId: string; code: string; timeZone: string; contact: string; note: string }

function LocationDialog({ row, locations, onClose }: { row?: Location; locations: readonly Location[]; onClose: () => void }) {
  const remove = useSend(networks.calls.removeLocation)
  const initial: Values = {
    name: row?.name ?? '',
    kind: row?.kind ?? 'site',
    parentId: row?.parentId ?? '',
    code: row?.code ?? '',
    timeZone: row?.timeZone ?? '',
    contact: row?.contact ?? '',
    note: row?.note ?? '',
  }
  const askAndRemove = async ({ id, name }: Location) => {
    const sure = await confirm({
      title: t('Delete {name}?', { name }),
      consequence: t('It is gone from the tree.'),
      action: t('Delete location'),
      keep: t('Keep location'),
      danger: true,
    })
    if (!sure) return
    try {
      await remove.run({ id })
      onClose()
    } catch (error) {
      toastFault(error, t('The location was not deleted'))
    }
  }
  const above = locations.filter(({ id }) => id !== row?.id)
  const shared = { initial, guard: false as const, cancel: { label: t('Cancel'), onClick: onClose }, onDone: onClose }
  return (
    <Modal opened onClose={onClose} title={row === undefined ? t('New location') : t('Edit {name}', { name: row.name })}>
      {row === undefined ? (
        <Form call={networks.calls.addLocation} {...shared} toInput={(values: Values) => values} submit={t('Add location')}>
          {(form) => <LocationFields form={form} above={above} />}
        </Form>
      ) : (
        <>
          <Form
            call={networks.calls.changeLocation}
            {...shared}
            toInput={(values: Values) => ({ id: row.id, version: row.version, ...values })}
            submit={t('Save location')}
          >
            {(form) => <LocationFields form={form} above={above} />}
          </Form>
          <Group mt="md">
            <Button variant="light" color="red" onClick={() => void askAndRemove(row)}>
              {t('Delete location')}
            </Button>
          </Group>
        </>
      )}
    </Modal>
  )
}

function LocationFields({ form, above }: { form: FormKit<Values>; above: readonly Location[] }) {
  const parent = form.field('parentId')
  return (
    <>
      <TextField {...form.field('name')} label={t('Name')} autoFocus required />
      <SelectField
        {...form.field('kind')}
        label={t('Kind')}
        options={locationKinds.map((value) => ({ value, label: locationKindWord(value) }))}
      />
      <SelectField
        {...parent}
        value={parent.value === '' ? undefined : parent.value}
        onChange={(id) => parent.onChange(id ?? '')}
        label={t('Stands below')}
        options={above.map(({ id, path }) => ({ value: id, label: path }))}
        clearable
      />
      <TextField {...form.field('code')} label={t('Code')} />
      <TextField {...form.field('timeZone')} label={t('Time zone')} hint={t('Such as Europe/Berlin')} />
      <TextField {...form.field('contact')} label={t('Contact')} />
      <TextAreaField {...form.field('note')} label={t('Note')} rows={2} />
    </>
  )
}
