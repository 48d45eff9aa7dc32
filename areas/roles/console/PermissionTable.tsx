// What a role grants, permission by permission and place by place: View opens screens, Menu puts them into the navigation, API lets the
// calls answer. What the viewer does not hold is greyed and says why.

import { Group, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconCheck, IconSearch } from '@tabler/icons-react'
import { memo, useCallback, useId, useMemo, useState } from 'react'
import { EmptyState } from '#core/console/kit/states.tsx'
import { t } from '#core/console/text.ts'
import { permissions, type Permission } from '#core/contract/permission-labels.ts'
import { permissionGroups } from '../groups.ts'
import type { Grants } from '../rules.ts'
import classes from './PermissionTable.module.css'

const places = ['view', 'menu', 'api'] as const
type Place = (typeof places)[number]

type PermissionTableProps = {
  grants: Grants
  /** Left out, the table is only read. */
  onChange?: (grants: Grants) => void
  /** What the viewer may not grant. */
  blacklist: readonly string[]
  /** What opens nothing yet. */
  unused?: readonly string[]
}

const nothing: readonly string[] = []

export function PermissionTable({ grants, onChange, blacklist, unused = nothing }: PermissionTableProps) {
  const [text, setText] = useState('')
  const [only, setOnly] = useState(onChange === undefined)
  const reason = useId()
  const refused = useMemo(() => new Set(blacklist), [blacklist])
  const held = useMemo(() => new Set([...grants.view, ...grants.menu, ...grants.api]), [grants])
  const wanted = text.trim().toLowerCase()
  const fits = (name: Permission) =>
    (wanted === '' || name.toLowerCase().includes(wanted) || t(permissions[name]).toLowerCase().includes(wanted)) &&
    (!only || held.has(name))
  const groups = permissionGroups.map((group) => ({ ...group, names: group.names.filter(fits) })).filter((group) => group.names.length > 0)
  const shown = groups.flatMap((group) => group.names)

  const set = useCallback(
    (names: readonly string[], where: readonly Place[], on: boolean) => {
      const free = names.filter((name) => !refused.has(name))
      const changed = where.map((place) => {
        const rest = grants[place].filter((name) => !free.includes(name))
        return [place, on ? [...rest, ...free] : rest] as const
      })
      onChange?.({ ...grants, ...Object.fromEntries(changed) })
    },
    [grants, onChange, refused],
  )
  const tick = (names: readonly string[], where: readonly Place[], label: string) => {
    const free = names.filter((name) => !refused.has(name))
    const most = free.length * where.length
    const count = where.reduce((sum, place) => sum + free.filter((name) => grants[place].includes(name)).length, 0)
    return (
      <Tick
        label={label}
        on={most > 0 && count === most}
        some={count > 0 && count < most}
        disabled={most === 0}
        readOnly={false}
        onChange={(on) => set(names, where, on)}
      />
    )
  }
  return (
    <Stack gap="xs">
      <Group gap="md">
        <TextInput
          type="search"
          aria-label={t('Filter permissions')}
          placeholder={t('Filter permissions')}
          leftSection={<IconSearch size={16} stroke={1.8} aria-hidden />}
          value={text}
          maxLength={100}
          flex={{ base: '1 1 100%', xs: '0 1 300px' }}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {onChange !== undefined && (
          <Switch label={t('Only what is granted')} checked={only} onChange={(event) => setOnly(event.currentTarget.checked)} />
        )}
        <Text size="sm" c="dimmed" role="status">
          {t('{count, plural, one {# permission granted} other {# permissions granted}}', { count: held.size })}
        </Text>
      </Group>
      {onChange !== undefined && blacklist.length > 0 && (
        <Text size="sm" c="dimmed" id={reason}>
          {t('Greyed: you do not hold it yourself, so you cannot give it away.')}
        </Text>
      )}
      {shown.length === 0 ? (
        <EmptyState title={wanted === '' ? t('Nothing is granted') : t('Nothing matches “{text}”', { text })} />
      ) : (
        <div className={classes['frame']}>
          <table className={classes['table']} aria-label={t('Permissions')}>
            <thead>
              <tr>
                <th scope="col">
                  <div className={classes['name']}>
                    {onChange !== undefined && tick(shown, places, t('All shown'))}
                    {t('Permission')}
                  </div>
                </th>
                {places.map((place) => (
                  <th key={place} scope="col" className={classes['mark']}>
                    <div>{placeLabels()[place].label}</div>
                    {onChange !== undefined && tick(shown, [place], t('{place}: all shown', { place: placeLabels()[place].label }))}
                  </th>
                ))}
              </tr>
            </thead>
            {groups.map((group) => (
              <tbody key={group.key}>
                <tr className={classes['group']}>
                  <th scope="rowgroup">
                    <div className={classes['name']}>
                      {onChange !== undefined && tick(group.names, places, t('All of {group}', { group: t(group.label) }))}
                      {t(group.label)}
                    </div>
                  </th>
                  {places.map((place) => (
                    <td key={place} className={classes['mark']}>
                      {onChange !== undefined &&
                        tick(
                          group.names,
                          [place],
                          t('{place}: all of {group}', { place: placeLabels()[place].label, group: t(group.label) }),
                        )}
                    </td>
                  ))}
                </tr>
                {group.names.map((name) => (
                  <Row
                    key={name}
                    name={name}
                    view={grants.view.includes(name)}
                    menu={grants.menu.includes(name)}
                    api={grants.api.includes(name)}
                    refused={refused.has(name)}
                    unused={unused.includes(name)}
                    reason={reason}
                    readOnly={onChange === undefined}
                    set={set}
                  />
                ))}
              </tbody>
            ))}
          </table>
        </div>
      )}
    </Stack>
  )
}

