// Where in the list, how many there are, and the ways to turn: previous, next, ten pages at a time, and a jump to any page.

import { ActionIcon, Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { pageSizes } from '#core/contract/shapes.ts'
import { formatNumber, t } from '../text.ts'
import { pageBlock } from './list-state.ts'
import type { List } from './list.ts'

export function ListPager<Row>({ list }: { list: List<Row> }) {
  const { page, size } = list.state
  const { rows = [], total = 0, more = false } = list.answer ?? {}
  if (list.answer === undefined || total === 0) return null
  const first = (page - 1) * size + 1
  const range = { first: formatNumber(first), last: formatNumber(first + rows.length - 1), total: formatNumber(total) + (more ? '+' : '') }
  // Past the end the pages are those before it.
  const block = pageBlock(Math.min(page, list.lastPage), list.lastPage)
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {rows.length > 0 && t('{first} to {last} of {total}', range)}
      </Text>
      <Group gap="xs" component="nav" aria-label={t('Pages')}>
        {list.lastPage > 1 && (
          <>
            <ActionIcon
              variant="default"
              aria-label={t('Previous page')}
              aria-disabled={page === 1}
              onClick={() => page > 1 && list.turn(Math.min(page - 1, list.lastPage))}
            >
              <IconChevronLeft size={16} aria-hidden />
            </ActionIcon>
            <Group gap={2} visibleFrom="sm">
              {block.map((number) => (
                <Button
                  key={number}
                  size="compact-sm"
                  variant={number === page ? 'light' : 'subtle'}
                  color={number === page ? '' : 'gray'}
                  aria-label={t('Page {page}', { page: number })}
                  {...(number === page ? { 'aria-current': 'page' as const } : {})}
                  onClick={() => list.turn(number)}
                >
                  {formatNumber(number)}
                </Button>
              ))}
            </Group>
            <ActionIcon
              variant="default"
              aria-label={t('Next page')}
              aria-disabled={page >= list.lastPage}
              onClick={() => page < list.lastPage && list.turn(page + 1)}
            >
              <IconChevronRight size={16} aria-hidden />
            </ActionIcon>
            {list.lastPage > block.length && <PageJump key={page} page={page} last={list.lastPage} onJump={list.turn} />}
          </>
        )}
        <NativeSelect
          size="xs"
          aria-label={t('Rows on a page')}
          value={String(size)}
          data={pageSizes.map((choice) => ({ value: String(choice), label: t('{count} rows', { count: choice }) }))}
          onChange={(event) => list.change({ size: Number(event.currentTarget.value) })}
        />
      </Group>
    </Group>
  )
}

function PageJump({ page, last, onJump }: { page: number; last: number; onJump: (page: number) => void }) {
  const [typed, setTyped] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const wanted = Number(typed)
        if (Number.isInteger(wanted) && wanted >= 1) onJump(Math.min(wanted, last))
      }}
    >
      <TextInput
        size="xs"
        w={90}
        inputMode="numeric"
        aria-label={t('Go to page, 1 to {last}', { last })}
        placeholder={t('{page} of {last}', { page, last })}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </form>
  )
}
