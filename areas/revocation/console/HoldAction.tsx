// On a certificate's page: taking it out of use for now, and making it good again. Both are one question with an optional note.

import { Button, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerPause, IconPlayerPlay, type Icon } from '@tabler/icons-react'
import type { ActionCertificate } from '#areas/certificates/certificate-actions.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { TextAreaField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { askOnce, useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { revocation } from '../contract.ts'
import { failureCodes, isFailureCode } from '../rules.ts'
import { textsFor } from './actions.ts'

type Options = OutputOf<typeof revocation.calls.options>
type Result = OutputOf<typeof revocation.calls.release>
type HoldActionName = 'hold' | 'release'

const kinds = {
  hold: {
    icon: IconPlayerPause,
    reason: 'certificateHold',
    offer: () => t('Put on hold'),
    ask: () => t('Request hold'),
    title: () => t('Put this certificate on hold?'),
    consequence: () =>
      t(
        'Whoever verifies it will refuse it: by OCSP from now on, by the revocation list with the next one. It can be released again, or revoked for good.',
      ),
    waits: (count: number) =>
      t(
        '{count, plural, one {One other person must agree.} other {# other people must agree.}} Until then the certificate stays as it is.',
        { count },
      ),
    keep: () => t('Keep certificate'),
  },
  release: {
    icon: IconPlayerPlay,
    reason: 'removeFromCRL',
    offer: () => t('Release from hold'),
    ask: () => t('Request release'),
    title: () => t('Release this certificate from hold?'),
    consequence: () => t('Whoever verifies it accepts it again: by OCSP from now on, by the revocation list with the next one.'),
    waits: (count: number) =>
      t('{count, plural, one {One other person must agree.} other {# other people must agree.}} Until then it stays on hold.', { count }),
    keep: () => t('Keep on hold'),
  },
} as const satisfies Record<HoldActionName, { icon: Icon; reason: string } & Record<string, unknown>>

export function HoldAction({ certificate: { certificateId, caId, status } }: { certificate: ActionCertificate }) {
  // What others issued is theirs to suspend, and what has ended nobody accepts any more.
  const open = caId !== undefined && status !== 'revoked' && status !== 'expired'
  const { data: options } = useCall(revocation.calls.options, { certId: certificateId }, { enabled: open })
  if (!open || options === undefined || options.pending !== undefined) return null
  const action = options.mayRelease ? 'release' : options.mayRevoke && options.revoked === undefined ? 'hold' : undefined
  return action === undefined ? null : <HoldButton key={certificateId} action={action} options={options} />
}

/** The way to revoke it reads the same. */
HoldAction.ask = (certificateId: string) => askOnce(revocation.calls.options, { certId: certificateId })

function HoldButton({ action, options }: { action: HoldActionName; options: Options }) {
  const [asking, { open, close }] = useDisclosure(false)
  const { icon: Sign, offer, title } = kinds[action]
  return (
    <>
      <Button variant="light" leftSection={<Sign size={16} stroke={1.8} aria-hidden />} onClick={open}>
        {offer()}
      </Button>
      <Modal opened={asking} onClose={close} title={title()}>
        <Question action={action} options={options} close={close} />
      </Modal>
    </>
  )
}

function Question({
  action,
  options: { certificateId, approvals },
  close,
}: {
  action: HoldActionName
  options: Options
  close: () => void
}) {
  const decides = useMay()(revocation.calls.release.needs)
  const { reason, offer, ask, consequence, waits, keep } = kinds[action]
  const texts = textsFor({ reason })
  const done = ({ ok, status, failureCode = '' }: Result): void => {
    close()
    if (ok) toast({ kind: 'success', title: status === 'pending' ? texts.requested() : texts.done() })
    else toast({ kind: 'error', title: texts.failed(), ...(isFailureCode(failureCode) ? { text: t(failureCodes[failureCode]) } : {}) })
  }
  const common = {
    submit: approvals > 0 ? ask() : offer(),
    cancel: { label: keep(), onClick: close },
    guard: false,
    invalidates: ['certificates', 'renewal', 'approvals', 'home'] as const,
    onDone: done,
  }
  const explained = (
    <>
      <Text>{approvals > 0 ? waits(approvals) : consequence()}</Text>
      {action === 'hold' && !decides && <Text>{t('You cannot release it yourself: that takes somebody who decides revocations.')}</Text>}
    </>
  )
  const note = { label: t('Note'), hint: t('For those who decide, and for the record. It is not published.') }
  if (action === 'hold')
    return (
      <Form call={revocation.calls.revoke} initial={{ certId: certificateId, reason, note: '' }} {...common}>
        {(form) => (
          <>
            {explained}
            <TextAreaField {...form.field('note')} {...note} />
          </>
        )}
      </Form>
    )
  return (
    <Form call={revocation.calls.release} initial={{ certId: certificateId, note: '' }} {...common}>
      {(form) => (
        <>
          {explained}
          <TextAreaField {...form.field('note')} {...note} />
        </>
      )}
    </Form>
  )
}
