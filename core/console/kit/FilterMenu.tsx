// The button of one filter of a list: says what is chosen.

import { Button } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { Suspense } from 'react'
import { formatNumber, t } from '../text.ts'
import type { Filter, FilterOption } from './filter.ts'
import type { List } from './list.ts'
import { lazyPanel, usePanel } from './panel-button.ts'

const load = () => import('./FilterPanel.tsx')
const FilterPanel = lazyPanel(load)

export function FilterMenu<Row>({ list, name, filter }: { list: List<Row>; name: string; filter: Filter }) {
  const { panel, target, wanted } = usePanel(load)
  const chosen = list.state.filters[name] ?? []
  const counts = list.answer?.facets?.[name]
  const options = offered(filter, counts, chosen)
  const choose = (values: string[]): void => {
    const { [name]: _, ...others } = list.state.filters
    list.change({ filters: values.length === 0 ? others : { ...others, [name]: values } })
  }
  const labels = options.filter((option) => chosen.includes(option.value)).map((option) => option.label)
  return (
    <>
      <Button
        size="sm"
        px="sm"
        fw={400}
        variant={chosen.length > 0 ? 'light' : 'default'}
        rightSection={<IconChevronDown size={14} aria-hidden />}
        {...target}
      >
        {chosen.length === 0
          ? filter.label
          : t('{label}: {values}', { label: filter.label, values: labels.length > 2 ? formatNumber(labels.length) : labels.join(', ') })}
      </Button>
      {wanted && (
        <Suspense>
          <FilterPanel
            panel={panel}
            label={filter.label}
            many={filter.many === true}
            options={options}
            counts={counts}
            chosen={chosen}
            choose={choose}
          />
        </Suspense>
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
