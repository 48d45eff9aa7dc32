import { Group, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { requestStatusLabels, type RequestStatus } from '#areas/certificates/request-status.ts'
import { asCallFault, type CallFault } from '#core/console/call-fault.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import type { StatusKind } from '#core/console/kit/status-kinds.ts'
import { Status } from '#core/console/kit/Status.tsx'
import type { PublicBrand } from '#core/console/public-brand.ts'
import { fileStem } from '#core/console/save-file.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { portal } from '../contract.ts'

type CollectAnswer = OutputOf<typeof portal.calls.collect>

const kinds: Partial<Record<RequestStatus, StatusKind>> = { issued: 'issued', denied: 'denied', revoked: 'revoked', error: 'failed' }

type Receipt = { requestId?: string; secret?: string }

/** `atOnce`: whoever has opened the link that they kept wants to see the status, and presses nothing for it. */
export function CollectRequest({
  requestId = '',
  secret = '',
  atOnce = false,
  onBrand,
}: Receipt & { atOnce?: boolean; onBrand?: (brand: PublicBrand) => void }) {
  const [collected, setCollected] = useState<CollectAnswer>()
  const [fault, setFault] = useState<CallFault>()
  const take = (answer: CollectAnswer): void => {
    const { tenancyName: name, bannerColour, supportEmail } = answer
    setFault(undefined)
    setCollected(answer)
    onBrand?.({ name, bannerColour, supportEmail })
  }
  useEffect(() => {
    if (!atOnce || requestId === '' || secret === '') return
    let gone = false
    send(portal.calls.collect, { requestId, secret }).then(
      (answer) => void (gone || take(answer)),
      (error: unknown) => void (gone || setFault(asCallFault(error))),
    )
    return () => void (gone = true)
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return (
    <Stack gap="md">
      <FaultAlert fault={fault} />
      <Form
        call={portal.calls.collect}
        initial={{ requestId, secret }}
        submit={t('Show its status')}
        guard={false}
        onDone={take}
        onFailed={() => {
          // What stood there is not of what was asked for last.
          setFault(undefined)
          setCollected(undefined)
        }}
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
