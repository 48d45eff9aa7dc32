// Every authority with what is wrong with it, those in trouble first. The list follows along: what is mended shows within a minute or two.

import { Stack, Text } from '@mantine/core'
import { authorities } from '#areas/authorities/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime, relativeTime } from '#core/console/kit/DateTime.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { health } from '../contract.ts'
import { findingTexts, movedTexts } from './finding-texts.ts'
import { HealthState } from './HealthState.tsx'

const question = { key: 'health.authorities', filters: { state: { many: true } } } as const

HealthOfAuthorities.ask = (address: URLSearchParams) => askForList(health.calls.overview, question, address)

export function HealthOfAuthorities() {
  const may = useMay()
  const list = useList(health.calls.overview, {
    ...question,
    filters: {
      state: {
        ...question.filters.state,
        label: t('State'),
        options: [
          { value: 'failing', label: t('Failing') },
          { value: 'late', label: t('Late') },
          { value: 'ok', label: t('In order') },
        ],
      },
    },
    refetchMilliseconds: 30_000,
  })
  return (
    <Page
      title={t('Health of authorities')}
      intro={t('Whether the lists and OCSP answers of each authority are fresh and reach the world, and how long it lives.')}
    >
      <DataTable
        list={list}
        label={t('Health of authorities')}
        rowId={(row) => row.caId}
        rowName={(row) => row.caName}
        columns={[
          { key: 'caName', label: t('Authority'), ...(may('manageCAs', 'View') && { link: pageOf }), cell: (row: Row) => row.caName },
          {
            key: 'state',
            label: t('State'),
            aside: true,
            cell: (row) =>
              row.checks.length === 0 ? (
                t('Not watched')
              ) : row.state === 'ok' && row.moved !== undefined ? (
                <Status of="warning" label={t('Other address')} />
              ) : (
                <HealthState state={row.state} />
              ),
            csv: (row) => row.state,
          },
          {
            key: 'checks',
            label: t('What is wrong'),
            cell: (row) => (row.checks.length === 0 && row.moved === undefined ? '–' : <Wrong row={row} />),
            csv: (row) => wrongWith(row).join('; '),
          },
          {
            key: 'nextUpdate',
            label: t('List ends'),
            phone: false,
            cell: (row) => (row.nextUpdate === undefined ? '–' : relativeTime(row.nextUpdate)),
            csv: (row) => row.nextUpdate ?? '',
          },
          {
            key: 'signerUntil',
            label: t('Signer ends'),
            phone: false,
            hidden: true,
            cell: (row) => <DateTime at={row.signerUntil} dateOnly />,
            csv: (row) => row.signerUntil ?? '',
          },
          {
            key: 'notAfter',
            label: t('Authority ends'),
            phone: false,
            cell: (row) => <DateTime at={row.notAfter} dateOnly />,
            csv: (row) => row.notAfter ?? '',
          },
          {
            key: 'probedAt',
            label: t('Last tried'),
            phone: false,
            cell: (row) => (row.probedAt === undefined ? '–' : relativeTime(row.probedAt)),
            csv: (row) => row.probedAt ?? '',
          },
        ]}
        empty={{
          title: t('No authorities yet'),
          text: t('As soon as there is an authority, its lists, its OCSP answers and its life are watched here.'),
        }}
      />
    </Page>
  )
}

type Row = OutputOf<typeof health.calls.overview>['rows'][number]

const pageOf = ({ caId }: Row): string => to(authorities.screens.manage, { id: caId })

const wrongWith = ({ checks, moved }: Row): string[] => [
  ...checks.filter(({ state }) => state !== 'ok').map((check) => findingTexts(check)),
  ...(moved === undefined ? [] : [movedTexts(moved)]),
]

function Wrong({ row }: { row: Row }) {
  const wrong = wrongWith(row)
  if (wrong.length === 0)
    return (
      <Text size="sm" c="dimmed" visibleFrom="sm">
        {t('Nothing')}
      </Text>
    )
  return (
    <Stack gap={2}>
      {wrong.map((says) => (
        <Text key={says} size="sm" style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
          {says}
        </Text>
      ))}
    </Stack>
  )
}
