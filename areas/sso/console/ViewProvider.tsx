// One provider: what to register at its side, whether it is switched on, and which sign-ins were refused.

import { Alert, Stack } from '@mantine/core'
import { IconPencil, IconPlayerPlay, IconPower, IconTrash } from '@tabler/icons-react'
import { useNavigate, useParams } from 'react-router'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { sso } from '../contract.ts'
import { presets, refusals } from '../rules.ts'

type Provider = OutputOf<typeof sso.calls.provider>

export function ViewProvider() {
  const { id = '' } = useParams()
  const query = useCall(sso.calls.provider, { id })
  if (query.data !== undefined) return <Shown provider={query.data} />
  return (
    <Page title={t('Sign-in provider')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function Shown({ provider }: { provider: Provider }) {
  const navigate = useNavigate()
  const attempt = useSend(sso.calls.try)
  const state = useSend(sso.calls.setEnabled)
  const remove = useSend(sso.calls.remove)
  const { id, name, enabled } = provider

  const tryIt = async (): Promise<void> => {
    // Opened by the click itself: afterwards the browser would take it for a pop-up.
    const page = open('', '_blank')
    try {
      const { url } = await attempt.run({ id })
      if (page === null) location.assign(url)
      else page.location.href = url
    } catch {
      page?.close()
    }
  }
  const turn = async (): Promise<void> => {
    const sure =
      !enabled ||
      (await confirm({
        title: t('Switch off {name}?', { name }),
        consequence: t('Whoever signed in by it is signed out at once. Their accounts stay.'),
        action: t('Switch off'),
        keep: t('Leave it on'),
        danger: true,
      }))
    if (sure) await state.run({ id, enabled: !enabled }).catch(() => {})
  }
  const askAndRemove = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Remove {name}?', { name }),
      consequence: t('Whoever signed in by it is signed out at once, and cannot come back this way. Their accounts stay.'),
      action: t('Remove provider'),
      keep: t('Keep provider'),
      danger: true,
    })
    if (!sure) return
    try {
      await remove.run({ id })
      await navigate(to(sso.screens.list))
    } catch {}
  }
  return (
    <DetailPage
      title={name}
      status={<Status of={enabled ? 'active' : 'disabled'} />}
      actions={[
        { label: t('Try it'), icon: IconPlayerPlay, primary: true, needs: 'ssoConfig', onClick: () => void tryIt() },
        { label: enabled ? t('Switch off') : t('Switch on'), icon: IconPower, needs: 'ssoConfig', onClick: () => void turn() },
        { label: t('Edit provider'), icon: IconPencil, needs: 'ssoConfig', to: to(sso.screens.edit, { id }) },
        { label: t('Remove provider'), icon: IconTrash, danger: true, needs: 'ssoConfig', onClick: () => void askAndRemove() },
      ]}
      tabs={[
        {
          key: 'overview',
          label: t('Overview'),
          content: () => (
            <Stack gap="md">
              <FaultAlert fault={attempt.fault ?? state.fault ?? remove.fault} />
              <Overview provider={provider} />
            </Stack>
          ),
        },
        { key: 'refusals', label: t('Refused sign-ins'), content: () => <Refusals id={id} /> },
      ]}
    />
  )
}

function Overview({ provider }: { provider: Provider }) {
  const { issuer, clientId, redirectUri, preset, secretSetAt, people, lastSignInAt, domainStates, rules, enabled } = provider
  const unproved = domainStates.filter(({ proved }) => !proved).map(({ domain }) => domain)
  return (
    <>
      {!enabled && (
        <Alert title={t('Nobody signs in by this provider yet')}>
          {t('Register the redirect address at the provider, try it, then switch it on.')}
        </Alert>
      )}
      {unproved.length > 0 && (
        <Alert color="yellow" title={t('Some domains are not proved')}>
          {t('Nobody is led here, or linked, by an address of {domains}.', { domains: unproved.join(', ') })}
        </Alert>
      )}
      <Section title={t('At the provider')}>
        <Facts
          items={[
            { label: t('Redirect address'), value: <Mono value={redirectUri} />, copy: redirectUri },
            { label: t('Issuer'), value: <Mono value={issuer} /> },
            { label: t('Client ID'), value: <Mono value={clientId} /> },
            {
              label: t('Client secret'),
              value:
                secretSetAt === undefined ? (
                  t('None')
                ) : (
                  <>
                    {t('Stored')} <DateTime at={secretSetAt} />
                  </>
                ),
            },
            { label: t('Kind'), value: t(presets[preset].label) },
          ]}
        />
      </Section>
      <Section title={t('Here')}>
        <Facts
          items={[
            { label: t('People'), value: people },
            { label: t('Last sign-in'), value: lastSignInAt === undefined ? t('Never') : <DateTime at={lastSignInAt} /> },
            { label: t('E-mail domains'), value: domainStates.map(({ domain }) => domain).join(', ') },
            { label: t('Link accounts that exist'), value: provider.linkByAddress ? t('Yes') : t('No') },
            { label: t('Make accounts at the first sign-in'), value: provider.createAccounts ? t('Yes') : t('No') },
            { label: t('Rules'), value: rules.length },
          ]}
        />
      </Section>
    </>
  )
}

function Refusals({ id }: { id: string }) {
  const query = useCall(sso.calls.refusals, { id })
  return (
    <Loaded query={query}>
      {({ rows }) =>
        rows.length === 0 ? (
          <EmptyState
            title={t('No sign-in was refused')}
            text={t('Whoever is refused sees a reference and no reason. The reason stands here.')}
          />
        ) : (
          <SmallTable
            label={t('Refused sign-ins')}
            rows={rows}
            rowId={(row) => row.id}
            columns={[
              { label: t('Time'), cell: ({ at }) => <DateTime at={at} /> },
              {
                label: t('Reason'),
                plain: true,
                cell: ({ reason, detail }) => [t(refusals[reason]), detail].filter((text) => text !== '').join('. '),
              },
              { label: t('Person'), cell: ({ name }) => name },
              { label: t('Reference'), cell: ({ reference }) => <Mono value={reference} /> },
            ]}
          />
        )
      }
    </Loaded>
  )
}
