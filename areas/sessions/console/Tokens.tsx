// Personal API tokens: what a program signs in with. The secret is shown once, right after it is made.

import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconKey, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { CapsLockHint } from '#areas/users/CapsLockHint.tsx'
import { confirm } from '#core/console/kit/confirm.tsx'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { MultiSelectField, PasswordField, SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { askForList, useList, type RowOf } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { isPermission, permissions } from '#core/contract/permission-labels.ts'
import { sessions } from '../contract.ts'

type Token = RowOf<typeof sessions.calls.searchTokens>
type Made = OutputOf<typeof sessions.calls.addToken>

const soon = 30 * 86_400_000

function stateOf(token: Token, now = Date.now()): 'active' | 'expiring' | 'expired' {
  const left = Date.parse(token.expiresAt) - now
  return left <= 0 ? 'expired' : left < soon ? 'expiring' : 'active'
}

/** By its name first, which stands beside the calls of the API reference. */
const labelOf = (scope: string): string => (isPermission(scope) ? `${scope}: ${t(permissions[scope])}` : scope)

const question = { key: 'sessions.tokens' } as const

Tokens.ask = (address: URLSearchParams) => askForList(sessions.calls.searchTokens, question, address)

export function Tokens() {
  const list = useList(sessions.calls.searchTokens, question)
  const remove = useSend(sessions.calls.removeToken)
  const [adding, setAdding] = useState(false)
  const [made, setMade] = useState<Made>()

  const revoke = async (token: Token): Promise<void> => {
    const yes = await confirm({
      title: t('Revoke token {name}?', { name: token.name }),
      consequence: t('Every program that uses it is refused from now on. This cannot be undone.'),
      action: t('Revoke token'),
      keep: t('Keep token'),
      danger: true,
    })
    if (yes) await remove.run({ id: token.id }).catch(() => {})
  }
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t('New token')}
    </Button>
  )
  return (
    <Page
      title={t('API tokens')}
      intro={t('A program signs in with a token and can do what you can, narrowed by the scopes that you choose.')}
      actions={list.answer?.total === 0 ? undefined : add}
    >
      {made !== undefined && <MadeToken made={made} onClose={() => setMade(undefined)} />}
      <FaultAlert fault={remove.fault} />
      <DataTable
        list={list}
        label={t('Tokens')}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        search={false}
        views={false}
        columns={[
          { key: 'name', label: t('Name'), cell: (row) => row.name },
          { key: 'state', label: t('Status'), aside: true, cell: (row) => <Status of={stateOf(row)} />, csv: (row) => stateOf(row) },
          {
            key: 'scopes',
            label: t('Scopes'),
            cell: (row) => (row.scopes.length === 0 ? t('Everything that you may do') : row.scopes.map(labelOf).join(', ')),
          },
          { key: 'expiresAt', label: t('Expires'), cell: (row) => <DateTime at={row.expiresAt} dateOnly />, csv: (row) => row.expiresAt },
          {
            key: 'lastUsedAt',
            label: t('Last used'),
            cell: (row) => (row.lastUsedAt === undefined ? t('Never') : <DateTime at={row.lastUsedAt} />),
            csv: (row) => row.lastUsedAt ?? '',
          },
          {
            key: 'createdAt',
            label: t('Made'),
            cell: (row) => <DateTime at={row.createdAt} dateOnly />,
            csv: (row) => row.createdAt,
            hidden: true,
          },
        ]}
        rowActions={(row) => [{ label: t('Revoke token'), icon: IconTrash, danger: true, onClick: () => void revoke(row) }]}
        empty={{
          icon: IconKey,
          title: t('No API tokens'),
          text: t('Create one for a script or a program that works with Chancery in your name.'),
          action: add,
        }}
      />
      <Modal opened={adding} onClose={() => setAdding(false)} title={t('New token')}>
        <NewToken
          onCancel={() => setAdding(false)}
          onMade={(answer) => {
            setAdding(false)
            setMade(answer)
          }}
        />
      </Modal>
    </Page>
  )
}

type NewTokenValues = { name: string; scopes: string[]; days: '7' | '30' | '90' | '366'; password: string }

function NewToken({ onMade, onCancel }: { onMade: (made: Made) => void; onCancel: () => void }) {
  const offered = useCall(sessions.calls.tokenScopes, {})
  const scopes = (offered.data?.scopes ?? []).map(({ name }) => ({ value: name, label: labelOf(name) }))
  return (
    <Form
      call={sessions.calls.addToken}
      initial={{ name: '', scopes: [], days: '90', password: '' }}
      toInput={({ name, scopes, days, password }: NewTokenValues) => ({ name, scopes, days: Number(days), password })}
      submit={t('Create token')}
      cancel={{ label: t('Cancel'), onClick: onCancel }}
      guard={false}
      onDone={onMade}
    >
      {(form) => (
        <>
          <TextField {...form.field('name')} label={t('Name')} hint={t('What it is for: “Nightly export”')} autoFocus required />
          <MultiSelectField
            {...form.field('scopes')}
            label={t('Scopes')}
            options={scopes}
            hint={t(
              'Left empty, the token can do everything that you may do. The API reference names beside each call the scope that it needs.',
            )}
          />
          <SelectField
            {...form.field('days')}
            label={t('Expires')}
            options={[
              { value: '7', label: t('In 7 days') },
              { value: '30', label: t('In 30 days') },
              { value: '90', label: t('In 90 days') },
              { value: '366', label: t('In one year') },
            ]}
            required
          />
          <CapsLockHint>
            <PasswordField
              {...form.field('password')}
              label={t('Your existing password')}
              hint={t(
                'A token is another way into your account. It ends when you change your password, or when your sign-in code is reset.',
              )}
              autoComplete="current-password"
              required
            />
          </CapsLockHint>
        </>
      )}
    </Form>
  )
}

function MadeToken({ made, onClose }: { made: Made; onClose: () => void }) {
  return (
    <Alert
      color="green"
      icon={<IconKey size={18} aria-hidden />}
      title={t('Your new token')}
      role="status"
      withCloseButton
      closeButtonLabel={t('Hide the token')}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text inherit>{t('Copy it now: it is not shown again.')}</Text>
        <Group gap="xs" wrap="nowrap" style={{ overflowWrap: 'anywhere' }}>
          <Mono value={made.token} grouped={false} />
          <Copy value={made.token} label={t('Token')} />
        </Group>
        <Text size="sm">
          {t('Send it as')} <code>Authorization: Bearer …</code>
        </Text>
      </Stack>
    </Alert>
  )
}