const placeLabels = (): Record<Place, { label: string }> => ({
  view: { label: t('View') },
  menu: { label: t('Menu') },
  api: { label: t('API') },
})

type RowProps = {
  name: Permission
  view: boolean
  menu: boolean
  api: boolean
  refused: boolean
  unused: boolean
  reason: string
  readOnly: boolean
  set: (names: readonly string[], where: readonly Place[], on: boolean) => void
}

const Row = memo(function Row({ name, refused, unused, reason, readOnly, set, ...on }: RowProps) {
  const label = t(permissions[name])
  const held = places.filter((place) => on[place]).length
  return (
    <tr
      {...(refused && !readOnly
        ? { 'aria-describedby': reason, className: classes['held'], title: t('You do not hold it yourself, so you cannot give it away.') }
        : {})}
    >
      <th scope="row">
        <div className={classes['name']}>
          {!readOnly && (
            <Tick
              label={t('All three: {permission}', { permission: label })}
              on={held === places.length}
              some={held > 0 && held < places.length}
              disabled={refused}
              readOnly={false}
              onChange={(granted) => set([name], places, granted)}
            />
          )}
          <span>
            <span className={classes['label']}>{label}</span> <span className={classes['wire']}>{name}</span>
            {unused && <span className={classes['wire']}> · {t('not in use yet')}</span>}
          </span>
        </div>
      </th>
      {places.map((place) => (
        <td key={place} className={classes['mark']}>
          <Tick
            label={`${placeLabels()[place].label}: ${label}`}
            on={on[place]}
            disabled={refused}
            readOnly={readOnly}
            onChange={(granted) => set([name], [place], granted)}
          />
        </td>
      ))}
    </tr>
  )
})

type TickProps = { label: string; on: boolean; some?: boolean; disabled: boolean; readOnly: boolean; onChange: (on: boolean) => void }

// Three hundred of them stand on one page: the browser's own checkbox is light enough.
function Tick({ label, on, some = false, disabled, readOnly, onChange }: TickProps) {
  if (readOnly)
    return on ? (
      <IconCheck size={18} stroke={2} color="var(--chancery-good)" aria-label={t('granted')} role="img" />
    ) : (
      <span aria-label={t('not granted')} role="img" />
    )
  return (
    <label className={classes['tick']}>
      <input
        type="checkbox"
        aria-label={label}
        checked={on}
        disabled={disabled}
        ref={(node) => {
          if (node !== null) node.indeterminate = some
        }}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  )
}
