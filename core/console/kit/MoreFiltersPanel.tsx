// The filters that have no button of their own, one below the other.

import { Accordion, Text } from '@mantine/core'
import { formatNumber } from '../text.ts'
import { FilterChoices, type FilterChoicesProps } from './FilterChoices.tsx'
import type { PanelProps } from './panel-button.ts'
import { Panel } from './Panel.tsx'

export function MoreFiltersPanel({
  panel,
  label,
  filters,
}: PanelProps & { label: string; filters: readonly (FilterChoicesProps & { name: string })[] }) {
  return (
    <Panel panel={panel} label={label} position="bottom-start" p={0} w={300}>
      <div style={{ maxHeight: 420, overflowY: 'auto' }}>
        <Accordion multiple defaultValue={filters.filter(({ chosen }) => chosen.length > 0).map(({ name }) => name)} order={3}>
          {filters.map(({ name, ...choices }) => (
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
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      </div>
    </Panel>
  )
}
