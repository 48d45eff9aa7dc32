import { IconFingerprint } from '@tabler/icons-react'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchPageSize } from '#core/contract/search.ts'
import { fidosync } from '../contract.ts'
import { credentialStates, stateLabels } from '../rules.ts'

const question = {
  key: 'fidosync.all',
  filters: { state: { many: true }, unknown: { read: (text: string) => text === 'true' } },
  sort: 'account',
  direction: 'asc',
  size: searchPageSize,
} as const

SyncedCredentials.ask = (address: URLSearchParams) => askForList(fidosync.calls.search, question, address)

export function SyncedCredentials() {
  const may = useMay()
  const list = useList(fidosync.calls.search, {
    ...question,
    ahead: question,
    filters: {
      state: { label: t('Status'), many: true, options: credentialStates.map((value) => ({ value, label: t(stateLabels[value].label) })) },
      unknown: {
        label: t('Person'),
        options: [{ value: 'true', label: t('No account here') }],
        read: (text) => text === 'true',
      },
    },
  })
  const provider = may('ssoConfig', 'View') ? (
    <LinkButton to={to(fidosync.screens.provider)} variant="default">
      {t('Provider of passkeys')}
    </LinkButton>
  ) : undefined
  return (
    <Page title={t('Provider credentials')} actions={provider}>
      <DataTable
        list={list}
        label={t('Provider credentials')}
        search={t('Account, name, model or id')}
        rowId={(row) => row.id}
        rowName={(row) => row.customName || row.providerName || row.credentialId}
        columns={[
          {
            key: 'name',
            label: t('Name'),
            link: (row) => to(fidosync.screens.view, { id: row.credentialId }),
            cell: (row) => row.customName || row.providerName || row.model || row.credentialId,
            csv: (row) => row.customName || row.providerName,
          },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={stateLabels[row.state].kind} label={t(stateLabels[row.state].label)} />,
            csv: (row) => row.state,
          },
          {
            key: 'account',
            label: t('Account at the provider'),
            sort: true,
            phone: 'named',
            cell: (row) => row.account,
            csv: (row) => row.account,
          },
          {
            key: 'person',
            label: t('Person'),
            cell: (row) => row.person?.name ?? t('No account here'),
            csv: (row) => row.person?.name ?? '',
          },
          { key: 'model', label: t('Model'), phone: false, cell: (row) => row.model, csv: (row) => row.model },
          {
            key: 'createdAt',
            label: t('Created'),
            sort: true,
            phone: false,
            cell: (row) => row.createdAt !== undefined && <DateTime at={row.createdAt} dateOnly />,
            csv: (row) => row.createdAt ?? '',
          },
          {
            key: 'seenAt',
            label: t('Last sync'),
            sort: true,
            phone: false,
            priority: 0,
            cell: (row) => <DateTime at={row.seenAt} />,
            csv: (row) => row.seenAt,
          },
        ]}
        empty={{
          icon: IconFingerprint,
          title: t('No provider credentials'),
          text: t('Connect Microsoft Entra, and the passkeys and security keys that people have there are listed here.'),
          action: provider,
        }}
      />
    </Page>
  )
}
