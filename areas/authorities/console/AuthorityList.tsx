import { IconCertificate } from '@tabler/icons-react'
import { keyAlgorithms } from '#areas/keys/rules.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { statusKinds, statusKind } from '#core/console/kit/status-kinds.ts'
import { t } from '#core/console/text.ts'
import { authorities } from '../contract.ts'
import { authorityStatuses } from '../rules.ts'
import classes from './authorities.module.css'
import { AuthorityState } from './AuthorityState.tsx'
import { countText } from './count-text.ts'
import { authorityPath, createPath, offlinePath } from './paths.ts'

const question = { key: 'authorities.all', filters: { status: {} }, size: 100 } as const

AuthorityList.ask = (address: URLSearchParams) => askForList(authorities.calls.list, question, address)

export function AuthorityList() {
  const list = useList(authorities.calls.list, {
    ...question,
    filters: {
      status: { label: t('Status'), options: authorityStatuses.map((value) => ({ value, label: t(statusKinds[statusKind(value)].word) })) },
    },
  })
  return (
    <Page
      title={t('Authorities')}
      intro={t('Who signs certificates here: roots, and what stands below them.')}
      actions={
        <>
          <LinkButton to={offlinePath()} variant="default">
            {t('Add offline authority')}
          </LinkButton>
          <LinkButton to={createPath()}>{t('New authority')}</LinkButton>
        </>
      }
    >
      <DataTable
        list={list}
        label={t('Authorities')}
        search={t('Name, subject, serial, fingerprint')}
        rowId={(row) => row.id}
        rowName={(row) => row.friendlyName}
        columns={[
          {
            key: 'friendlyName',
            label: t('Name'),
            link: (row) => authorityPath(row.id),
            cell: (row) => (
              <span
                className={classes['branch']}
                style={{ paddingInlineStart: `${Math.min(row.depth, 6) * 20}px` }}
                data-below={row.depth > 0 || undefined}
              >
                {row.friendlyName}
              </span>
            ),
            csv: (row) => row.friendlyName,
          },
          { key: 'status', label: t('Status'), aside: true, cell: (row) => <AuthorityState authority={row} />, csv: (row) => row.status },
          { key: 'subject', label: t('Subject'), cell: (row) => row.subject, hidden: true },
          { key: 'keyAlgorithm', label: t('Key'), cell: (row) => keyAlgorithms[row.keyAlgorithm].label },
          {
            key: 'notAfter',
            label: t('Expires'),
            cell: (row) => <DateTime at={row.notAfter} dateOnly />,
            csv: (row) => row.notAfter ?? '',
          },
          {
            key: 'issued',
            label: t('Issued'),
            align: 'end',
            cell: (row) => <Counted of={row.issued} word={t('issued')} />,
            csv: (row) => String(row.issued.count),
          },
          {
            key: 'revoked',
            label: t('Revoked'),
            align: 'end',
            cell: (row) => <Counted of={row.revoked} word={t('revoked')} />,
            csv: (row) => String(row.revoked.count),
          },
        ]}
        rowActions={(row) => [
          { label: t('Open authority'), to: authorityPath(row.id) },
          row.status === 'ActiveCert' && {
            label: t('New authority below it'),
            to: createPath(row.kind === 'offline' ? 'outside' : 'subordinate', row.id),
          },
        ]}
        empty={{
          icon: IconCertificate,
          title: t('No authorities yet'),
          text: t(
            'An authority signs certificates. Begin with a root, then put an authority below it that does the daily work, so that the root can rest.',
          ),
          action: <LinkButton to={createPath('root')}>{t('Create root authority')}</LinkButton>,
        }}
      />
    </Page>
  )
}

/** On a narrow screen there is no head above the number to say what it counts. */
function Counted({ of, word }: { of: { count: number; more: boolean }; word: string }) {
  return (
    <span>
      {countText(of)} <span className={classes['word']}>{word}</span>
    </span>
  )
}
