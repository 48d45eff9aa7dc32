// The directory as a list, with how its last synchronisation went; a dialog says where a card is used.

import { Button, Modal, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { smartcards } from '#areas/smartcards/contract.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { askForList, useList, type RowOf } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { changed, useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { facilities } from '../contract.ts'

const lookMilliseconds = 1_000
const question = { key: 'facilities.directory', filters: { locationId: {} }, sort: 'csn' } as const

type Row = RowOf<typeof facilities.calls.search>

Directory.ask = (address: URLSearchParams) => askForList(facilities.calls.search, question, address)

export function Directory() {
  const state = useCall(facilities.calls.state, {})
  const sync = useSend(facilities.calls.sync)
  const [placed, setPlaced] = useState<Row>()
  const running = state.data?.state === 'running'
  useEffect(() => {
    if (!running) return undefined
    const timer = setInterval(() => changed('facilities'), lookMilliseconds)
    return () => clearInterval(timer)
  }, [running])
  const locations = state.data?.locations ?? []
  const list = useList(facilities.calls.search, {
    ...question,
    ahead: question,
    filters: { locationId: { label: t('Location'), options: locations.map(({ id, path }) => ({ value: id, label: path })) } },
  })
  return (
    <Page
      title={t('Facility directory')}
      intro={t('Which card serial number belongs to whom and where. The cards are the truth: a synchronisation writes what differs.')}
      actions={
        <Button
          leftSection={<IconRefresh size={16} stroke={1.8} aria-hidden />}
          loading={sync.pending || running}
          onClick={() => void sync.run({}).catch(() => undefined)}
        >
          {t('Synchronise now')}
        </Button>
      }
    >
      <FaultAlert fault={sync.fault} />
      {state.data !== undefined && state.data.state !== 'never' && (
        <Text size="sm" c="dimmed" mb="sm" role="status">
          {running
            ? t('It is being synchronised.')
            : t('{added, number} added, {changes, number} changed, {removed, number} removed, {same, number} as before', {
                added: state.data.added,
                changes: state.data.changed,
                removed: state.data.removed,
                same: state.data.same,
              })}{' '}
          {state.data.endedAt !== undefined && <DateTime at={state.data.endedAt} />}
        </Text>
      )}
      <DataTable
        list={list}
        label={t('Facility directory')}
        search={t('Card serial number or holder')}
        views={false}
        rowId={(row) => row.csn}
        rowName={(row) => row.csn}
        columns={[
          {
            key: 'csn',
            label: t('Card serial number'),
            sort: true,
            csv: (row) => row.csn,
            cell: (row) => <TextLink to={to(smartcards.screens.view, { smartcardId: row.cardId })}>{row.csn}</TextLink>,
          },
          { key: 'holder', label: t('Holder'), csv: (row) => row.holder, cell: (row) => row.holder },
          { key: 'location', label: t('Location'), csv: (row) => row.location, cell: (row) => row.location },
          {
            key: 'status',
            label: t('Card'),
            csv: (row) => row.status,
            cell: (row) => (
              <Status
                of={row.status === 'ISSUED' ? 'active' : 'disabled'}
                label={row.status === 'ISSUED' ? t('Issued') : t('Not issued')}
              />
            ),
          },
          {
            key: 'inStep',
            label: t('In step'),
            aside: true,
            csv: (row) => String(row.inStep),
            cell: (row) => <Status of={row.inStep ? 'active' : 'pending'} label={row.inStep ? t('In step') : t('Synchronise it')} />,
          },
          {
            key: 'writtenAt',
            label: t('Written'),
            sort: true,
            phone: false,
            csv: (row) => row.writtenAt,
            cell: (row) => <DateTime at={row.writtenAt} />,
          },
        ]}
        rowActions={(row) => [{ label: t('Say where it is used'), onClick: () => setPlaced(row) }]}
        empty={{ title: t('The directory is empty'), text: t('Synchronise it, and the cards of this tenancy stand here.') }}
      />
      {placed !== undefined && (
        <Modal opened onClose={() => setPlaced(undefined)} title={t('Where {name} is used', { name: placed.csn })}>
          <Form
            call={facilities.calls.place}
            initial={{ locationId: placed.locationId }}
            toInput={(values: { locationId: string }) => ({ csn: placed.csn, ...values })}
            guard={false}
            submit={t('Save location')}
            cancel={{ label: t('Cancel'), onClick: () => setPlaced(undefined) }}
            onDone={() => setPlaced(undefined)}
          >
            {(form) => {
              const location = form.field('locationId')
              return (
                <SelectField
                  {...location}
                  value={location.value === '' ? undefined : location.value}
                  onChange={(id) => location.onChange(id ?? '')}
                  label={t('Location')}
                  options={locations.map(({ id, path }) => ({ value: id, label: path }))}
                  clearable
                />
              )
            }}
          </Form>
        </Modal>
      )}
    </Page>
  )
}
