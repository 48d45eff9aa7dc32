// The providers of the tenancy, each with whether it is switched on.

import { Stack } from '@mantine/core'
import { IconPlus, IconWorldShare } from '@tabler/icons-react'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { sso } from '../contract.ts'
import { presets } from '../rules.ts'

export function Providers() {
  const query = useCall(sso.calls.providers, {})
  const add = (
    <LinkButton to={to(sso.screens.add)} leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}>
      {t('New provider')}
    </LinkButton>
  )
  const full = query.data !== undefined && query.data.rows.length >= query.data.mostProviders
  return (
    <Page
      title={t('Single sign-on')}
      intro={t('People sign in with the account that they have elsewhere, by OpenID Connect.')}
      actions={full || query.data?.rows.length === 0 ? undefined : add}
    >
      <Loaded query={query}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyState
              icon={IconWorldShare}
              title={t('No providers yet')}
              text={t(
                'Connect Microsoft Entra ID, Okta, Google Workspace, Keycloak or another provider. You try it before anybody signs in by it.',
              )}
              action={add}
            />
          ) : (
            <Stack>
              <SmallTable
                label={t('Providers')}
                rows={rows}
                rowId={({ id }) => id}
                columns={[
                  { label: t('Name'), cell: ({ id, name }) => <TextLink to={to(sso.screens.view, { id })}>{name}</TextLink> },
                  { label: t('Status'), aside: true, cell: ({ enabled }) => <Status of={enabled ? 'active' : 'disabled'} /> },
                  { label: t('Kind'), cell: ({ preset }) => t(presets[preset].label) },
                  { label: t('Issuer'), cell: ({ issuer }) => issuer },
                  { label: t('People'), cell: ({ people }) => people },
                  {
                    label: t('Last sign-in'),
                    cell: ({ lastSignInAt }) => (lastSignInAt === undefined ? t('Never') : <DateTime at={lastSignInAt} />),
                  },
                ]}
              />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  )
}
