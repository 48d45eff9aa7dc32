// Merges another account of the same person into this one: what differs is chosen, what goes over and what ends is said before.

import { Alert, Button, Group, List, Radio, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { attributeNamed, isSensitive, attributeGroups, labelOf } from '#areas/users/attributes.ts'
import { users } from '#areas/users/contract.ts'
import { isMoveKind, moveKinds } from '#areas/users/move-words.ts'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { ConfirmDialog } from '#core/console/kit/ConfirmDialog.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { profiles } from '../contract.ts'
import { AttributeValue } from './AttributeValue.tsx'

type Preview = OutputOf<typeof profiles.calls.previewMerge>

export function MergeUsers() {
  const { id = '' } = useParams()
  const [otherId, setOtherId] = useState<string | null>(null)
  const { options, onSearch } = usePersonSearch()
  const kept = useCall(users.calls.read, { id }).data
  const query = useCall(profiles.calls.previewMerge, { id, otherId: otherId ?? '' }, { enabled: otherId !== null })
  return (
    <Page
      title={t('Merge two accounts')}
      intro={
        kept &&
        t('{name} ({username}) stays. Choose the other account of the same person: it goes, and what can go over comes here.', {
          name: `${kept.givenName} ${kept.familyName}`,
          username: kept.username,
        })
      }
      narrow
    >
      <Stack gap="md">
        <Select
          label={t('The account that goes')}
          searchable
          value={otherId}
          onChange={setOtherId}
          onSearchChange={onSearch}
          data={options.filter(({ value }) => value !== id)}
          filter={({ options: found }) => found}
        />
        {otherId !== null && (
          <Loaded query={query}>{(preview) => <Merging key={otherId} id={id} otherId={otherId} preview={preview} />}</Loaded>
        )}
      </Stack>
    </Page>
  )
}

function Merging({ id, otherId, preview }: { id: string; otherId: string; preview: Preview }) {
  const { keep, other, fields, moves, sealed, blocks } = preview
  const navigate = useNavigate()
  // What is known of one alone is taken over unless somebody says otherwise.
  const [take, setTake] = useState(() => fields.filter((one) => one.keep === '').map(({ name }) => name))
  const [asking, setAsking] = useState(false)
  const merge = useSend(profiles.calls.merge, { invalidates: ['users', 'audit', 'organisations', 'devices'] })
  const view = to(users.screens.view, { id })
  if (blocks.length > 0)
    return (
      <Alert color="yellow" title={t('{name} cannot be merged yet', { name: other.username })}>
        {t('These name the account that goes, and are ended or handed over first: {what}.', { what: blocks.join(', ') })}
      </Alert>
    )
  const ends = moves.filter(({ stays }) => stays > 0)
  const nameOf = (kind: string): string => (isMoveKind(kind) ? t(moveKinds[kind].label) : kind)
  return (
    <>
      <Section title={t('What differs')}>
        {fields.length === 0 ? (
          <Text c="dimmed">{t('Nothing is known of the other account that is not known here.')}</Text>
        ) : (
          fields.map((one) => (
            <Radio.Group
              key={one.name}
              label={t(labelOf(one.name))}
              value={take.includes(one.name) ? 'other' : 'keep'}
              onChange={(chosen) =>
                setTake((before) => [...before.filter((name) => name !== one.name), ...(chosen === 'other' ? [one.name] : [])])
              }
            >
              <Group gap="md" mt={4}>
                <Radio value="keep" label={one.keep === '' ? t('Nothing') : <Value name={one.name} value={one.keep} />} />
                <Radio value="other" label={<Value name={one.name} value={one.other} />} />
              </Group>
            </Radio.Group>
          ))
        )}
      </Section>
      <Section title={t('What happens')}>
        <List size="sm" spacing={4}>
          {moves
            .filter((one) => one.moves > 0)
            .map(({ kind, moves: count }) => (
              <List.Item key={kind}>{t('{kind}: {count, number} come here', { kind: nameOf(kind), count })}</List.Item>
            ))}
          {ends.map(({ kind, stays }) => (
            <List.Item key={`${kind} stays`}>
              {t('{kind}: {count, number} end with the other account', { kind: nameOf(kind), count: stays })}
            </List.Item>
          ))}
          {sealed.filter(isSensitive).map((group) => (
            <List.Item key={group}>
              {t('{group}: not taken over, and gone with the other account', { group: t(attributeGroups[group].title) })}
            </List.Item>
          ))}
          <List.Item>
            {t('Roles, password, codes, passkeys and API tokens of the other account end with it: nobody gains a right by a merge.')}
          </List.Item>
          <List.Item>{t('What the other account did stays in the audit log, under its own name.')}</List.Item>
        </List>
      </Section>
      <Group justify="flex-end">
        <Button color="red" onClick={() => setAsking(true)}>
          {t('Merge accounts')}
        </Button>
      </Group>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t('Merge {other} into {keep}?', { other: other.username, keep: keep.username })}
        consequence={t('The account {other} is gone for good, and its username is free for somebody else. This cannot be undone.', {
          other: other.username,
        })}
        action={t('Merge accounts')}
        keep={t('Keep both')}
        danger
        typeToConfirm={other.username}
        onConfirm={async () => {
          await merge.run({ id, otherId, take })
          navigate(view)
        }}
      />
    </>
  )
}

function Value({ name, value }: { name: string; value: string }) {
  const attribute = attributeNamed(name)
  return attribute === undefined ? value : <AttributeValue attribute={attribute} value={value} />
}
