// What the tenancy sets by key: each with its value, what it is at first, and a dialog to change it. Secrets can be replaced and not read.

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { NumberField, PasswordField, SwitchField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { configuration } from '../contract.ts'

type Value = OutputOf<typeof configuration.calls.values>['values'][number]

export function KeyValues() {
  const query = useCall(configuration.calls.values, {})
  const reset = useSend(configuration.calls.change)
  const [changing, setChanging] = useState<Value>()
  return (
    <Page
      title={t('Keys and values')}
      intro={t('What this tenancy sets for the parts of the product. Secrets can be replaced, and are never shown.')}
    >
      <FaultAlert fault={reset.fault} />
      <Loaded query={query}>
        {({ values }) => (
          <SmallTable
            label={t('Keys and values')}
            rows={values}
            rowId={({ key }) => key}
            columns={[
              {
                label: t('Key'),
                cell: (row) => (
                  <Stack gap={2}>
                    <Text inherit fw={600}>
                      {t(row.label)}
                    </Text>
                    <Text size="sm" c="dimmed">
                      {t(row.hint)}
                    </Text>
                    <Text size="sm" c="dimmed" ff="monospace">
                      {row.key}
                    </Text>
                  </Stack>
                ),
              },
              { label: t('Value'), cell: (row) => <ShownValue row={row} value={row.value} /> },
              { label: t('At first'), cell: (row) => (row.kind === 'secret' ? '' : <ShownValue row={row} value={row.initial} />) },
              {
                label: t('Change'),
                plain: true,
                cell: (row) => (
                  <Group gap="xs">
                    <Button
                      variant="default"
                      size="xs"
                      onClick={() => setChanging(row)}
                      aria-label={t('Change {name}', { name: t(row.label) })}
                    >
                      {t('Change')}
                    </Button>
                    {row.setAt !== undefined && (
                      <Button
                        variant="subtle"
                        size="xs"
                        aria-label={
                          row.kind === 'secret'
                            ? t('Delete {name}', { name: t(row.label) })
                            : t('As at first: {name}', { name: t(row.label) })
                        }
                        onClick={() => void reset.run({ key: row.key }).catch(() => {})}
                      >
                        {row.kind === 'secret' ? t('Delete') : t('As at first')}
                      </Button>
                    )}
                  </Group>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <Modal opened={changing !== undefined} onClose={() => setChanging(undefined)} title={changing === undefined ? '' : t(changing.label)}>
        {changing !== undefined && <ChangeValue row={changing} onClose={() => setChanging(undefined)} />}
      </Modal>
    </Page>
  )
}

function ShownValue({ row, value }: { row: Value; value: Value['value'] }) {
  if (row.kind === 'secret') return row.setAt === undefined ? t('Not set') : <SetOn at={row.setAt} />
  if (typeof value === 'boolean') return value ? t('On') : t('Off')
  if (typeof value === 'number') return t('{value, number} {unit}', { value, unit: row.unit ?? '' })
  return value
}

function SetOn({ at }: { at: string }) {
  return (
    <>
      {t('Set on')} <DateTime at={at} />
    </>
  )
}

type Draft<T> = { key: string; value?: T | undefined }

function ChangeValue({ row, onClose }: { row: Value; onClose: () => void }) {
  const cancel = { label: t('Cancel'), onClick: onClose }
  const common = { call: configuration.calls.change, submit: t('Save value'), cancel, guard: false, onDone: onClose } as const
  const label = t(row.label)
  if (row.kind === 'number')
    return (
      <Form {...common} initial={{ key: row.key, value: Number(row.value) }} toInput={(values: Draft<number>) => values}>
        {(form) => <NumberField {...form.field('value')} label={label} min={row.min ?? 0} max={row.max ?? 0} suffix={row.unit ?? ''} />}
      </Form>
    )
  if (row.kind === 'switch')
    return (
      <Form {...common} initial={{ key: row.key, value: row.value === true }} toInput={(values: Draft<boolean>) => values}>
        {(form) => <SwitchField {...form.field('value')} label={label} />}
      </Form>
    )
  return (
    <Form
      {...common}
      initial={{ key: row.key, value: row.kind === 'secret' ? '' : String(row.value ?? '') }}
      toInput={(values: Draft<string>) => values}
    >
      {(form) =>
        row.kind === 'secret' ? (
          <PasswordField {...form.field('value')} label={label} autoComplete="off" required />
        ) : (
          <TextField {...form.field('value')} label={label} />
        )
      }
    </Form>
  )
}
