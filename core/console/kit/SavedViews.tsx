// The button of a list's saved views.

import { ActionIcon } from '@mantine/core'
import { IconBookmark } from '@tabler/icons-react'
import { Suspense } from 'react'
import { t } from '../text.ts'
import { Hint } from './Hint.tsx'
import { lazyPanel, usePanel } from './panel-button.ts'

const load = () => import('./SavedViewsPanel.tsx')
const SavedViewsPanel = lazyPanel(load)

export function SavedViews({ listKey }: { listKey: string }) {
  const { panel, target, wanted } = usePanel(load)
  return (
    <>
      <Hint label={t('Saved views')}>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('Saved views')} {...target}>
          <IconBookmark size={18} stroke={1.8} aria-hidden />
        </ActionIcon>
      </Hint>
      {wanted && (
        <Suspense>
          <SavedViewsPanel panel={panel} listKey={listKey} />
        </Suspense>
      )}
    </>
  )
}
