// The master keys of card managers, by the hardware that they are for. A key is entered and never shown.

import { Button, Group, Modal } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { NumberField, PasswordField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { applets } from '../contract.ts'

type Config = OutputOf<typeof applets.calls.configs>['configs'][number]
type New = { customer_sc_hardware: string; masterKey: string; checkValue: string; keyVersion: number | undefined }

export function Hardware() {
  const query = useCall(applets.calls.configs, {})
  const [adding, setAdding] = useState(false)
  const [changing, setChanging] = useState<Config>()
  const remove = useSend(applets.calls.removeConfig)
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t('Add key')}
    </Button>
  )
  const erase = async ({ customer_sc_hardware: name }: Config) => {
    const sure = await confirm({
      title: t('Delete the key of {name}?', { name }),
      consequence: t('Without it no applet gets on these cards any more. The key cannot be read back from here.'),
      action: t('Delete key'),
      keep: t('Keep key'),
    })
    if (sure) await remove.run({ customer_sc_hardware: name }).catch((error: unknown) => toastFault(error, t('The key was not deleted')))
  }
  return (
    <Page
      title={t('Keys of card managers')}
      intro={t('The key of each card follows from the master key of its hardware. Applets get on a card only by it.')}
      actions={(query.data?.configs.length ?? 0) > 0 ? add : undefined}
    >
      <Loaded query={query}>
        {({ configs }) =>
          configs.length === 0 ? (
            <EmptyState
              icon={IconKey}
              title={t('No key yet')}
              text={t('The maker of your cards gives you a master key with its check value.')}
              action={add}
            />
          ) : (
            <SmallTable
              label={t('Keys of card managers')}
              rows={configs}
              rowId={(row) => row.customer_sc_hardware}
              columns={[
                { label: t('Hardware'), cell: (row) => row.customer_sc_hardware },
                { label: t('Check value'), cell: (row) => <Mono value={row.checkValue} /> },
                { label: t('Key version'), cell: (row) => (row.keyVersion === 0 ? t('As the card says') : row.keyVersion) },
                { label: t('Changed'), cell: (row) => <DateTime at={row.changedAt} /> },
                {
                  label: t('Actions'),
                  plain: true,
                  cell: (row) => (
                    <Group gap="xs">
                      <Button size="xs" variant="default" onClick={() => setChanging(row)}>
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
      <Modal opened={adding} onClose={() => setAdding(false)} title={t('Add key')}>
        <Form
          call={applets.calls.addConfig}
          initial={{ customer_sc_hardware: '', masterKey: '', checkValue: '', keyVersion: 0 } as New}
          toInput={({ keyVersion, ...values }: New) => ({ ...values, keyVersion: keyVersion ?? Number.NaN })}
          submit={t('Add key')}
          cancel={{ label: t('Cancel'), onClick: () => setAdding(false) }}
          guard={false}
          onDone={() => setAdding(false)}
        >
          {(form) => (
            <>
              <TextField {...form.field('customer_sc_hardware')} label={t('Hardware')} hint={t('What you call these cards')} required />
              <PasswordField
                {...form.field('masterKey')}
                label={t('Master key')}
                hint={t('AES, in hexadecimal')}
                autoComplete="off"
                required
              />
              <TextField {...form.field('checkValue')} label={t('Check value')} hint={t('Six digits that came with the key')} required />
              <NumberField
                {...form.field('keyVersion')}
                label={t('Key version')}
                hint={t('0: the one that the card answers with')}
                min={0}
                max={127}
              />
            </>
          )}
        </Form>
      </Modal>
      {changing !== undefined && (
        <Modal opened onClose={() => setChanging(undefined)} title={t('Change the key of {name}', { name: changing.customer_sc_hardware })}>
          <Form
            call={applets.calls.changeConfig}
            initial={{ keyVersion: changing.keyVersion } as Pick<New, 'keyVersion'>}
            toInput={({ keyVersion }: Pick<New, 'keyVersion'>) => ({
              customer_sc_hardware: changing.customer_sc_hardware,
              keyVersion: keyVersion ?? Number.NaN,
            })}
            submit={t('Change key')}
            cancel={{ label: t('Cancel'), onClick: () => setChanging(undefined) }}
            guard={false}
            onDone={() => setChanging(undefined)}
          >
            {(form) => (
              <NumberField
                {...form.field('keyVersion')}
                label={t('Key version')}
                hint={t('0: the one that the card answers with')}
                min={0}
                max={127}
              />
            )}
          </Form>
        </Modal>
      )}
    </Page>
  )
}
