import { Button, Group, Textarea } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import { certificates } from '../contract.ts'

type DecisionProps = { requestId: string; subject: string; approvals: number; needed: number }

export function Decision({ requestId, subject, approvals, needed }: DecisionProps) {
  const decide = useSend(certificates.calls.decide, { invalidates: ['approvals', 'home'] })
  const [comment, setComment] = useState('')
  const last = approvals + 1 >= needed

  const say = async (verdict: 'approve' | 'deny'): Promise<void> => {
    if (decide.pending) return
    if (verdict === 'deny') {
      const sure = await confirm({
        title: t('Deny the request for {subject}?', { subject }),
        consequence: t('One denial ends the request. The requester is told by mail, with your comment.'),
        action: t('Deny request'),
        keep: t('Keep request open'),
      })
      if (!sure) return
    }
    await decide.run({ requestId, verdict, comment }).then(
      ({ status }) =>
        toast(
          status === 'error'
            ? { kind: 'error', title: t('Approved, but the certificate could not be issued') }
            : { kind: 'success', title: status === 'issued' ? t('Approved and issued') : verdict === 'approve' ? t('Approved') : t('Request denied') },
        ),
      () => {},
    )
  }

  return (
    <Section title={t('Your decision')} intro={last ? t('Your approval is the last one that is needed: the certificate is issued at once.') : t('More approvals are needed after yours.')}>
      <Textarea label={t('Comment')} description={t('The requester reads it.')} autosize minRows={2} maxLength={2000} value={comment} onChange={(event) => setComment(event.currentTarget.value)} />
      <FaultAlert fault={decide.fault} />
      <Group gap="xs">
        <Button leftSection={<IconCheck size={16} stroke={1.8} aria-hidden />} aria-busy={decide.pending} onClick={() => void say('approve')}>
          {t('Approve request')}
        </Button>
        <Button color="red" variant="light" leftSection={<IconX size={16} stroke={1.8} aria-hidden />} onClick={() => void say('deny')}>
          {t('Deny request')}
        </Button>
      </Group>
    </Section>
  )
}
