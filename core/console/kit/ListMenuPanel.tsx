// What is needed now and then on a list, in one panel: export, the height of rows, views, columns, keys.

import { Button, Divider, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconDownload, IconKeyboard } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { setPreference, usePreference, type Density, type SavedView } from '../preferences.ts'
import { t } from '../text.ts'
import { ColumnChoice } from './ColumnPanel.tsx'
import type { PanelProps } from './panel-button.ts'
import { Panel } from './Panel.tsx'
import { ViewChoice } from './SavedViewsPanel.tsx'
import type { Column } from './table-columns.ts'

export type ListMenuPanelProps = PanelProps & {
  listKey: string
  columns: readonly Column<never>[]
  /** Those that are chosen and find no room. */
  out: ReadonlySet<string>
  views: false | readonly SavedView[]
  exporting: { label: string; busy: boolean; run: () => void } | undefined
  showKeys: () => void
}

export function ListMenuPanel({ panel, listKey, columns, out, views, exporting, showKeys }: ListMenuPanelProps) {
  const density = usePreference('density')
  return (
    <Panel panel={panel} label={t('List options')} position="bottom-end" p="sm" w={320}>
      {/* Scrolls outside the stack, whose entries would be squeezed to nothing instead. */}
      <div style={{ maxHeight: '70dvh', overflowY: 'auto' }}>
        <Stack gap="sm">
          {exporting !== undefined && (
            <Button
              variant="default"
              size="xs"
              justify="flex-start"
              aria-busy={exporting.busy}
              leftSection={<IconDownload size={16} stroke={1.8} aria-hidden />}
              onClick={exporting.run}
            >
              {exporting.label}
            </Button>
          )}
          <Part label={t('Height of rows')}>
            <SegmentedControl
              size="xs"
              fullWidth
              aria-label={t('Height of rows')}
              value={density}
              data={[
                { value: 'dense', label: t('Dense') },
                { value: 'normal', label: t('Normal') },
                { value: 'roomy', label: t('Roomy') },
              ]}
              onChange={(value) => setPreference('density', value as Density)}
            />
          </Part>
          {views !== false && (
            <Part label={t('Saved views')}>
              <ViewChoice listKey={listKey} first={views} close={panel.close} />
            </Part>
          )}
          {columns.length > 1 && (
            <Part label={t('Columns')}>
              <ColumnChoice listKey={listKey} columns={columns} out={out} />
            </Part>
          )}
          <Divider />
          <Button
            variant="subtle"
            size="xs"
            justify="flex-start"
            leftSection={<IconKeyboard size={16} stroke={1.8} aria-hidden />}
            onClick={() => {
              panel.close()
              showKeys()
            }}
          >
            {t('Keyboard shortcuts')}
          </Button>
        </Stack>
      </div>
    </Panel>
  )
}

function Part({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div role="group" aria-label={label}>
      <Text size="xs" fw={600} c="dimmed" mb={4}>
        {label}
      </Text>
      {children}
    </div>
  )
}
