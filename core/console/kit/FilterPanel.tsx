// The values of one filter, below its button.

import { FilterChoices, type FilterChoicesProps } from './FilterChoices.tsx'
import type { PanelProps } from './panel-button.ts'
import { Panel } from './Panel.tsx'

export function FilterPanel({ panel, below: Below, ...choices }: PanelProps & FilterChoicesProps) {
  return (
    <Panel panel={panel} label={choices.label} position="bottom-start" p="xs">
      <div style={{ maxHeight: 320, overflowY: 'auto' }}>
        <FilterChoices {...choices} />
        {Below !== undefined && <Below />}
      </div>
    </Panel>
  )
}
