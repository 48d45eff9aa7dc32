// One event with all that was recorded, and the proof that it stands in the signed log.

import { Button, Drawer, Stack, Textarea } from '@mantine/core'
import { IconShieldCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { audit, type AuditEvent } from '../contract.ts'
import { eventLabels } from '../event-labels.ts'
import { About } from './About.tsx'
import { actorWord } from './actor-word.ts'

export function EventDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useCall(audit.calls.event, { eventId: id })
  const title = query.data === undefined ? t('Event') : eventLabels(query.data.area, query.data.name)
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={title} closeButtonProps={{ 'aria-label': t('Close') }}>
      <Loaded query={query}>{(event) => <EventDetails event={event} />}</Loaded>
    </Drawer>
  )
}

function EventDetails({ event }: { event: AuditEvent }) {
  const [proving, setProving] = useState(false)
  return (
    <Stack gap="md">
      <Facts
        items={[
          { label: t('Time'), value: <DateTime at={event.at} /> },
          { label: t('Technical name'), value: <Mono value={`${event.area}.${event.name}`} /> },
          { label: t('Who'), value: actorWord(event.actor, event.actorId) },
          event.address !== '' && { label: t('From'), value: event.address },
          { label: t('Outcome'), value: <Status of={event.outcome} {...(event.outcome === 'refused' ? { label: t('Refused') } : {})} /> },
          event.named !== undefined && { label: t('About'), value: <About event={event} /> },
          event.about !== '' && {
            label: event.named === undefined ? t('About') : t('Its id'),
            value: <Mono value={event.about} />,
            copy: event.about,
          },
          { label: t('Number'), value: event.sequence === undefined ? t('not numbered yet') : formatNumber(event.sequence) },
          event.requestId !== '' && { label: t('Request'), value: <Mono value={event.requestId} />, copy: event.requestId },
          { label: t('Event id'), value: <Mono value={event.id} />, copy: event.id },
        ]}
      />
      <Textarea
        readOnly
        autosize
        minRows={2}
        maxRows={16}
        label={t('Details')}
        value={prettyJson(event.body)}
        styles={{ input: { fontFamily: 'monospace' } }}
      />
      {proving ? (
        <Proof eventId={event.id} />
      ) : (
        <Button variant="default" leftSection={<IconShieldCheck size={16} stroke={1.8} aria-hidden />} onClick={() => setProving(true)}>
          {t('Prove this event')}
        </Button>
      )}
    </Stack>
  )
}

function Proof({ eventId }: { eventId: string }) {
  const query = useCall(audit.calls.proof, { eventId })
  return (
    <Section title={t('Proof')} intro={t('The hashes lead from this event to the root that the checkpoint signs (RFC 6962).')}>
      <Loaded query={query}>
        {(proof) => (
          <Stack gap="sm" align="flex-start">
            <Facts
              items={[
                {
                  label: t('Place in the log'),
                  value: t('{index} of {size}', { index: formatNumber(proof.index), size: formatNumber(proof.size) }),
                },
                { label: t('Hash of the event'), value: <Mono value={proof.leafHash} />, copy: proof.leafHash },
                { label: t('Root'), value: <Mono value={proof.root} />, copy: proof.root },
                { label: t('Hashes on the way'), value: formatNumber(proof.path.length) },
              ]}
            />
            <DownloadButton
              label={t('Save proof')}
              size="sm"
              fileName={`proof-${proof.index}.json`}
              from={() => new Blob([JSON.stringify(proof, undefined, 2)], { type: 'application/json' })}
            />
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
