// The filters that have no button of their own.

import { FilterAccordion, type NamedChoices } from './FilterAccordion.tsx'
import type { PanelProps } from './panel-button.ts'
import { Panel } from './Panel.tsx'

export function MoreFiltersPanel({ panel, label, filters }: PanelProps & { label: string; filters: readonly NamedChoices[] }) {
  return (
    <Panel panel={panel} label={label} position="bottom-start" p={0} w={300}>
      <div style={{ maxHeight: 420, overflowY: 'auto' }}>
        <FilterAccordion filters={filters} />
      </div>
    </Panel>
  )
}
