import { Button, Group, Textarea } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { asCallFault } from '#core/console/call-fault.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { freshKey } from '#core/console/kit/fresh-key.ts'
import { Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import { certificates } from '../contract.ts'

function whatFollows(last: boolean, collected: boolean): string {
  if (!last) return t('More approvals are needed after yours.')
  if (collected)
    return t('Your approval is the last one that is needed. The requester then collects key and certificate: both are made at that moment.')
  return t('Your approval is the last one that is needed: the certificate is issued at once.')
}

type DecisionProps = {
  requestId: string
  round: number
  subject: string
  approvals: number
  needed: number
  collected: boolean
  onChanged: () => void
}

export function Decision({ requestId, round, subject, approvals, needed, collected, onChanged }: DecisionProps) {
  const decide = useSend(certificates.calls.decide, { invalidates: ['approvals', 'home'] })
  const [comment, setComment] = useState('')
  // A second click of a double click comes before the first is shown as pending, and one after a lost answer must give the same answer.
  const underWay = useRef(false)
  const keys = useRef({ approve: freshKey(), deny: freshKey() })
  const renewKeys = () => void (keys.current = { approve: freshKey(), deny: freshKey() })

  const say = async (verdict: 'approve' | 'deny'): Promise<void> => {
    if (underWay.current) return
    if (verdict === 'deny') {
      const sure = await confirm({
        title: t('Deny the request for {subject}?', { subject }),
        consequence: t('One denial ends the request. The requester reads your comment.'),
        action: t('Deny request'),
        keep: t('Keep request open'),
      })
      if (!sure) return
    }
    if (underWay.current) return
    underWay.current = true
    await decide.run({ requestId, round, verdict, comment }, { idempotencyKey: keys.current[verdict] }).then(
      ({ status }) =>
        toast(
          status === 'error'
            ? { kind: 'error', title: t('Approved, but the certificate could not be issued') }
            : {
                kind: 'success',
                title: status === 'issued' ? t('Approved and issued') : verdict === 'approve' ? t('Approved') : t('Request denied'),
              },
        ),
      // Without an answer nobody knows whether it counted: the same key gives the first answer.
      (fault: unknown) => {
        const { status, code } = asCallFault(fault)
        if (status !== 0) renewKeys()
        if (code === 'changed') onChanged()
      },
    )
    underWay.current = false
  }

  return (
    <Section title={t('Your decision')} intro={whatFollows(approvals + 1 >= needed, collected)}>
      <Textarea
        label={t('Comment')}
        description={t('The requester reads it.')}
        autosize
        minRows={2}
        maxLength={2000}
        value={comment}
        onChange={(event) => {
          renewKeys()
          setComment(event.currentTarget.value)
        }}
      />
      <FaultAlert fault={decide.fault} />
      <Group gap="xs">
        <Button
          leftSection={<IconCheck size={16} stroke={1.8} aria-hidden />}
          aria-busy={decide.pending}
          onClick={() => void say('approve')}
        >
          {t('Approve request')}
        </Button>
        <Button color="red" variant="light" leftSection={<IconX size={16} stroke={1.8} aria-hidden />} onClick={() => void say('deny')}>
          {t('Deny request')}
        </Button>
      </Group>
    </Section>
  )
}
