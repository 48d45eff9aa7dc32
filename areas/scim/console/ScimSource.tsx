// One identity provider: its address, its groups with the roles that they give, and what it sent.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { roles } from '#areas/roles/contract.ts'
import { roleName } from '#areas/roles/role-name.tsx'
import { users } from '#areas/users/contract.ts'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateField } from '#core/console/kit/DateField.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { MultiSelectField, SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { scim } from '../contract.ts'

type Source = OutputOf<typeof scim.calls.read>
type ScimGroup = Source['groupList'][number]

export function ScimSource() {
  const { id = '' } = useParams()
  const query = useCall(scim.calls.read, { id })
  if (query.data !== undefined) return <OneSource source={query.data} />
  return (
    <Page title={t('Identity provider')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function OneSource({ source }: { source: Source }) {
  const navigate = useNavigate()
  const end = useSend(scim.calls.disconnect)
  const disconnect = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Disconnect {name}?', { name: source.name }),
      consequence: t('Its groups and its journal are gone. The people whom it made stay as they are, and it changes them no more.'),
      action: t('Disconnect'),
      keep: t('Keep connection'),
      danger: true,
    })
    if (!sure) return
    const done = await end.run({ id: source.id }).catch(() => undefined)
    if (done !== undefined) await navigate(to(scim.screens.list))
  }
  return (
    <DetailPage
      title={source.name}
      actions={[{ label: t('Disconnect'), icon: IconPlugConnectedX, danger: true, onClick: () => void disconnect() }]}
    >
      <Stack gap="md">
        <FaultAlert fault={end.fault} />
        <Section title={t('Connection')} intro={t('Give the identity provider this address and the secret of the application.')}>
          <Facts
            items={[
              { label: t('Address'), value: <Mono value={source.address} />, copy: source.address },
              { label: t('Answers for it'), value: source.answers },
              { label: t('Activation links'), value: source.invite ? t('Sent to each new person') : t('Not sent') },
              { label: t('People'), value: source.people },
              { label: t('Connected'), value: <DateTime at={source.connectedAt} /> },
            ]}
          />
        </Section>
        <Groups groups={source.groupList} />
        <LinkPerson sourceId={source.id} />
        <Journal id={source.id} />
        <Replay id={source.id} />
      </Stack>
    </DetailPage>
  )
}

function Groups({ groups }: { groups: readonly ScimGroup[] }) {
  const [chosen, choose] = useState<string>()
  const group = groups.find(({ id }) => id === chosen)
  return (
    <Section
      title={t('Groups')}
      intro={t('A group gives no roles unless you say so here, whatever it is called. You can give only what you hold yourself.')}
    >
      {groups.length === 0 ? (
        <Text size="sm">{t('The identity provider has sent no groups yet.')}</Text>
      ) : (
        <SmallTable
          label={t('Groups')}
          rows={groups}
          rowId={({ id }) => id}
          columns={[
            { label: t('Name'), cell: (row) => row.name },
            { label: t('Members'), align: 'end', cell: (row) => row.members },
            {
              label: t('Roles'),
              cell: (row) => (row.roles.length === 0 ? t('None') : row.roles.map(({ name }) => roleName(name)).join(', ')),
            },
            {
              label: t('Change'),
              plain: true,
              cell: (row) => (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('Set roles of {name}', { name: row.name })}
                  onClick={() => choose(row.id)}
                >
                  {t('Set roles')}
                </Button>
              ),
            },
          ]}
        />
      )}
      {group !== undefined && <GroupRoles key={group.id} group={group} onDone={() => choose(undefined)} />}
    </Section>
  )
}

function GroupRoles({ group, onDone }: { group: ScimGroup; onDone: () => void }) {
  const may = useMay()
  const offered = useCall(roles.calls.search, { size: 200 }, { enabled: may('roleView') })
  return (
    <Form
      call={scim.calls.setRoles}
      initial={{ groupId: group.id, roleIds: group.roles.map(({ id }) => id) }}
      submit={t('Save roles')}
      cancel={{ label: t('Cancel'), onClick: onDone }}
      invalidates={['users', 'roles']}
      onDone={onDone}
    >
      {(form) => (
        <>
          <MultiSelectField
            {...form.field('roleIds')}
            label={t('Roles of {name}', { name: group.name })}
            options={(offered.data?.rows ?? group.roles).map(({ id, name }) => ({ value: id, label: roleName(name) }))}
          />
          <Preview groupId={group.id} roleIds={form.values.roleIds} />
        </>
      )}
    </Form>
  )
}

