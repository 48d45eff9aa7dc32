// A saved view is a named address of a list: its search, filters, sort and page size.

import { ActionIcon, Anchor, Button, Divider, Group, Stack, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { setPreference, usePreference, type SavedView } from '../preferences.ts'
import { t } from '../text.ts'

/** `first`: what somebody has who has neither saved nor removed one. */
export function ViewChoice({ listKey, first, close }: { listKey: string; first: readonly SavedView[]; close: () => void }) {
  const views = usePreference('views')
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const mine = views[listKey] ?? first
  const keep = (next: SavedView[]) => setPreference('views', { ...views, [listKey]: next })
  const save = (): void => {
    const named = name.trim()
    if (named === '') return
    keep([...mine.filter((view) => view.name !== named), { name: named, path: pathname, query: withoutPage(search) }])
    setName('')
  }
  return (
    <Stack gap="xs">
      {mine.map((view) => (
        <Group key={view.name} justify="space-between" wrap="nowrap">
          <Anchor
            component="button"
            type="button"
            onClick={() => {
              close()
              void navigate(view.path + view.query)
            }}
          >
            {view.name}
          </Anchor>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={t('Remove view {name}', { name: view.name })}
            onClick={() => keep(mine.filter((other) => other.name !== view.name))}
          >
            <IconX size={14} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      {mine.length > 0 && <Divider />}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <Group gap={6} wrap="nowrap" align="flex-end">
          <TextInput
            size="xs"
            label={t('Save this view as')}
            maxLength={60}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" size="xs" variant="default" style={{ flexShrink: 0 }}>
            {t('Save view')}
          </Button>
        </Group>
      </form>
    </Stack>
  )
}

function withoutPage(search: string): string {
  const stored = new URLSearchParams(search)
  stored.delete('page')
  return stored.size === 0 ? '' : `?${stored}`
}
