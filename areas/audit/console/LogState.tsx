import { Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { audit } from '../contract.ts'

/** How long the log is, who vouches for it, and when it was last looked at as a whole. */
export function LogState() {
  const query = useCall(audit.calls.status, {}, { refetchMilliseconds: 15_000 })
  return (
    <Section
      title={t('The log')}
      intro={t(
        'One log holds the events of this installation. Its checkpoints are signed: keep one elsewhere, and nobody can rewrite what came before it unseen.',
      )}
      actions={query.data?.checkpoint && <SaveCheckpoint note={query.data.checkpoint.note} size={query.data.checkpoint.size} />}
    >
      <Loaded query={query} lines={2}>
        {(state) => <LogFacts state={state} />}
      </Loaded>
    </Section>
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
                {!verification.intact && <Text size="sm">{verification.message}</Text>}
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
