// All filters of a list on a telephone: a sheet from below, in place of a row of buttons that takes three lines.

import { Button, Drawer } from '@mantine/core'
import { t } from '../text.ts'
import { FilterAccordion, type NamedChoices } from './FilterAccordion.tsx'
import type { PanelProps } from './panel-button.ts'
import { useDrawn } from './Panel.tsx'

type FiltersSheetProps = PanelProps & { label: string; filters: readonly NamedChoices[]; total: number }

export function FiltersSheet({ panel, label, filters, total }: FiltersSheetProps) {
  const drawn = useDrawn()
  return (
    <Drawer
      id={panel.id}
      opened={panel.open && drawn}
      onClose={panel.close}
      position="bottom"
      title={label}
      styles={{ content: { height: 'auto', maxHeight: '85dvh' } }}
    >
      <FilterAccordion filters={filters} />
      <Button fullWidth mt="md" pos="sticky" bottom={16} onClick={panel.close}>
        {t('Show {count, plural, one {# row} other {# rows}}', { count: total })}
      </Button>
    </Drawer>
  )
}
