// One filter of a list: its values with how many rows each has.

import { Button, Checkbox, Popover, Radio, Stack, Text } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { formatNumber, t } from '../text.ts'
import type { Filter, FilterOption, List } from './list.ts'

export function FilterMenu<Row>({ list, name, filter }: { list: List<Row>; name: string; filter: Filter }) {
  const chosen = list.state.filters[name] ?? []
  const counts = list.answer?.facets?.[name]
  const options = offered(filter, counts, chosen)
  const set = (values: string[]): void => {
    const { [name]: _, ...others } = list.state.filters
    list.change({ filters: values.length === 0 ? others : { ...others, [name]: values } })
  }
  const words = options.filter((option) => chosen.includes(option.value)).map((option) => option.label)
  return (
    <Popover position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button size="sm" px="sm" fw={400} variant={chosen.length > 0 ? 'light' : 'default'} rightSection={<IconChevronDown size={14} aria-hidden />}>
          {chosen.length === 0 ? filter.label : t('{label}: {values}', { label: filter.label, values: words.length > 2 ? formatNumber(words.length) : words.join(', ') })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" aria-label={filter.label}>
        <div style={{ maxHeight: 320, overflowY: 'auto' }}>
          {filter.many === true ? (
            <Stack gap={6} role="group" aria-label={filter.label}>
              {options.map((option) => (
                <Checkbox
                  key={option.value}
                  label={<OptionLabel option={option} count={counts?.[option.value]} />}
                  checked={chosen.includes(option.value)}
                  onChange={(event) => set(event.currentTarget.checked ? [...chosen, option.value] : chosen.filter((value) => value !== option.value))}
                />
              ))}
            </Stack>
          ) : (
            <Radio.Group value={chosen[0] ?? ''} onChange={(value) => set(value === '' ? [] : [value])} aria-label={filter.label}>
              <Stack gap={6}>
                <Radio value="" label={t('Any')} />
                {options.map((option) => (
                  <Radio key={option.value} value={option.value} label={<OptionLabel option={option} count={counts?.[option.value]} />} />
                ))}
              </Stack>
            </Radio.Group>
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}

function OptionLabel({ option, count }: { option: FilterOption; count: number | undefined }) {
  return (
    <>
      {option.label}
      {count !== undefined && (
        <Text span c="dimmed" size="sm" ml={6}>
          {formatNumber(count)}
        </Text>
      )}
    </>
  )
}

/** The filter's own options, else the facet's values; a chosen value is offered even where no row has it. */
function offered(filter: Filter, counts: Record<string, number> | undefined, chosen: readonly string[]): FilterOption[] {
  const word = filter.word ?? ((value: string) => value)
  const options = [...(filter.options ?? Object.keys(counts ?? {}).map((value) => ({ value, label: word(value) })))]
  for (const value of chosen) if (!options.some((option) => option.value === value)) options.push({ value, label: word(value) })
  return options
}
