// Every attempt to renew: what failed, what waits for whom, and what was renewed.

import { Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { renewalModes } from '#areas/templates/rules.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime, relativeTime, WithDates } from '#core/console/kit/DateTime.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { renewal } from '../contract.ts'
import { renewalStates, stateLabels } from '../rules.ts'
import { kindOfState } from './status-styles.ts'

const question = { key: 'renewal.all', filters: { state: { many: true } }, sort: 'updatedAt', direction: 'desc' } as const

RenewalList.ask = (address: URLSearchParams) => askForList(renewal.calls.search, question, address)

export function RenewalList() {
  const list = useList(renewal.calls.search, {
    ...question,
    filters: {
      state: {
        ...question.filters.state,
        label: t('State'),
        options: renewalStates.map((value) => ({ value, label: t(stateLabels[value]) })),
      },
    },
  })
  return (
    <Page
      title={t('Renewals')}
      intro={t(
        'What was renewed, what waits for somebody, and what failed, with the reason. Every five minutes the server takes up what is due.',
      )}
    >
      <DataTable
        list={list}
        label={t('Renewals')}
        search={t('Name or template')}
        rowId={(row) => row.renewalId}
        rowName={(row) => row.name}
        columns={[
          {
            key: 'name',
            label: t('Name'),
            sort: true,
            link: (row) => to(renewal.screens.view, { certId: row.certificateId }),
            cell: (row) => row.name,
          },
          {
            key: 'state',
            label: t('State'),
            aside: true,
            cell: (row) => <Status of={kindOfState[row.state]} label={t(stateLabels[row.state])} />,
            csv: (row) => t(stateLabels[row.state]),
          },
          // Narrower than a list's columns may be, so that all six stand side by side.
          {
            key: 'reason',
            label: t('Why'),
            cell: (row) => (
              <Text inherit truncate maw={{ base: '100%', sm: 200 }}>
                <WithDates text={t(row.reason)} />
              </Text>
            ),
            csv: (row) => row.reason,
          },
          {
            key: 'notAfter',
            label: t('Expires'),
            sort: true,
            cell: (row) => <DateTime at={row.notAfter} dateOnly />,
            csv: (row) => row.notAfter,
          },
          {
            key: 'updatedAt',
            label: t('Last try'),
            sort: true,
            phone: false,
            cell: (row) => relativeTime(row.updatedAt),
            csv: (row) => row.updatedAt,
          },
          {
            key: 'nextAttemptAt',
            label: t('Next try'),
            phone: false,
            cell: (row) => (row.nextAttemptAt === undefined ? '–' : relativeTime(row.nextAttemptAt)),
            csv: (row) => row.nextAttemptAt ?? '',
          },
          { key: 'templateName', label: t('Template'), cell: (row) => row.templateName, hidden: true },
          {
            key: 'mode',
            label: t('Renewal'),
            cell: (row) => t(renewalModes[row.mode]),
            csv: (row) => t(renewalModes[row.mode]),
            hidden: true,
          },
          { key: 'tries', label: t('Tries'), cell: (row) => row.tries, hidden: true },
          { key: 'askedBy', label: t('By'), cell: (row) => row.askedBy, hidden: true },
        ]}
        empty={{
          icon: IconRefresh,
          title: t('No renewals yet'),
          text: t('A certificate comes here when its renewal begins: 30 days before its end, or as its template says.'),
        }}
      />
    </Page>
  )
}
