import { Button, FileInput, Group, Modal } from '@mantine/core'
import { IconApps, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SwitchField, TextField } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { applets } from '../contract.ts'
import { cardAppletId } from '../rules.ts'
import { PutOnCard } from './PutOnCard.tsx'

type Applet = OutputOf<typeof applets.calls.get>
type Values = { applet_id: string; name: string; version: string; enabled: boolean; file: string }

export function Applets() {
  const query = useCall(applets.calls.list, {})
  const [asking, setAsking] = useState<'add' | 'put' | Applet>()
  const remove = useSend(applets.calls.remove)
  const close = () => setAsking(undefined)
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAsking('add')}>
      {t('Add applet')}
    </Button>
  )
  const erase = async ({ applet_id: appletId, name }: Applet) => {
    const sure = await confirm({
      title: t('Delete the applet {name}?', { name }),
      consequence: t('It stays on the cards that have it.'),
      action: t('Delete applet'),
      keep: t('Keep applet'),
    })
    if (sure) await remove.run({ applet_id: appletId }).catch((error: unknown) => toastFault(error, t('The applet was not deleted')))
  }
  const hasFiles = query.data?.applets.some(({ enabled, package_id: packageId }) => enabled && packageId !== '') === true
  const isChanging = asking !== undefined && asking !== 'add' && asking !== 'put'
  return (
    <Page
      title={t('Applets of cards')}
      intro={t('Programs on cards. The operations of the card desk use {appletId}.', { appletId: cardAppletId })}
      actions={
        (query.data?.applets.length ?? 0) > 0 ? (
          <Group gap="xs">
            {hasFiles && (
              <Button variant="default" onClick={() => setAsking('put')}>
                {t('Put on a card')}
              </Button>
            )}
            {add}
          </Group>
        ) : undefined
      }
    >
      <Loaded query={query}>
        {({ applets: rows }) =>
          rows.length === 0 ? (
            <EmptyState
              icon={IconApps}
              title={t('No applets yet')}
              text={t('Add an applet by its identifier and its load file.')}
              action={add}
            />
          ) : (
            <SmallTable
              label={t('Applets of cards')}
              rows={rows}
              rowId={(row) => row.applet_id}
              columns={[
                { label: t('Name'), cell: (row) => row.name },
                {
                  label: t('Status'),
                  aside: true,
                  cell: (row) => <Status of={row.enabled ? 'active' : 'disabled'} label={row.enabled ? t('In use') : t('Not in use')} />,
                },
                { label: t('Identifier'), cell: (row) => <Mono value={row.applet_id} /> },
                { label: t('Version'), cell: (row) => row.version },
                { label: t('Load file'), cell: (row) => (row.sha256 === '' ? t('None') : <Mono value={row.sha256.slice(0, 16)} />) },
                { label: t('Changed'), cell: (row) => <DateTime at={row.changedAt} /> },
                {
                  label: t('Actions'),
                  plain: true,
                  cell: (row) => (
                    <Group gap="xs">
                      <Button size="xs" variant="default" onClick={() => setAsking(row)}>
                        {t('Change')}
                      </Button>
                      <Button size="xs" variant="default" onClick={() => void erase(row)}>
                        {t('Delete')}
                      </Button>
                    </Group>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Modal opened={asking === 'add'} onClose={close} title={t('Add applet')}>
        <Form
          call={applets.calls.add}
          initial={{ applet_id: '', name: '', version: '', enabled: true, file: '' } as Values}
          toInput={({ enabled: _, ...values }: Values) => values}
          submit={t('Add applet')}
          cancel={{ label: t('Cancel'), onClick: close }}
          guard={false}
          onDone={close}
        >
          {(form) => (
            <>
              <TextField {...form.field('applet_id')} label={t('Identifier')} hint={t('AID, 5 to 16 bytes in hexadecimal')} required />
              <AppletFields form={form} />
            </>
          )}
        </Form>
      </Modal>
      {isChanging && (
        <Modal opened onClose={close} title={t('Change applet')}>
          <Form
            call={applets.calls.change}
            initial={
              { applet_id: asking.applet_id, name: asking.name, version: asking.version, enabled: asking.enabled, file: '' } as Values
            }
            toInput={(values: Values) => values}
            submit={t('Change applet')}
            cancel={{ label: t('Cancel'), onClick: close }}
            guard={false}
            onDone={close}
          >
            {(form) => (
              <>
                <AppletFields form={form} />
                <SwitchField {...form.field('enabled')} label={t('In use')} />
              </>
            )}
          </Form>
        </Modal>
      )}
      {asking === 'put' && <PutOnCard onClose={close} />}
    </Page>
  )
}

function AppletFields({ form }: { form: FormKit<Values> }) {
  const take = async (file: File | null) => {
    const bytes = file === null ? new Uint8Array() : new Uint8Array(await file.arrayBuffer())
    form.set('file', btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('')))
  }
  return (
    <>
      <TextField {...form.field('name')} label={t('Name')} required />
      <TextField {...form.field('version')} label={t('Version')} />
      <FileInput
        name="file"
        label={t('Load file')}
        description={t('A CAP file of a Java Card compiler, or a load file (IJC)')}
        error={form.error('file')}
        onChange={(file) => void take(file)}
        clearable
      />
    </>
  )
}
