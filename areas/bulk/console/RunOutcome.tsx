// How far it is, and how it went: counts that the server reports, never a guess.

import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconPlayerStop, IconRefresh } from '@tabler/icons-react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { goTo } from '#core/console/navigate.ts'
import { useSend } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { bulkOffer, type BulkTexts } from '../bulk-actions.tsx'
import { bulk } from '../contract.ts'
import { isEnded } from '../rules.ts'
import type { Followed } from './use-progress.ts'

export function RunOutcome({ run, texts }: { run: Followed; texts: BulkTexts }) {
  const { runId, state, total, reached, failed, outcomes, parameters, startedAt, endedAt, endedBy, actor, repeats, connection } = run
  const cancel = useSend(bulk.calls.cancel, { invalidates: bulkOffer(run.action)?.invalidates ?? [] })
  const again = useSend(bulk.calls.again)
  const ended = isEnded(state)
  const stop = async () => {
    const sure = await confirm({
      title: t('Stop this work?'),
      consequence: t('What is done stays done: {reached} of {total}. The other rows are not touched.', {
        reached: formatNumber(reached),
        total: formatNumber(total),
      }),
      action: t('Stop the work'),
      keep: t('Keep it running'),
    })
    if (sure) await cancel.run({ runId }).catch(() => undefined)
  }
  const repeat = () =>
    again.run({ runId }).then(
      (answer) => goTo(to(bulk.screens.run, { runId: answer.runId })),
      () => undefined,
    )
  return (
    <Section
      title={ended ? t('Result') : t('Progress')}
      actions={
        ended ? (
          <DownloadButton label={t('Export all rows as CSV')} fileName="rows.csv" from={to(bulk.endpoints.exportBulkRows, {}, { runId })} />
        ) : (
          <Button
            variant="light"
            color="red"
            leftSection={<IconPlayerStop size={16} stroke={1.8} aria-hidden />}
            onClick={() => void stop()}
          >
            {t('Stop the work')}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        {!ended && <Progress value={total === 0 ? 0 : (reached / total) * 100} size="lg" aria-label={t('Rows done')} />}
        <Text role="status" fw={500}>
          {summary(run, texts)}
        </Text>
        {connection === 'lost' && (
          <Text size="sm" c="dimmed">
            {t('The connection was lost. The work goes on; checking how far it is…')}
          </Text>
        )}
        <FaultAlert fault={cancel.fault ?? again.fault} />
        <Facts
          items={[
            { label: t('Started by'), value: actor },
            { label: t('Began'), value: startedAt && <DateTime at={startedAt} /> },
            ended && { label: t('Ended'), value: endedAt && <DateTime at={endedAt} /> },
            ...(texts.chosen?.(parameters) ?? []).map(
              ({ label, value }) =>
                value !== '' && { label, value: <span style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>{value}</span> },
            ),
            ...Object.entries(outcomes).map(([word, count]) => ({ label: texts.outcome(word, count), value: formatNumber(count) })),
            { label: t('Failed'), value: formatNumber(failed) },
            state === 'cancelled' && { label: t('Unchanged'), value: formatNumber(total - reached) },
            state === 'cancelled' && { label: t('Stopped by'), value: t(endedBy) },
            repeats !== undefined && {
              label: t('Takes up'),
              value: <TextLink to={to(bulk.screens.run, { runId: repeats })}>{t('the failed rows of earlier work')}</TextLink>,
            },
          ]}
        />
        {ended && failed > 0 && (
          <Alert
            color="yellow"
            variant="light"
            icon={<IconAlertTriangle size={18} aria-hidden />}
            title={t('{count, plural, one {# row failed} other {# rows failed}}', { count: failed })}
          >
            <Stack gap="xs">
              <Text inherit>
                {t(
                  '{count, plural, one {Nothing was changed in it. It says why below.} other {Nothing was changed in them. Each says why below.}}',
                  { count: failed },
                )}
              </Text>
              <Group gap="xs" align="flex-start">
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconRefresh size={16} stroke={1.8} aria-hidden />}
                  onClick={() => void repeat()}
                >
                  {t('Try these again')}
                </Button>
                <DownloadButton
                  size="xs"
                  label={t('Export failed rows as CSV')}
                  fileName="failed.csv"
                  from={to(bulk.endpoints.exportBulkFailures, {}, { runId })}
                />
              </Group>
            </Stack>
          </Alert>
        )}
      </Stack>
    </Section>
  )
}

/** "118 revoked, 2 failed". */
function summary({ state, reached, total, failed, requested, outcomes }: Followed, texts: BulkTexts): string {
  const counts = {
    reached: formatNumber(reached),
    total: formatNumber(total),
    requested: formatNumber(requested),
    failed: formatNumber(failed),
  }
  if (state === 'running' && requested > 0) return t('{reached} of {total} done, {requested} of them requested, {failed} failed', counts)
  if (state === 'running') return t('{reached} of {total} done, {failed} failed', counts)
  const parts = [
    ...Object.entries(outcomes).map(([word, count]) =>
      t('{count} {outcome}', { count: formatNumber(count), outcome: texts.outcome(word, count).toLowerCase() }),
    ),
    ...(failed > 0 ? [t('{count} failed', { count: formatNumber(failed) })] : []),
  ]
  return parts.length === 0 ? t('Nothing was done') : new Intl.ListFormat(undefined, { type: 'unit' }).format(parts)
}
