// The numbers of a facet above its list, as tiles: pressing one filters the list by it, pressing it again takes the filter away.

import { UnstyledButton } from '@mantine/core'
import { formatNumber } from '../text.ts'
import classes from './FacetTiles.module.css'
import { chooseIn, choicesOf } from './FilterMenu.tsx'
import type { List } from './list.ts'
import { Status } from './Status.tsx'

type FacetTilesProps<Row> = {
  list: List<Row>
  /** The filter's name. */
  filter: string
  /** Values that get a tile only where there are some. */
  rare?: readonly string[]
}

export function FacetTiles<Row>({ list, filter: name, rare = [] }: FacetTilesProps<Row>) {
  const filter = list.filters[name]
  if (filter === undefined) return null
  const { options, counts, chosen } = choicesOf(list, name, filter)
  const shown = options.filter(({ value }) => !rare.includes(value) || (counts?.[value] ?? 0) > 0 || chosen.includes(value))
  return (
    <div data-strip className={classes['tiles']} role="group" aria-label={filter.label}>
      {shown.map(({ value, label }) => {
        const on = chosen.length === 1 && chosen[0] === value
        return (
          <UnstyledButton
            key={value}
            className={classes['tile'] ?? ''}
            aria-pressed={on}
            onClick={() => chooseIn(list, name, on ? [] : [value])}
          >
            <span className={classes['number']}>{counts === undefined ? '–' : formatNumber(counts[value] ?? 0)}</span>{' '}
            <Status of={value} label={label} />
          </UnstyledButton>
        )
      })}
    </div>
  )
}
