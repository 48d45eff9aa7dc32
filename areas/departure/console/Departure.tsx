import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { tenancy } from '#areas/tenancy/contract.ts'
import { refreshBootstrap, useViewer } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { ConfirmDialog } from '#core/console/kit/ConfirmDialog.tsx'
import { DateTime, mediumDate } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { forgetReadings } from '#core/console/leave-session.ts'
import { goTo } from '#core/console/navigate.ts'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { departure } from '../contract.ts'

type Answer = OutputOf<typeof departure.calls.read>

export function Departure() {
  const query = useCall(departure.calls.read, {}, { refetchMilliseconds: 5_000 })
  return (
    <Page
      title={t('Export and deletion')}
      intro={t('Everything that the tenancy holds as one file, and the way to remove the tenancy with all of it.')}
      narrow
    >
      <Loaded query={query}>
        {(answer) => (
          <Stack gap="md">
            <Taking answer={answer} />
            {answer.ending.length > 0 && <Ending rows={answer.ending} />}
            <Deleting answer={answer} />
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

const states = {
  running: { of: 'pending', label: 'Being made' },
  ready: { of: 'active', label: 'Ready' },
  taken: { of: 'unknown', label: 'Fetched' },
  failed: { of: 'failed', label: 'Failed' },
} as const

/** It can be fetched again until its end, because a line may break. */
const isThere = ({ state, until }: { state: keyof typeof states; until: string }): boolean =>
  (state === 'ready' || state === 'taken') && new Date(until) > new Date()

function Taking({ answer: { export: latest } }: { answer: Answer }) {
  const begin = useSend(departure.calls.export)
  return (
    <Section
      title={t('Export')}
      intro={t('One ZIP file, table by table. Private keys, passwords, secrets and sealed fields stay out of it.')}
    >
      {latest !== undefined && (
        <Facts
          items={[
            { label: t('State'), value: <Status of={states[latest.state].of} label={t(states[latest.state].label)} /> },
            { label: t('Asked for by'), value: latest.askedBy },
            { label: t('Asked for'), value: <DateTime at={latest.askedAt} /> },
            { label: t('Tables done'), value: t('{done} of {all}', { done: latest.tablesDone, all: latest.tables }) },
            { label: t('Rows'), value: String(latest.rows) },
            isThere(latest) && { label: t('Kept until'), value: <DateTime at={latest.until} /> },
          ]}
        />
      )}
      <FaultAlert fault={begin.fault} />
      {latest !== undefined && isThere(latest) && latest.mine && (
        <DownloadButton
          label={t('Download the file')}
          fileName="tenancy-export.zip"
          variant="filled"
          from={`${departure.endpoints.file.path}?id=${latest.id}`}
        />
      )}
      {latest !== undefined && isThere(latest) && !latest.mine && <Text size="sm">{t('Only who asked for the file can fetch it.')}</Text>}
      {latest?.state !== 'running' && (
        <div>
          <Button variant="default" loading={begin.pending} onClick={() => void begin.run({}).catch(() => {})}>
            {t('Export the tenancy')}
          </Button>
        </div>
      )}
    </Section>
  )
}

function Ending({ rows }: { rows: Answer['ending'] }) {
  const keep = useSend(departure.calls.keep)
  const ask = async ({ id, name }: Answer['ending'][number]) => {
    const yes = await confirm({
      title: t('Keep {name}?', { name }),
      consequence: t('Its people can sign in again at once.'),
      action: t('Keep the tenancy'),
      keep: t('Leave it as it is'),
      danger: false,
    })
    if (yes) await keep.run({ id }).then(refreshBootstrap, () => {})
  }
  return (
    <Section
      title={t('Deleted tenancies')}
      intro={t('Nobody works in them. Until the day of their removal you can take the deletion back, and they are as they were.')}
    >
      <FaultAlert fault={keep.fault} />
      <SmallTable
        label={t('Deleted tenancies')}
        rows={rows}
        rowId={({ id }) => id}
        columns={[
          { label: t('Name'), cell: ({ name }) => name },
          { label: t('Deleted by'), cell: ({ askedBy }) => askedBy },
          { label: t('Removed on'), cell: ({ endsAt }) => <DateTime at={endsAt} /> },
          {
            label: t('Action'),
            plain: true,
            cell: (row) =>
              row.removing ? (
                t('Being removed')
              ) : (
                <Button size="compact-sm" variant="default" onClick={() => void ask(row)}>
                  {t('Keep {name}', { name: row.name })}
                </Button>
              ),
          },
        ]}
      />
    </Section>
  )
}

function Deleting({ answer: { name, stays, waitingDays, wouldEndAt, manager } }: { answer: Answer }) {
  const { tenantId, homeTenantId } = useViewer()
  const isVisitor = tenantId !== homeTenantId
  const remove = useSend(departure.calls.remove, { quiet: true })
  const [asking, setAsking] = useState(false)
  if (stays !== '')
    return (
      <Section title={t('Deletion')}>
        <Text size="sm">{t(stays)}</Text>
      </Section>
    )
  const act = async () => {
    await remove.run({ name })
    // Who came from the management tenancy is back there, and sees it in its list; everybody else is signed out.
    forgetReadings()
    await refreshBootstrap()
    if (isVisitor) goTo(to(tenancy.screens.list))
  }
  const date = mediumDate(new Date(wouldEndAt), true)
  return (
    <Section
      title={t('Deletion')}
      intro={t('In two steps: nobody gets in from the moment you delete it, and {days} days later all of it is removed.', {
        days: waitingDays,
      })}
    >
      <Facts
        items={[
          {
            label: t('At once'),
            value: t('Everybody is signed out, nobody can sign in, programs are refused, and no certificate is issued any more.'),
          },
          {
            label: t('Until {date}', { date }),
            value: t(
              'Nothing is lost. The tenancy {manager} can take the deletion back on its page Managed tenancies. Certificates can still be checked: status and revocation lists are answered.',
              { manager },
            ),
          },
          {
            label: t('After that'),
            value: t(
              'People, certificates, cards, settings and authorities with their keys are removed for good. Nobody answers any more whether a certificate is revoked.',
            ),
          },
          {
            label: t('What stays'),
            value: t(
              'The record of the deletion in the log of {manager}, lines of the audit log that nobody can read any more, keys on hardware modules, and backups that were made before.',
              { manager },
            ),
          },
        ]}
      />
      <div>
        <Button color="red" variant="outline" onClick={() => setAsking(true)}>
          {t('Delete the tenancy')}
        </Button>
      </div>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t('Delete {name}?', { name })}
        consequence={
          isVisitor
            ? t('Its people are signed out at once. You can take it back until {date}; then all it holds is removed for good.', { date })
            : t(
                'You and everybody else are signed out at once and cannot sign in again. {manager} can take it back until {date}; then all it holds is removed for good.',
                { manager, date },
              )
        }
        action={t('Delete the tenancy')}
        keep={t('Leave it as it is')}
        typeToConfirm={name}
        onConfirm={act}
      >
        <Text size="sm" c="dimmed">
          {t('Next you confirm that it is you.')}
        </Text>
      </ConfirmDialog>
    </Section>
  )
}
