// The buttons of a list's filters: one for each that is used daily, and one for the others. A button keeps its width, whatever is chosen; what is chosen stands
// in the line below, so that nothing jumps.

import { Button, VisuallyHidden } from '@mantine/core'
import { IconAdjustmentsHorizontal, IconChevronDown } from '@tabler/icons-react'
import { Suspense } from 'react'
import { formatNumber, t } from '../text.ts'
import type { Filter, FilterOption } from './filter.ts'
import type { FilterChoicesProps } from './FilterChoices.tsx'
import type { List } from './list.ts'
import { lazyPanel, usePanel } from './panel-button.ts'

const load = () => import('./FilterPanel.tsx')
const FilterPanel = lazyPanel(load)
const loadMore = () => import('./MoreFiltersPanel.tsx')
const MoreFiltersPanel = lazyPanel(loadMore)
const loadSheet = () => import('./FiltersSheet.tsx')
const FiltersSheet = lazyPanel(loadSheet)

export function FilterMenu<Row>({ list, name, filter }: { list: List<Row>; name: string; filter: Filter }) {
  const { panel, target, wanted } = usePanel(load)
  const choices = choicesOf(list, name, filter)
  return (
    <>
      <FilterButton label={filter.label} chosen={chosenLabels(choices)} target={target} />
      {wanted && (
        <Suspense>
          <FilterPanel panel={panel} {...choices} />
        </Suspense>
      )}
    </>
  )
}

export function MoreFilters<Row>({ list, filters }: { list: List<Row>; filters: readonly (readonly [string, Filter])[] }) {
  const { panel, target, wanted } = usePanel(loadMore)
  const all = filters.map(([name, filter]) => ({ name, ...choicesOf(list, name, filter) }))
  const label = t('More filters')
  return (
    <>
      <FilterButton label={label} chosen={all.flatMap(chosenLabels)} target={target} more />
      {wanted && (
        <Suspense>
          <MoreFiltersPanel panel={panel} label={label} filters={all} />
        </Suspense>
      )}
    </>
  )
}

/** On a telephone: one button for all. */
export function AllFilters<Row>({ list, filters }: { list: List<Row>; filters: readonly (readonly [string, Filter])[] }) {
  const { panel, target, wanted } = usePanel(loadSheet)
  const all = filters.map(([name, filter]) => ({ name, ...choicesOf(list, name, filter) }))
  const label = t('Filters')
  return (
    <>
      <FilterButton label={label} chosen={all.flatMap(chosenLabels)} target={target} more />
      {wanted && (
        <Suspense>
          <FiltersSheet panel={panel} label={label} filters={all} total={list.answer?.total ?? 0} />
        </Suspense>
      )}
    </>
  )
}

type ButtonProps = { label: string; chosen: readonly string[]; target: ReturnType<typeof usePanel>['target']; more?: boolean }

/** A place for the number of what is chosen is kept free. */
function FilterButton({ label, chosen, target, more = false }: ButtonProps) {
  return (
    <Button
      size="sm"
      px="sm"
      fw={400}
      variant={chosen.length > 0 ? 'light' : 'default'}
      {...(more ? { leftSection: <IconAdjustmentsHorizontal size={15} stroke={1.8} aria-hidden /> } : {})}
      rightSection={
        <>
          <span aria-hidden style={{ minWidth: 12, fontWeight: 600 }}>
            {chosen.length === 0 ? '' : formatNumber(chosen.length)}
          </span>
          <IconChevronDown size={14} aria-hidden />
        </>
      }
      {...target}
    >
      {label}
      {chosen.length > 0 && <VisuallyHidden>{`: ${chosen.join(', ')}`}</VisuallyHidden>}
    </Button>
  )
}

export function choicesOf<Row>(list: List<Row>, name: string, filter: Filter): FilterChoicesProps {
  const chosen = list.state.filters[name] ?? []
  const counts = list.answer?.facets?.[name]
  return {
    label: filter.label,
    many: filter.many === true,
    options: offered(filter, counts, chosen),
    counts,
    more: list.answer?.more === true,
    chosen,
    ...(filter.onSearch === undefined ? {} : { onSearch: filter.onSearch }),
    choose: (values) => chooseIn(list, name, values),
    ...(filter.below === undefined ? {} : { below: filter.below }),
  }
}

export function chooseIn<Row>(list: List<Row>, name: string, values: readonly string[]): void {
  const { [name]: _, ...others } = list.state.filters
  list.change({ filters: values.length === 0 ? others : { ...others, [name]: [...values] } })
}

export const chosenLabels = ({ options, chosen }: Pick<FilterChoicesProps, 'options' | 'chosen'>): string[] =>
  options.filter((option) => chosen.includes(option.value)).map((option) => option.label)

/** The filter's own options, else the facet's values; a chosen value is offered even where no row has it. */
function offered(filter: Filter, counts: Record<string, number> | undefined, chosen: readonly string[]): FilterOption[] {
  const word = filter.word ?? ((value: string) => value)
  const options = [...(filter.options ?? Object.keys(counts ?? {}).map((value) => ({ value, label: word(value) })))]
  for (const value of chosen) if (!options.some((option) => option.value === value)) options.push({ value, label: word(value) })
  return options
}
