// The button of a list's columns.

import { ActionIcon } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import { Suspense } from 'react'
import { t } from '../text.ts'
import { Hint } from './Hint.tsx'
import { lazyPanel, usePanel } from './panel-button.ts'
import type { Column } from './table-columns.ts'

const load = () => import('./ColumnPanel.tsx')
const ColumnPanel = lazyPanel(load)

export function ColumnChooser<Row>({ listKey, columns }: { listKey: string; columns: readonly Column<Row>[] }) {
  const { panel, target, wanted } = usePanel(load)
  if (columns.length < 2) return null
  return (
    <>
      <Hint label={t('Columns')}>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('Columns')} {...target}>
          <IconColumns3 size={18} stroke={1.8} aria-hidden />
        </ActionIcon>
      </Hint>
      {wanted && (
        <Suspense>
          <ColumnPanel panel={panel} listKey={listKey} columns={columns} />
        </Suspense>
      )}
    </>
  )
}
