// Passkeys on the page of the own account: how many, and the way to them.

import { Text } from '@mantine/core'
import { useViewer } from '#core/console/bootstrap.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { passkeys } from '../contract.ts'

export function AccountPasskeys() {
  const viewer = useViewer()
  const query = useCall(passkeys.calls.list, { userId: viewer.id }, { enabled: viewer.tenantId === viewer.homeTenantId })
  if (viewer.tenantId !== viewer.homeTenantId) return null
  return (
    <Section
      title={t('Passkeys')}
      actions={
        <LinkButton variant="default" size="xs" to={to(passkeys.screens.list, { userID: 'me' })}>
          {t('Manage passkeys')}
        </LinkButton>
      }
    >
      <Loaded query={query} lines={1}>
        {({ registeredCredentials }) => (
          <Text size="sm">
            {registeredCredentials.length === 0
              ? t('You have none yet. With one you sign in without password and code.')
              : t('{count, plural, one {# passkey signs you in} other {# passkeys sign you in}}', { count: registeredCredentials.length })}
          </Text>
        )}
      </Loaded>
    </Section>
  )
}
