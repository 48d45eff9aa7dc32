// The button of the person's own panel.

import { ActionIcon } from '@mantine/core'
import { IconUserCircle } from '@tabler/icons-react'
import { Suspense } from 'react'
import { useViewer } from '../bootstrap.ts'
import { lazyPanel, usePanel } from '../kit/panel-button.ts'
import { t } from '../text.ts'

const load = () => import('./AccountPanel.tsx')
const AccountPanel = lazyPanel(load)

export function AccountMenu() {
  const { names, username } = useViewer()
  const { panel, target, wanted } = usePanel(load)
  const name = `${names.givenName} ${names.familyName}`.trim() || username
  return (
    <>
      <ActionIcon variant="subtle" color="gray" size={32} aria-label={t('Account of {name}', { name })} {...target}>
        <IconUserCircle size={21} stroke={1.7} aria-hidden />
      </ActionIcon>
      {wanted && (
        <Suspense>
          <AccountPanel panel={panel} name={name} />
        </Suspense>
      )}
    </>
  )
}
