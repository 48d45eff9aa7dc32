// Moves an organisation, or merges it into another, after it was shown what that does.

import { List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ConfirmDialog } from '#core/console/kit/ConfirmDialog.tsx'
import { SelectField } from '#core/console/kit/fields.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { organisations } from '../contract.ts'
import { useOrganisationSearch } from '../organisation-search.tsx'

type Moved = Pick<OutputOf<typeof organisations.calls.read>, 'id' | 'name' | 'version'>
type Preview = OutputOf<typeof organisations.calls.previewMove>
type MergePreview = OutputOf<typeof organisations.calls.previewMerge>

function TargetField({
  label,
  hint,
  row,
  target,
  onChange,
}: {
  label: string
  hint?: string
  row: Moved
  target: string | undefined
  onChange: (id: string | undefined) => void
}) {
  const { options, onSearch } = useOrganisationSearch((id) => id !== row.id)
  return (
    <SelectField
      name="target"
      value={target}
      onChange={onChange}
      onBlur={() => {}}
      error={undefined}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      options={options}
      onSearch={onSearch}
      clearable
    />
  )
}

export function MoveDialog({ row, onClose }: { row: Moved; onClose: () => void }) {
  const [target, setTarget] = useState<string>()
  const move = useSend(organisations.calls.move)
  const place = target === undefined ? {} : { parentId: target }
  const preview = useCall(organisations.calls.previewMove, { id: row.id, ...place })
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t('Move {name}?', { name: row.name })}
      consequence={t('All that stands below it goes along. Roles that were given above hold where they were given.')}
      action={t('Move organisation')}
      keep={t('Keep the place')}
      onConfirm={() => move.run({ id: row.id, version: row.version, ...place })}
    >
      <TargetField
        label={t('New place below')}
        hint={t('Leave it empty for the top of the tree')}
        row={row}
        target={target}
        onChange={setTarget}
      />
      <FaultAlert fault={preview.error ?? undefined} />
      {preview.data !== undefined && <Impact preview={preview.data} />}
    </ConfirmDialog>
  )
}

function Impact({ preview }: { preview: Preview }) {
  return (
    <Stack gap="xs" role="status">
      <Text size="sm">
        {t('{below, plural, =0 {Nothing goes along} one {# organisation goes along} other {# organisations go along}}', {
          below: preview.below,
        })}
      </Text>
      <Text size="sm">
        {t('{people, plural, =0 {Nobody belongs to it} one {# person belongs to it} other {# people belong to it}}', {
          people: preview.people,
        })}
      </Text>
      <Changes title={t('Roles that begin to hold there')} rows={preview.gains} />
      <Changes title={t('Roles that hold there no more')} rows={preview.loses} />
    </Stack>
  )
}

function Changes({ title, rows }: { title: string; rows: Preview['gains'] }) {
  if (rows.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <List size="sm">
        {rows.map(({ person, role, from }, at) => (
          <List.Item key={at}>
            {t('{person}: {role}, from {from}', { person: person === '' ? t('Somebody') : person, role, from })}
          </List.Item>
        ))}
      </List>
    </div>
  )
}

function MergeImpact({ preview }: { preview: MergePreview }) {
  return (
    <Stack gap="xs" role="status">
      <Text size="sm">
        {t('{people, plural, =0 {Nobody belongs to it} one {# person goes to the other} other {# people go to the other}}', {
          people: preview.people,
        })}
        {preview.already > 0 && ` ${t('({already} of them belong to it already)', { already: preview.already })}`}
      </Text>
      <Text size="sm">
        {t('{below, plural, =0 {Nothing goes along} one {# organisation goes along} other {# organisations go along}}', {
          below: preview.below,
        })}
      </Text>
      <Changes title={t('Roles that were given in it and end')} rows={preview.ends} />
      <Changes title={t('Roles that begin to hold there')} rows={preview.gains} />
      <Changes title={t('Roles that hold there no more')} rows={preview.loses} />
      {preview.hinders.length > 0 && (
        <div>
          <Text size="sm" fw={600}>
            {t('These have to be given to another organisation first')}
          </Text>
          <List size="sm">
            {preview.hinders.map(({ kind, count, path }) => (
              <List.Item key={kind}>
                <TextLink to={path}>{t('{kind}: {count, number}', { kind: t(kind), count })}</TextLink>
              </List.Item>
            ))}
          </List>
        </div>
      )}
    </Stack>
  )
}

export function MergeDialog({ row, onClose, onDone }: { row: Moved; onClose: () => void; onDone: (into: string) => void }) {
  const [target, setTarget] = useState<string>()
  const merge = useSend(organisations.calls.merge)
  const preview = useCall(organisations.calls.previewMerge, { id: row.id, intoId: target ?? '' }, { enabled: target !== undefined })
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t('Merge {name}?', { name: row.name })}
      consequence={t('Its people and what stands below it go to the other. It is deleted with the roles that were given in it.')}
      action={t('Merge organisation')}
      keep={t('Keep both')}
      danger
      onConfirm={async () => {
        if (target === undefined) return
        await merge.run({ id: row.id, intoId: target, version: row.version })
        onDone(target)
      }}
    >
      <TargetField label={t('Merge into')} row={row} target={target} onChange={setTarget} />
      {target !== undefined && <FaultAlert fault={preview.error ?? undefined} />}
      {target !== undefined && preview.data !== undefined && <MergeImpact preview={preview.data} />}
    </ConfirmDialog>
  )
}
