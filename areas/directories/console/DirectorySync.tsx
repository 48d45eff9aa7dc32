import { Button, Stack } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { directories } from '../contract.ts'
import { kindLabels, runLabels } from './labels.ts'

export function DirectorySync() {
  const may = useMay()
  const navigate = useNavigate()
  const plan = useSend(directories.calls.plan)
  const list = useList(directories.calls.list, { key: 'directories.all' })
  const start = (directoryId: string) =>
    void plan.run({ directoryId }).then(
      ({ planId }) => navigate(to(directories.screens.plan, { id: planId })),
      () => {},
    )
  return (
    <Page title={t('Directory sync')} intro={t('A plan shows what would change. Nothing changes before somebody runs it.')}>
      <Stack gap="md">
        <FaultAlert fault={plan.fault} />
        <DataTable
          list={list}
          label={t('Directories')}
          search={false}
          views={false}
          rowId={(row) => row.id}
          rowName={(row) => row.name}
          columns={[
            {
              key: 'name',
              label: t('Name'),
              link: (row) => (may('ssoConfig', 'View') ? to(directories.screens.edit, { id: row.id }) : undefined),
              cell: (row) => row.name,
            },
            { key: 'kind', label: t('Kind'), cell: (row) => t(kindLabels[row.kind].label), csv: (row) => row.kind },
            { key: 'people', label: t('People'), cell: (row) => row.people },
            {
              key: 'status',
              label: t('Last sync'),
              aside: true,
              cell: (row) =>
                row.lastRun === undefined ? (
                  t('None yet')
                ) : (
                  <Status of={runLabels[row.lastRun.status].of} label={t(runLabels[row.lastRun.status].label)} />
                ),
              csv: (row) => row.lastRun?.status ?? '',
            },
            {
              key: 'plannedAt',
              label: t('When'),
              cell: (row) => <DateTime at={row.lastRun?.plannedAt} />,
              csv: (row) => row.lastRun?.plannedAt ?? '',
            },
            { key: 'reason', label: t('Reason'), cell: (row) => row.lastRun?.reason ?? '' },
            {
              key: 'plan',
              label: t('Plan'),
              cell: (row) => (
                <Button
                  size="xs"
                  variant="default"
                  loading={plan.pending}
                  aria-label={t('Plan a sync of {name}', { name: row.name })}
                  leftSection={<IconRefresh size={14} stroke={1.8} aria-hidden />}
                  onClick={() => start(row.id)}
                >
                  {t('Plan a sync')}
                </Button>
              ),
              csv: () => '',
            },
          ]}
          rowActions={(row) => [
            row.lastRun !== undefined &&
              row.lastRun.status !== 'failed' && { label: t('Open last plan'), to: to(directories.screens.plan, { id: row.lastRun.id }) },
            { label: t('Edit directory'), needs: 'ssoConfig', to: to(directories.screens.edit, { id: row.id }) },
          ]}
          empty={{
            title: t('No directories yet'),
            text: t('Connect an LDAP directory, Active Directory or Entra ID to keep its people in step here.'),
            ...(may('ssoConfig', 'View') ? { action: <LinkButton to={to(directories.screens.add)}>{t('New directory')}</LinkButton> } : {}),
          }}
        />
      </Stack>
    </Page>
  )
}
