// The values of a filter, each with how many rows have it.

import { Checkbox, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useState, type ComponentType } from 'react'
import { countedUpTo } from '#core/contract/shapes.ts'
import { formatNumber, t } from '../text.ts'
import type { FilterOption } from './filter.ts'

export type FilterChoicesProps = {
  label: string
  many: boolean
  options: readonly FilterOption[]
  counts: Record<string, number> | undefined
  /** Whether a count of `countedUpTo` says "at least so many". */
  more?: boolean
  chosen: readonly string[]
  onSearch?: (text: string) => void
  choose: (values: string[]) => void
  below?: ComponentType
}

export function FilterChoices({ onSearch, ...choices }: FilterChoicesProps) {
  if (onSearch === undefined) return <Choices {...choices} />
  return (
    <Stack gap="xs">
      <ChoiceSearch label={choices.label} onSearch={onSearch} />
      <Choices {...choices} />
    </Stack>
  )
}

function ChoiceSearch({ label, onSearch }: { label: string; onSearch: (text: string) => void }) {
  const [typed, type] = useState('')
  return (
    <TextInput
      type="search"
      size="xs"
      maxLength={200}
      aria-label={t('Search: {label}', { label })}
      placeholder={t('Type a name')}
      value={typed}
      onChange={(event) => {
        type(event.currentTarget.value)
        onSearch(event.currentTarget.value)
      }}
    />
  )
}

function Choices({ label, many, options, counts, more = false, chosen, choose }: Omit<FilterChoicesProps, 'onSearch'>) {
  return many ? (
    <Stack gap={6} role="group" aria-label={label}>
      {options.map((option) => (
        <Checkbox
          key={option.value}
          label={<OptionLabel option={option} count={counts?.[option.value]} more={more} />}
          checked={chosen.includes(option.value)}
          onChange={(event) =>
            choose(event.currentTarget.checked ? [...chosen, option.value] : chosen.filter((value) => value !== option.value))
          }
        />
      ))}
    </Stack>
  ) : (
    <Radio.Group value={chosen[0] ?? ''} onChange={(value) => choose(value === '' ? [] : [value])} aria-label={label}>
      <Stack gap={6}>
        <Radio value="" label={t('Any')} />
        {options.map((option) => (
          <Radio
            key={option.value}
            value={option.value}
            label={<OptionLabel option={option} count={counts?.[option.value]} more={more} />}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}

function OptionLabel({ option, count, more }: { option: FilterOption; count: number | undefined; more: boolean }) {
  return (
    <>
      {option.label}
      {count !== undefined && (
        <Text span c="dimmed" size="sm" ml={6}>
          {formatNumber(count) + (more && count === countedUpTo ? '+' : '')}
        </Text>
      )}
    </>
  )
}
