// The passkeys of somebody: one's own at `me`, or of another user.

import { Alert, Text } from '@mantine/core'
import { useParams } from 'react-router'
import { useViewer } from '#core/console/bootstrap.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { passkeys } from '../contract.ts'
import { AddPasskey } from './AddPasskey.tsx'
import { PasskeyList } from './PasskeyList.tsx'

export function Passkeys() {
  const { userID = 'me' } = useParams()
  const viewer = useViewer()
  const userId = userID === 'me' ? viewer.id : userID
  const own = userId === viewer.id
  const away = own && viewer.tenantId !== viewer.homeTenantId
  const { data } = useCall(passkeys.calls.list, { userId }, { enabled: !own })
  if (away)
    return (
      <Page title={t('My passkeys')}>
        <Alert>{t('You work in another tenancy now. Your own passkeys are shown where your account lives: switch back to it.')}</Alert>
      </Page>
    )
  return (
    <Page
      title={own ? t('My passkeys') : data === undefined ? t('Passkeys') : t('Passkeys of {name}', { name: data.displayName })}
      actions={own && <AddPasskey userId={userId} />}
    >
      <PasskeyList userId={userId} />
      {own && (
        <Text size="sm" c="dimmed">
          {t('A synced passkey is on all your devices. One that stays on its device, such as a security key, is lost with it: add two.')}
        </Text>
      )}
    </Page>
  )
}
