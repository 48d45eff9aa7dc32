// One authority: what it is, its chain and files, the addresses that stand in what it issues, what was done with it, and its bytes.

import { Loader, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconPlus, IconRefresh } from '@tabler/icons-react'
import { Suspense } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { toast } from '#core/console/toasts.ts'
import { authorityActions, authorityParts, type AuthorityTab } from '../authority-parts.ts'
import { authorities, type AuthorityView } from '../contract.ts'
import { AuthorityActivity } from './AuthorityActivity.tsx'
import { AuthorityChain } from './AuthorityChain.tsx'
import { AuthorityLife } from './AuthorityLife.tsx'
import { AuthorityOverview } from './AuthorityOverview.tsx'
import { AuthorityRaw } from './AuthorityRaw.tsx'
import { AuthorityState } from './AuthorityState.tsx'
import { createPath, renewPath } from './paths.ts'
import { PublicAddresses } from './PublicAddresses.tsx'
import { RenameAuthority } from './RenameAuthority.tsx'

export function AuthorityPage({ id }: { id: string }) {
  const query = useCall(authorities.calls.view, { caId: id })
  if (query.data !== undefined) return <OneAuthority authority={query.data} />
  return (
    <Page title={t('Authority')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function OneAuthority({ authority }: { authority: AuthorityView }) {
  const { id, kind, friendlyName, certified, issuing, status, certificate } = authority
  const offline = kind === 'offline'
  const setIssuing = useSend(authorities.calls.setIssuing, { invalidates: ['templates', 'certificates'] })
  const [renaming, rename] = useDisclosure(false)

  const switchIssuing = async (): Promise<void> => {
    const sure =
      !issuing ||
      (await confirm({
        title: t('Switch off issuing by {name}?', { name: friendlyName }),
        consequence: t(
          'It signs no more certificates until issuing is switched on again. What it has issued stays valid; revocation, CRL and OCSP go on.',
        ),
        action: t('Switch off issuing'),
        keep: t('Keep issuing'),
      }))
    if (!sure) return
    await setIssuing.run({ caId: id, issuing: !issuing }).then(
      () => toast({ kind: 'success', title: issuing ? t('Issuing switched off') : t('Issuing switched on') }),
      (error: unknown) => toastFault(error, t('Issuing was not changed')),
    )
  }

  return (
    <>
      <DetailPage
        title={friendlyName}
        status={<AuthorityState authority={authority} />}
        intro={authority.subject}
        actions={[
          status === 'ActiveCert' &&
            issuing &&
            certificate?.pathLength !== 0 && { label: t('New authority below it'), icon: IconPlus, to: createPath('subordinate', id) },
          { label: t('Rename authority'), icon: IconPencil, onClick: rename.open },
          offline && status === 'ActiveCert' && { label: t('New authority below it'), icon: IconPlus, to: createPath('outside', id) },
          certified && !offline && { label: t('Renew authority'), icon: IconRefresh, to: renewPath(id) },
          certified &&
            !offline &&
            authority.revocation === undefined && {
              label: issuing ? t('Switch off issuing') : t('Switch on issuing'),
              icon: issuing ? IconPlayerPause : IconPlayerPlay,
              danger: issuing,
              onClick: () => void switchIssuing(),
            },
          ...(certified && !offline && authority.revocation === undefined
            ? authorityActions().map(({ label, icon, to, danger = false }) => ({ label: label(), icon, danger, to: to(id) }))
            : []),
        ]}
        tabs={[
          { key: 'overview', label: t('Overview'), content: () => <AuthorityOverview authority={authority} /> },
          certified && { key: 'chain', label: t('Chain and files'), content: () => <AuthorityChain authority={authority} /> },
          {
            key: 'addresses',
            label: t('CRL & OCSP'),
            content: () => (
              <Stack gap="md">
                <PublicAddresses authority={authority} />
                {certified && <Parts of={offline ? 'offline' : 'addresses'} caId={id} />}
              </Stack>
            ),
          },
          certified &&
            !offline &&
            authorityParts('health').length > 0 && { key: 'health', label: t('Health'), content: () => <Parts of="health" caId={id} /> },
          certified && { key: 'life', label: t('Own certificates'), content: () => <AuthorityLife authority={authority} /> },
          { key: 'activity', label: t('Activity'), content: () => <AuthorityActivity id={id} /> },
          certified && { key: 'raw', label: t('Raw'), content: () => <AuthorityRaw authority={authority} /> },
        ]}
      />
      <RenameAuthority id={id} friendlyName={friendlyName} opened={renaming} onClose={rename.close} />
    </>
  )
}

/** What the rooms above offer for a tab. */
function Parts({ of, caId }: { of: AuthorityTab; caId: string }) {
  return (
    <Suspense fallback={<Loader size="sm" />}>
      <Stack gap="md">
        {authorityParts(of).map(({ key, load: Part }) => (
          <Part key={key} caId={caId} />
        ))}
      </Stack>
    </Suspense>
  )
}
