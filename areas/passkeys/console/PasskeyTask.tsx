// In self-service: who has no passkey yet is told what one is good for.

import { IconFingerprint } from '@tabler/icons-react'
import { useViewer } from '#core/console/bootstrap.ts'
import { TaskLink } from '#core/console/kit/TaskLink.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { passkeys } from '../contract.ts'

export function PasskeyTask() {
  const viewer = useViewer()
  const atHome = viewer.tenantId === viewer.homeTenantId
  const { data } = useCall(passkeys.calls.list, { userId: viewer.id }, { enabled: atHome })
  if (data === undefined || data.registeredCredentials.length > 0) return null
  return (
    <TaskLink
      icon={IconFingerprint}
      says={t('Add a passkey')}
      why={t('You then sign in with your finger, your face or the PIN of this device, without password and code.')}
      to={to(passkeys.screens.list, { userID: 'me' })}
    />
  )
}
