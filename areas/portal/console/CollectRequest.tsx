import { Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { requestStatusLabels, type RequestStatus } from '#areas/certificates/rules.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import type { StatusKind } from '#core/console/kit/status-kinds.ts'
import { Status } from '#core/console/kit/Status.tsx'
import { fileStem } from '#core/console/save-file.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { portal } from '../contract.ts'

type CollectAnswer = OutputOf<typeof portal.calls.collect>

const kinds: Partial<Record<RequestStatus, StatusKind>> = { issued: 'issued', denied: 'denied', revoked: 'revoked', error: 'failed' }

export function CollectRequest({ requestId = '', secret = '' }: { requestId?: string; secret?: string }) {
  const [collected, setCollected] = useState<CollectAnswer>()
  return (
    <Stack gap="md">
      <Form
        call={portal.calls.collect}
        initial={{ requestId, secret }}
        submit={t('Show its status')}
        guard={false}
        onDone={(answer) => setCollected(answer)}
      >
        {(form) => (
          <>
            <TextField {...form.field('requestId')} label={t('Request id')} required />
            <TextField {...form.field('secret')} label={t('Secret')} autoComplete="off" required />
          </>
        )}
      </Form>
      {collected !== undefined && <CollectOutcome collected={collected} />}
    </Stack>
  )
}

function CollectOutcome({ collected }: { collected: CollectAnswer }) {
  const { status, onHold, reason, subject, templateName, requestedAt, certificate, chain } = collected
  const stem = fileStem(/CN=([^,]+)/.exec(subject)?.[1] ?? subject)
  return (
    <Stack gap="sm" role="status">
      <Facts
        items={[
          {
            label: t('Status'),
            value: onHold ? <Status of="onHold" /> : <Status of={kinds[status] ?? 'pending'} label={t(requestStatusLabels[status])} />,
          },
          { label: t('Subject'), value: subject },
          { label: t('What for'), value: templateName },
          { label: t('Asked'), value: <DateTime at={requestedAt} /> },
          reason !== '' && { label: t('Reason'), value: reason },
        ]}
      />
      {certificate !== '' && (
        <Group gap="xs">
          <DownloadButton
            label={t('Download certificate')}
            fileName={`${stem}.pem`}
            from={() => new Blob([certificate], { type: 'application/x-pem-file' })}
          />
          <DownloadButton
            label={t('Download with its issuers')}
            fileName={`${stem}-chain.pem`}
            from={() => new Blob([certificate + chain], { type: 'application/x-pem-file' })}
          />
        </Group>
      )}
      {status === 'under_submission' && (
        <Text size="sm" c="dimmed">
          {t('It is not decided yet. Come back to this page later.')}
        </Text>
      )}
    </Stack>
  )
}
