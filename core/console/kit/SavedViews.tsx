// A saved view is a named address of a list: its search, filters, sort and page size.

import { ActionIcon, Button, Divider, Group, Stack, TextInput, Tooltip, Popover, Anchor } from '@mantine/core'
import { IconBookmark, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { setPreference, usePreference, type SavedView } from '../preferences.ts'
import { t } from '../text.ts'
import type { List } from './list.ts'

export function SavedViews<Row>({ list }: { list: List<Row> }) {
  const views = usePreference('views')
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [open, setOpen] = useState(false)
  const mine = views[list.key] ?? []
  const keep = (next: SavedView[]) => setPreference('views', { ...views, [list.key]: next })
  const save = (): void => {
    const named = name.trim()
    if (named === '') return
    keep([...mine.filter((view) => view.name !== named), { name: named, path: pathname, query: withoutPage(search) }])
    setName('')
  }
  return (
    <Popover position="bottom-end" trapFocus returnFocus opened={open} onChange={setOpen}>
      <Popover.Target>
        <Tooltip label={t('Saved views')}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('Saved views')} aria-expanded={open} onClick={() => setOpen(!open)}>
            <IconBookmark size={18} stroke={1.8} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p="xs" miw={260} aria-label={t('Saved views')}>
        <Stack gap="xs">
          {mine.map((view) => (
            <Group key={view.name} justify="space-between" wrap="nowrap">
              <Anchor
                component="button"
                type="button"
                onClick={() => {
                  setOpen(false)
                  void navigate(view.path + view.query)
                }}
              >
                {view.name}
              </Anchor>
              <ActionIcon size="sm" variant="subtle" color="gray" aria-label={t('Remove view {name}', { name: view.name })} onClick={() => keep(mine.filter((other) => other.name !== view.name))}>
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
              <TextInput size="xs" label={t('Save this view as')} maxLength={60} value={name} onChange={(event) => setName(event.currentTarget.value)} />
              <Button type="submit" size="xs" variant="default">
                {t('Save view')}
              </Button>
            </Group>
          </form>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function withoutPage(search: string): string {
  const kept = new URLSearchParams(search)
  kept.delete('page')
  return kept.size === 0 ? '' : `?${kept}`
}
