// Which tenancy one works in, for those who may work in several.

import { Button } from '@mantine/core'
import { IconSelector } from '@tabler/icons-react'
import { Suspense } from 'react'
import { useViewer } from '../bootstrap.ts'
import { lazyPanel, usePanel } from '../kit/panel-button.ts'
import { t } from '../text.ts'
import classes from './TenantSwitcher.module.css'

const load = () => import('./TenantPanel.tsx')
const TenantPanel = lazyPanel(load)

export function TenantSwitcher() {
  const viewer = useViewer()
  const { panel, target, wanted } = usePanel(load)
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        px={8}
        className={classes['button'] ?? ''}
        rightSection={<IconSelector size={16} aria-hidden />}
        aria-label={t('Tenancy: {name}', { name: viewer.tenantName })}
        {...target}
      >
        <span className={classes['name']}>{viewer.tenantName}</span>
      </Button>
      {wanted && (
        <Suspense>
          <TenantPanel panel={panel} />
        </Suspense>
      )}
    </>
  )
}