function Preview({ groupId, roleIds }: { groupId: string; roleIds: readonly string[] }) {
  const { data } = useCall(scim.calls.previewRoles, { groupId, roleIds: [...roleIds] }, { keepPrevious: true })
  if (data === undefined) return null
  return (
    <Text size="sm" role="status">
      {data.gain + data.lose === 0
        ? t('Nobody gains or loses a role')
        : t(
            '{gain, plural, one {# person gains} other {# people gain}} a role, {lose, plural, one {# loses} other {# lose}} one: {names}',
            {
              gain: data.gain,
              lose: data.lose,
              names: data.names.join(', '),
            },
          )}
    </Text>
  )
}

function LinkPerson({ sourceId }: { sourceId: string }) {
  const { options, onSearch } = usePersonSearch()
  return (
    <Section
      title={t('Link somebody who is here already')}
      intro={t('No account is taken over by its address. Whom you link is kept in step from then on, address included.')}
    >
      <Form
        call={scim.calls.link}
        initial={{ sourceId, userId: '', userName: '', externalId: '' }}
        submit={t('Link user')}
        onDone={() => {}}
      >
        {(form) => (
          <>
            <SelectField
              {...form.field('userId')}
              label={t('User')}
              options={options}
              onSearch={onSearch}
              onChange={(value) => form.set('userId', value ?? '')}
            />
            <TextField {...form.field('userName')} label={t('Name at the identity provider')} required />
            <TextField {...form.field('externalId')} label={t('Id at the identity provider')} />
          </>
        )}
      </Form>
    </Section>
  )
}

function Journal({ id }: { id: string }) {
  const list = useList(scim.calls.journal, {
    key: 'scim.journal',
    base: { sourceId: id },
    filters: {
      outcome: {
        label: t('Outcome'),
        options: [
          { value: 'done', label: t('Done') },
          { value: 'refused', label: t('Refused') },
        ],
      },
    },
  })
  return (
    <Section title={t('Journal')} intro={t('What was sent in the last 14 days, and what it did here.')}>
      <DataTable
        list={list}
        label={t('Journal')}
        search={false}
        views={false}
        rowId={(row) => row.id}
        rowName={(row) => `${row.method} ${row.path}`}
        columns={[
          { key: 'at', label: t('When'), cell: (row) => <DateTime at={row.at} />, csv: (row) => row.at },
          {
            key: 'path',
            label: t('Request'),
            link: (row) => (row.userId === undefined ? undefined : to(users.screens.view, { id: row.userId })),
            cell: (row) => `${row.method} ${row.path.replace(/([0-9a-f]{8})-[0-9a-f-]+/, '$1…')}`,
          },
          {
            key: 'status',
            label: t('Outcome'),
            aside: true,
            cell: (row) => <Status of={row.status < 400 ? 'done' : 'failed'} label={row.status < 400 ? t('Done') : t('Refused')} />,
            csv: (row) => String(row.status),
          },
          { key: 'effect', label: t('Effect'), cell: (row) => row.effect },
        ]}
        empty={{ title: t('Nothing was sent yet'), text: t('Changes stand here as soon as the identity provider sends the first one.') }}
      />
    </Section>
  )
}

function Replay({ id }: { id: string }) {
  const [answer, setAnswer] = useState<OutputOf<typeof scim.calls.replay>>()
  const [today] = useState(() => new Date().toISOString().slice(0, 10))
  return (
    <Section
      title={t('Try a day again')}
      intro={t('Does what was sent on a day once more, undoes all of it, and shows what would come out otherwise with the rules of now.')}
    >
      <Form call={scim.calls.replay} initial={{ sourceId: id, day: today }} submit={t('Replay requests')} guard={false} onDone={setAnswer}>
        {(form) => <DateField {...form.field('day')} label={t('Day')} />}
      </Form>
      {answer !== undefined && (
        <Alert role="status" title={t('{count, plural, one {# request} other {# requests}} tried', { count: answer.requests })}>
          {answer.different.length === 0 ? (
            t('All of them would come out as they did.')
          ) : (
            <Stack gap="xs">
              {answer.different.map((one) => (
                <Group key={one.id} gap="xs">
                  <Text size="sm">
                    {t('{request}: {before} becomes {now}', { request: `${one.method} ${one.path}`, before: one.before, now: one.now })}
                  </Text>
                </Group>
              ))}
            </Stack>
          )}
        </Alert>
      )}
    </Section>
  )
}
