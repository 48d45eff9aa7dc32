import { Modal } from '@mantine/core'
import { Button } from '@mantine/core'
import { IconPlus, IconServer } from '@tabler/icons-react'
import { useState } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { PasswordField, SelectField, SwitchField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { devices } from '../contract.ts'
import { typeWord } from './type-word.ts'

type Row = OutputOf<typeof devices.calls.searchSources>['rows'][number]

const looks = { new: 'draft', done: 'active', failed: 'failed' } as const

export function Sources() {
  const list = useList(devices.calls.searchSources, { key: 'devices.sources' })
  const [edited, setEdited] = useState<Row | 'new'>()
  const sync = useSend(devices.calls.syncSource)
  const remove = useSend(devices.calls.removeSource)
  const askAndRemove = async ({ id, name }: Row) => {
    const sure = await confirm({
      title: t('Delete {name}?', { name }),
      consequence: t('It is not read any more. The devices that it told of stay.'),
      action: t('Delete system'),
      keep: t('Keep system'),
      danger: true,
    })
    if (sure) await remove.run({ id }).catch((error: unknown) => toastFault(error, t('The system was not deleted')))
  }
  const add = (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setEdited('new')}>
      {t('New system')}
    </Button>
  )
  return (
    <Page
      title={t('Device management systems')}
      intro={t('Read every hour. Clients of SCIM need nothing here: they write to /scim/v2/Devices with a token of an application.')}
      actions={add}
    >
      <DataTable
        list={list}
        label={t('Device management systems')}
        views={false}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Name'), cell: (row) => row.name },
          {
            key: 'state',
            label: t('Last reading'),
            aside: true,
            csv: (row) => row.state,
            cell: (row) => (
              <Status
                of={looks[row.state]}
                label={
                  row.state === 'new' ? t('Not read yet') : row.state === 'done' ? t('Read') : t('Failed: {reason}', { reason: row.says })
                }
              />
            ),
          },
          { key: 'url', label: t('Address'), csv: (row) => row.url, cell: (row) => <Mono value={row.url} /> },
          { key: 'seen', label: t('Devices'), cell: (row) => row.seen },
          {
            key: 'syncedAt',
            label: t('When'),
            csv: (row) => row.syncedAt ?? '',
            cell: (row) => row.syncedAt !== undefined && <DateTime at={row.syncedAt} />,
          },
        ]}
        rowActions={(row) => [
          {
            label: t('Read now'),
            onClick: () => void sync.run({ id: row.id }).catch((error: unknown) => toastFault(error, t('The devices were not read'))),
          },
          { label: t('Edit system'), onClick: () => setEdited(row) },
          { label: t('Delete system'), danger: true, onClick: () => void askAndRemove(row) },
        ]}
        empty={{
          icon: IconServer,
          title: t('No system yet'),
          text: t('Connect what manages your devices: any system that lists them as Microsoft Graph does.'),
          action: add,
        }}
      />
      {edited !== undefined && <SourceDialog row={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </Page>
  )
}

function SourceDialog({ row, onClose }: { row: Row | undefined; onClose: () => void }) {
  const types = useCall(devices.calls.types, {})
  const initial = {
    name: row?.name ?? '',
    url: row?.url ?? '',
    roots: row?.roots ?? '',
    deviceType: row?.deviceType ?? 'Laptop',
    active: row?.active ?? true,
    token: '',
  }
  return (
    <Modal opened onClose={onClose} size="lg" title={row === undefined ? t('New system') : t('Edit {name}', { name: row.name })}>
      {row === undefined ? (
        <Form
          call={devices.calls.addSource}
          initial={initial}
          guard={false}
          submit={t('Add system')}
          cancel={{ label: t('Cancel'), onClick: onClose }}
          onDone={onClose}
        >
          {(form) => (
            <>
              <TextField {...form.field('name')} label={t('Name')} required />
              <TextField {...form.field('url')} label={t('Address of its list of devices')} required />
              <PasswordField {...form.field('token')} label={t('Token')} required />
              <SelectField
                {...form.field('deviceType')}
                label={t('Device type of what it does not name')}
                options={(types.data?.deviceTypes ?? []).map(({ name }) => ({ value: name, label: typeWord(name) }))}
              />
              <TextAreaField {...form.field('roots')} label={t('Certificates to trust besides the public ones')} rows={3} />
              <SwitchField {...form.field('active')} label={t('Read every hour')} />
            </>
          )}
        </Form>
      ) : (
        <Form
          call={devices.calls.changeSource}
          initial={initial}
          toInput={({ token, ...values }: typeof initial) => ({
            id: row.id,
            version: row.version,
            ...values,
            ...(token === '' ? {} : { token }),
          })}
          guard={false}
          submit={t('Save system')}
          cancel={{ label: t('Cancel'), onClick: onClose }}
          onDone={onClose}
        >
          {(form) => (
            <>
              <TextField {...form.field('name')} label={t('Name')} required />
              <TextField {...form.field('url')} label={t('Address of its list of devices')} required />
              <PasswordField {...form.field('token')} label={t('Token')} hint={t('Empty keeps the one that is there')} />
              <SelectField
                {...form.field('deviceType')}
                label={t('Device type of what it does not name')}
                options={(types.data?.deviceTypes ?? []).map(({ name }) => ({ value: name, label: typeWord(name) }))}
              />
              <TextAreaField {...form.field('roots')} label={t('Certificates to trust besides the public ones')} rows={3} />
              <SwitchField {...form.field('active')} label={t('Read every hour')} />
            </>
          )}
        </Form>
      )}
    </Modal>
  )
}
