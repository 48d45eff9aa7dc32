// The button for what is needed now and then on a list: export, columns, the height of rows, views, keys.

import { ActionIcon } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { Suspense } from 'react'
import { t } from '../text.ts'
import { Hint } from './Hint.tsx'
import type { ListMenuPanelProps } from './ListMenuPanel.tsx'
import { lazyPanel, usePanel } from './panel-button.ts'

const load = () => import('./ListMenuPanel.tsx')
const ListMenuPanel = lazyPanel(load)

export function ListMenu(props: Omit<ListMenuPanelProps, 'panel'>) {
  const { panel, target, wanted } = usePanel(load)
  return (
    <>
      <Hint label={t('Columns, views, export')}>
        <ActionIcon variant="default" size="lg" aria-label={t('List options')} {...target}>
          <IconDots size={18} stroke={1.8} aria-hidden />
        </ActionIcon>
      </Hint>
      {wanted && (
        <Suspense>
          <ListMenuPanel panel={panel} {...props} />
        </Suspense>
      )}
    </>
  )
}
