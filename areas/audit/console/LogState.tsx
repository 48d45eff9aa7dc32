import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { DateTime, relativeTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { audit } from '../contract.ts'

/** One line: whether the log is whole, when it was last looked at, how long it is. What proves it stands behind "Details". */
export function LogState() {
  const query = useCall(audit.calls.status, {}, { refetchMilliseconds: 15_000 })
  const [open, setOpen] = useState(false)
  const { checkpoint, verification } = query.data ?? {}
  return (
    <section aria-label={t('The log')}>
      <Group gap="sm" mih={30}>
        <Loaded query={query} lines={1}>
          {() => (
            <>
              {verification !== undefined && (
                <Status of={verification.intact ? 'done' : 'failed'} label={verification.intact ? t('Intact') : t('Not intact')} />
              )}
              <Text size="sm" c="dimmed">
                {verification === undefined
                  ? t('{count} events signed, verified every night', { count: formatNumber(checkpoint?.size ?? 0) })
                  : t('{count} events signed, verified {when}', {
                      count: formatNumber(checkpoint?.size ?? 0),
                      when: relativeTime(verification.at),
                    })}
              </Text>
            </>
          )}
        </Loaded>
        <Button variant="subtle" size="compact-sm" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t('Details')}
        </Button>
      </Group>
      {open && (
        <Stack gap="xs" mt="xs">
          <Text size="sm" c="dimmed" maw={720}>
            {t(
              'One log holds the events of this installation. Its checkpoints are signed: keep one elsewhere, and nobody can rewrite what came before it unseen.',
            )}
          </Text>
          <Loaded query={query}>{(state) => <LogFacts state={state} />}</Loaded>
          {checkpoint !== undefined && (
            <Group>
              <SaveCheckpoint note={checkpoint.note} size={checkpoint.size} />
            </Group>
          )}
        </Stack>
      )}
    </section>
  )
}

function SaveCheckpoint({ note, size }: { note: string; size: number }) {
  return (
    <DownloadButton
      label={t('Save checkpoint')}
      size="sm"
      fileName={`checkpoint-${size}.txt`}
      from={() => new Blob([note], { type: 'text/plain;charset=utf-8' })}
    />
  )
}

function LogFacts({ state: { checkpoint, verification, verifierKey, waiting } }: { state: OutputOf<typeof audit.calls.status> }) {
  return (
    <Facts
      items={[
        { label: t('Last checkpoint'), value: checkpoint === undefined ? t('None yet') : <DateTime at={checkpoint.at} /> },
        { label: t('Events signed'), value: formatNumber(checkpoint?.size ?? 0) },
        waiting > 0 && { label: t('Of this tenancy, not numbered yet'), value: formatNumber(waiting) },
        {
          label: t('Verified'),
          value:
            verification === undefined ? (
              t('Not yet: it is verified every night')
            ) : (
              <>
                <Status of={verification.intact ? 'done' : 'failed'} label={verification.intact ? t('Intact') : t('Not intact')} />{' '}
                <DateTime at={verification.at} />
                {!verification.intact && <Text size="sm">{t(verification.message)}</Text>}
              </>
            ),
        },
        {
          label: t('Verifier key'),
          value: (
            <Text ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
              {verifierKey}
            </Text>
          ),
          copy: verifierKey,
        },
      ]}
    />
  )
}
