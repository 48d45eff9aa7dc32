// What a sync would change, person by person, before anything is done; and what it did.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { labelOf } from '#areas/users/attributes.ts'
import { users } from '#areas/users/contract.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { changed, useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { directories } from '../contract.ts'
import { changeLabels, runLabels } from './labels.ts'

type Plan = OutputOf<typeof directories.calls.readPlan>

export function SyncPlan() {
  const { id = '' } = useParams()
  const [running, setRunning] = useState(false)
  const query = useCall(directories.calls.readPlan, { planId: id, size: 1 }, running ? { refetchMilliseconds: 1_000 } : {})
  const status = query.data?.run.status
  if (status !== undefined && (status === 'running') !== running) {
    setRunning(status === 'running')
    if (status !== 'running') changed('users')
  }
  return (
    <Page title={query.data === undefined ? t('Plan of a sync') : t('Sync of {directory}', { directory: query.data.run.directory })}>
      <Loaded query={query}>
        {(plan) => (
          <Stack gap="md">
            <Summary plan={plan} />
            <Changes id={id} plan={plan} key={plan.run.status} />
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

function Summary({ plan: { run, facets, mayApprove, done, failed } }: { plan: Plan }) {
  const approve = useSend(directories.calls.approve)
  const discard = useSend(directories.calls.discard)
  const ending = (facets.kind['disabled'] ?? 0) + (facets.kind['missing'] ?? 0)
  const start = async (): Promise<void> => {
    const what = t(
      '{fresh, number} people are added, {changed, number} changed, {enabled, number} enabled and {ending, number} disabled, as the plan shows. What was changed here since is left out.',
      { fresh: facets.kind['new'] ?? 0, changed: facets.kind['changed'] ?? 0, enabled: facets.kind['enabled'] ?? 0, ending },
    )
    const held = run.status === 'held'
    const yes = await confirm({
      title: held ? t('Run this plan, which was held?') : t('Run this plan?'),
      consequence: held ? t('It was held: {reason}. {what}', { reason: run.reason.replace(/\.$/, ''), what }) : what,
      action: t('Run this plan'),
      keep: t('Not now'),
      danger: held || ending > 0,
    })
    if (yes) await approve.run({ planId: run.id }).catch(() => {})
  }
  const waits = run.status === 'planned' || run.status === 'held'
  return (
    <Section title={t('Plan')}>
      <FaultAlert fault={approve.fault ?? discard.fault} />
      {run.status === 'held' && (
        <Alert color="yellow" title={t('The plan is held')}>
          {t(run.reason)}
        </Alert>
      )}
      {run.status === 'done' && (
        <Alert color={failed > 0 ? 'yellow' : 'green'} title={t('Successfully updated LDAP users')} role="status">
          {t('{done, plural, one {# change} other {# changes}} done, {failed, number} left out', { done, failed })}
        </Alert>
      )}
      <Facts
        items={[
          { label: t('Status'), value: <Status of={runLabels[run.status].of} label={t(runLabels[run.status].label)} /> },
          { label: t('People seen'), value: run.seen },
          { label: t('Planned'), value: <DateTime at={run.plannedAt} /> },
          { label: t('Planned by'), value: run.planner },
          run.approver !== '' && { label: t('Approved by'), value: run.approver },
          run.endedAt !== undefined && { label: t('Ended'), value: <DateTime at={run.endedAt} /> },
        ]}
      />
      {waits && (
        <Group gap="xs">
          {mayApprove && (
            <Button loading={approve.pending} onClick={() => void start()}>
              {t('Run this plan')}
            </Button>
          )}
          <Button variant="default" loading={discard.pending} onClick={() => void discard.run({ planId: run.id }).catch(() => {})}>
            {t('Discard plan')}
          </Button>
        </Group>
      )}
      {waits && !mayApprove && <Text size="sm">{t('Somebody else who may add and edit users approves this plan.')}</Text>}
    </Section>
  )
}

function Changes({ id, plan }: { id: string; plan: Plan }) {
  const list = useList(directories.calls.readPlan, {
    key: 'directories.plan',
    base: { planId: id },
    filters: {
      kind: { label: t('Kind'), options: Object.entries(changeLabels).map(([value, { label }]) => ({ value, label: t(label) })) },
    },
  })
  return (
    <DataTable
      list={list}
      label={t('Changes')}
      search={false}
      views={false}
      rowId={(row) => row.id}
      rowName={(row) => row.name}
      columns={[
        {
          key: 'name',
          label: t('Name'),
          link: (row) => (row.userId === undefined ? undefined : to(users.screens.view, { id: row.userId })),
          cell: (row) => row.name,
        },
        {
          key: 'kind',
          label: t('Kind'),
          aside: true,
          cell: (row) => <Status of={changeLabels[row.kind].of} label={t(changeLabels[row.kind].label)} />,
          csv: (row) => row.kind,
        },
        {
          key: 'fields',
          label: t('What changes'),
          cell: (row) => (
            <Stack gap={0}>
              {row.signInName !== undefined && <Text size="sm">{t('Signs in as {name}', { name: row.signInName })}</Text>}
              {row.given.map((role) => (
                <Text size="sm" key={`given ${role}`}>
                  {t('Gets the role {role}', { role })}
                </Text>
              ))}
              {row.taken.map((role) => (
                <Text size="sm" key={`taken ${role}`}>
                  {t('Loses the role {role}', { role })}
                </Text>
              ))}
              {row.fields.map(({ name, here, there }) => (
                <Text size="sm" key={name}>
                  {here === ''
                    ? t('{field}: {there}', { field: t(labelOf(name)), there })
                    : t('{field}: {here} becomes {there}', { field: t(labelOf(name)), here, there })}
                </Text>
              ))}
            </Stack>
          ),
          csv: (row) =>
            [
              ...(row.signInName === undefined ? [] : [`signInName=${row.signInName}`]),
              ...row.given.map((role) => `+role ${role}`),
              ...row.taken.map((role) => `-role ${role}`),
              ...row.fields.map(({ name, there }) => `${name}=${there}`),
            ].join('; '),
        },
        {
          key: 'says',
          label: t('Outcome'),
          cell: (row) => (row.says !== '' ? row.says : row.state === 'done' ? t('Done') : ''),
          csv: (row) => row.says,
        },
      ]}
      empty={{
        title: t('Nothing would change'),
        text: t('The people here are as the directory has them: {seen, number} were seen.', { seen: plan.run.seen }),
      }}
    />
  )
}
