// One token: how it is, what it can do, and the keys on it.

import { Stack } from '@mantine/core'
import { IconHeartbeat, IconPencil, IconTrash } from '@tabler/icons-react'
import { useNavigate, useParams } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { keys } from '../contract.ts'
import { keyAlgorithms } from '../rules.ts'
import { useTokenActions } from './token-actions.ts'
import { TokenState } from './TokenState.tsx'
import { TokenTrouble } from './TokenTrouble.tsx'

type Token = OutputOf<typeof keys.calls.view>

export function TokenPage() {
  const { id = '' } = useParams()
  const query = useCall(keys.calls.view, { tokenId: id })
  if (query.data !== undefined) return <OneToken token={query.data} />
  return (
    <Page title={t('HSM token')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function OneToken({ token }: { token: Token }) {
  const navigate = useNavigate()
  const may = useMay()
  const { check, remove } = useTokenActions()
  const removeAndLeave = async (): Promise<void> => {
    if (await remove(token)) await navigate(to(keys.screens.tokens))
  }
  return (
    <DetailPage
      title={token.name}
      status={<TokenState state={token.state} />}
      actions={[
        { label: t('Check token'), icon: IconHeartbeat, needs: 'HSMAuthenticate', onClick: () => void check(token) },
        { label: t('Edit token'), icon: IconPencil, needs: 'HSMAuthenticate', to: to(keys.screens.edit, { id: token.id }) },
        token.keys === 0 && {
          label: t('Remove token'),
          icon: IconTrash,
          danger: true,
          needs: 'HSMAuthenticate',
          onClick: () => void removeAndLeave(),
        },
      ]}
      tabs={[
        { key: 'overview', label: t('Overview'), content: () => <Overview token={token} /> },
        may('HSMobjectView') && { key: 'keys', label: t('Keys'), content: () => <KeysOnToken id={token.id} /> },
      ]}
    />
  )
}

function Overview({ token }: { token: Token }) {
  return (
    <Stack gap="md">
      <TokenTrouble state={token.state} />
      <Section title={t('Token')}>
        <Facts
          items={[
            { label: t('Label'), value: token.label },
            { label: t('Serial number'), value: <Mono value={token.serial} />, copy: token.serial },
            { label: t('Model'), value: token.model },
            { label: t('Manufacturer'), value: token.manufacturer },
            { label: t('PKCS#11 module'), value: token.module },
            { label: t('Makes keys'), value: token.algorithms.map((name) => keyAlgorithms[name].label).join(', ') },
            { label: t('Keys in use'), value: token.keys },
            { label: t('In this state since'), value: <DateTime at={token.stateSince} /> },
            { label: t('Registered'), value: <DateTime at={token.registeredAt} /> },
          ]}
        />
      </Section>
    </Stack>
  )
}

function KeysOnToken({ id }: { id: string }) {
  const query = useCall(keys.calls.keysOn, { tokenId: id })
  return (
    <Loaded query={query}>
      {({ keys: found }) =>
        found.length === 0 ? (
          <EmptyState title={t('No keys on this token')} text={t('A key is made on it when an authority is created with its key there.')} />
        ) : (
          <SmallTable
            label={t('Keys on this token')}
            rows={found}
            rowId={(key) => key.objectId}
            columns={[
              { label: t('Label'), cell: (key) => key.label },
              { label: t('Key'), aside: true, cell: (key) => keyAlgorithms[key.algorithm].label },
              { label: t('Used by an authority'), cell: (key) => (key.inUse ? t('Yes') : t('No')) },
              { label: t('Id on the token'), cell: (key) => <Mono value={key.objectId} /> },
            ]}
          />
        )
      }
    </Loaded>
  )
}
