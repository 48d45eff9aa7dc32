// Keys of external accounts: who may come. The secret of a new one is shown once.

import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { NumberField, TagsField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { acme } from '../contract.ts'
import { DirectoryField } from './DirectoryField.tsx'
import { useDirectories } from './use-directories.ts'

type Row = OutputOf<typeof acme.calls.eabs>['rows'][number]
type Made = OutputOf<typeof acme.calls.addEab>

const words: Record<Row['state'], { kind: string; label: string }> = {
  active: { kind: 'active', label: 'Active' },
  used: { kind: 'disabled', label: 'Used up' },
  expired: { kind: 'expired', label: 'Expired' },
  revoked: { kind: 'revoked', label: 'Revoked' },
}

export function Eabs() {
  const list = useList(acme.calls.eabs, { key: 'acme.eabs' })
  const revoke = useSend(acme.calls.revokeEab)
  const [making, setMaking] = useState<Row | 'new' | undefined>()
  const askAndRevoke = async ({ id, name, accounts }: Row): Promise<void> => {
    const sure = await confirm({
      title: t('Revoke {name}?', { name }),
      consequence: t(
        '{count, plural, =0 {Nobody has used it.} one {The account that came with it ends.} other {The # accounts that came with it end.}}',
        {
          count: accounts,
        },
      ),
      action: t('Revoke key'),
      keep: t('Keep key'),
      danger: true,
    })
    if (sure) await revoke.run({ id }).catch((error: unknown) => toastFault(error, t('The key was not revoked')))
  }
  const add = (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setMaking('new')}>
      {t('New EAB key')}
    </Button>
  )
  return (
    <Stack gap="md">
      {list.answer?.total !== 0 && <Group justify="flex-end">{add}</Group>}
      <DataTable
        list={list}
        label={t('EAB keys')}
        views={false}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Name'), cell: (row) => row.name },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={words[row.state].kind} label={t(words[row.state].label)} />,
            csv: (row) => t(words[row.state].label),
          },
          { key: 'directoryName', label: t('Directory'), cell: (row) => row.directoryName },
          { key: 'names', label: t('Names'), cell: (row) => row.names.join(', ') || t('All that the template allows') },
          { key: 'usesLeft', label: t('Accounts left'), cell: (row) => row.usesLeft ?? t('Any number') },
          { key: 'accounts', label: t('Accounts'), cell: (row) => row.accounts },
          { key: 'expiresAt', label: t('Ends'), cell: (row) => <DateTime at={row.expiresAt} />, csv: (row) => row.expiresAt ?? '' },
          { key: 'createdBy', label: t('Made by'), cell: (row) => row.createdBy },
        ]}
        rowActions={(row) =>
          row.state === 'revoked'
            ? []
            : [
                { label: t('Replace key'), onClick: () => setMaking(row) },
                { label: t('Revoke key'), danger: true, onClick: () => void askAndRevoke(row) },
              ]
        }
        empty={{
          icon: IconKey,
          title: t('No EAB keys yet'),
          text: t('Give one to each machine or team that may have an account. It says which names they may ask for.'),
          action: add,
        }}
      />
      <Modal
        opened={making !== undefined}
        onClose={() => setMaking(undefined)}
        title={making === 'new' ? t('New EAB key') : t('Replace key')}
        size="lg"
      >
        {making !== undefined && <Maker before={making === 'new' ? undefined : making} close={() => setMaking(undefined)} />}
      </Modal>
    </Stack>
  )
}

type Values = { directoryId: string; name: string; names: string[]; uses: number | undefined }

function Maker({ before, close }: { before: Row | undefined; close: () => void }) {
  const directories = useDirectories()
  const [made, setMade] = useState<Made>()
  if (made !== undefined) return <Shown made={made} close={close} />
  return (
    <Loaded query={directories}>
      {({ rows }) => (
        <Form
          call={acme.calls.addEab}
          initial={{
            directoryId: before?.directoryId ?? rows[0]?.id ?? '',
            name: before?.name ?? '',
            names: before?.names ?? [],
            uses: before?.usesLeft ?? 1,
          }}
          toInput={(values: Values) => ({ ...values, ...(before === undefined ? {} : { replaces: before.id }) })}
          submit={t('Make key')}
          cancel={{ label: t('Cancel'), onClick: close }}
          guard={false}
          quiet
          onDone={setMade}
        >
          {(form) => (
            <>
              {before !== undefined && (
                <Text size="sm">{t('The key that it replaces makes no more accounts. Those that it made go on.')}</Text>
              )}
              <DirectoryField
                field={form.field('directoryId')}
                first={
                  before === undefined || rows.some(({ id }) => id === before.directoryId)
                    ? rows
                    : [...rows, { id: before.directoryId, name: before.directoryName }]
                }
              />
              <TextField {...form.field('name')} label={t('Name')} hint={t('Whose it is, such as a machine or a team')} required />
              <TagsField
                {...form.field('names')}
                error={
                  form.error('names') ?? form.values.names.map((_, at) => form.error(`names.${at}`)).find((wrong) => wrong !== undefined)
                }
                label={t('Names')}
                hint={t('Such as example.org, *.example.org or 10.0.0.0/8. Without any, whatever the template allows')}
              />
              <NumberField
                {...form.field('uses')}
                label={t('Accounts')}
                hint={t('How many accounts it may make. Empty: any number')}
                optional
                min={1}
                max={100_000}
              />
            </>
          )}
        </Form>
      )}
    </Loaded>
  )
}

function Shown({ made, close }: { made: Made; close: () => void }) {
  return (
    <Stack gap="md">
      <Alert color="yellow" title={t('Copy it now')}>
        {t('The HMAC key is not shown again.')}
      </Alert>
      <Facts
        items={[
          { label: t('Key id (kid)'), value: <Mono value={made.kid} />, copy: made.kid },
          { label: t('HMAC key'), value: <Mono value={made.hmacKey} />, copy: made.hmacKey },
          { label: t('Directory'), value: <Mono value={made.directoryUrl} />, copy: made.directoryUrl },
        ]}
      />
      <Group justify="flex-end">
        <Button onClick={close}>{t('Close')}</Button>
      </Group>
    </Stack>
  )
}
