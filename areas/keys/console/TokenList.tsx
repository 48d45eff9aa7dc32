// The tokens of the tenancy, each with how it is now.

import { IconUsb } from '@tabler/icons-react'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { keys } from '../contract.ts'
import { stateTexts } from './state-texts.ts'
import { useTokenActions } from './token-actions.ts'
import { TokenState } from './TokenState.tsx'

type Row = OutputOf<typeof keys.calls.list>['rows'][number]

const question = { key: 'keys.tokens' } as const

TokenList.ask = (address: URLSearchParams) => askForList(keys.calls.list, question, address)

export function TokenList() {
  const may = useMay()
  const { check, remove } = useTokenActions()
  const list = useList(keys.calls.list, question)
  const register = may('HSMAuthenticate') ? <LinkButton to={to(keys.screens.register)}>{t('Register token')}</LinkButton> : undefined
  return (
    <Page
      title={t('HSM tokens')}
      intro={t('Tokens and security modules that hold keys of authorities. A key on a token never leaves it.')}
      actions={register}
    >
      <DataTable
        list={list}
        label={t('HSM tokens')}
        search={t('Name, label or serial number')}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          {
            key: 'name',
            label: t('Name'),
            ...(may('HSMtokenView') ? { link: (row: Row) => to(keys.screens.token, { id: row.id }) } : {}),
            cell: (row) => row.name,
            csv: (row) => row.name,
          },
          {
            key: 'state',
            label: t('State'),
            aside: true,
            cell: (row) => <TokenState state={row.state} />,
            csv: (row) => stateTexts[row.state].short,
          },
          { key: 'label', label: t('Label'), cell: (row) => row.label },
          { key: 'model', label: t('Model'), cell: (row) => row.model },
          { key: 'keys', label: t('Keys in use'), align: 'end', phone: false, cell: (row) => row.keys, csv: (row) => String(row.keys) },
          {
            key: 'stateSince',
            label: t('Since'),
            phone: false,
            cell: (row) => <DateTime at={row.stateSince} />,
            csv: (row) => row.stateSince,
          },
          {
            key: 'serial',
            label: t('Serial number'),
            hidden: true,
            phone: false,
            cell: (row) => <Mono value={row.serial} />,
            csv: (row) => row.serial,
          },
          { key: 'module', label: t('Module'), hidden: true, phone: false, cell: (row) => row.module },
        ]}
        rowActions={(row) =>
          may('HSMAuthenticate')
            ? [
                { label: t('Check token'), onClick: () => void check(row) },
                { label: t('Edit token'), to: to(keys.screens.edit, { id: row.id }) },
                row.keys === 0 && { label: t('Remove token'), danger: true, onClick: () => void remove(row) },
              ]
            : []
        }
        empty={{
          icon: IconUsb,
          title: t('No tokens yet'),
          text: t(
            'Keys of authorities live in the database, sealed. Register a token of a PKCS#11 module, and new authorities can have their keys on it.',
          ),
          ...(register === undefined ? {} : { action: register }),
        }}
      />
    </Page>
  )
}
