// Filters one below the other, each to be opened; what is chosen is open from the start.

import { Accordion, Text } from '@mantine/core'
import { formatNumber } from '../text.ts'
import { FilterChoices, type FilterChoicesProps } from './FilterChoices.tsx'

export type NamedChoices = FilterChoicesProps & { name: string }

export function FilterAccordion({ filters }: { filters: readonly NamedChoices[] }) {
  return (
    <Accordion multiple defaultValue={filters.filter(({ chosen }) => chosen.length > 0).map(({ name }) => name)} order={3}>
      {filters.map(({ name, below: Below, ...choices }) => (
        <Accordion.Item key={name} value={name}>
          <Accordion.Control px="sm">
            {choices.label}
            {choices.chosen.length > 0 && (
              <Text span c="dimmed" size="sm" ml={6}>
                {formatNumber(choices.chosen.length)}
              </Text>
            )}
          </Accordion.Control>
          <Accordion.Panel>
            <FilterChoices {...choices} />
            {Below !== undefined && <Below />}
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  )
}
