import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconBan } from '@tabler/icons-react'
import { useState } from 'react'
import { useParams } from 'react-router'
import { certificates } from '#areas/certificates/contract.ts'
import { plainSubject } from '#areas/certificates/plain-subject.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { revocation } from '../contract.ts'
import { actionOf, isRelease } from '../rules.ts'
import { stateOf, textsFor } from './actions.ts'
import { useCancelling } from './cancelling.ts'
import { FailureNote } from './FailureNote.tsx'
import { RevocationFacts } from './RevocationFacts.tsx'

type View = OutputOf<typeof revocation.calls.view>

export function ViewRevocation() {
  const { certId = '', caId } = useParams()
  const sees = useMay()(certificates.screens.view.needs, 'View')
  const query = useCall(revocation.calls.view, { certId, ...(caId === undefined ? {} : { caId }) })
  if (query.data !== undefined) return <OneRevocation row={query.data} />
  return (
    <Page title={t('Revocation')} narrow>
      {query.error?.code === 'noneAsked' ? (
        <EmptyState
          icon={IconBan}
          title={t('No revocation is waiting')}
          text={query.error.says}
          action={
            sees && (
              <LinkButton
                to={caId === undefined ? to(certificates.screens.view, { certId }) : to(certificates.screens.viewOfCa, { caId, certId })}
              >
                {t('Show certificate')}
              </LinkButton>
            )
          }
        />
      ) : (
        <Loaded query={query}>{() => null}</Loaded>
      )}
    </Page>
  )
}

function OneRevocation({ row }: { row: View }) {
  const may = useMay()
  const retry = useSend(revocation.calls.retry, { invalidates: ['certificates', 'renewal', 'home'] })
  const { revocationId, state, failureCode, approval, mayCancel } = row
  const { cancelIt, fault } = useCancelling(row)
  const subject = row.subject === '' ? row.serialNumber : plainSubject(row.subject)
  const texts = textsFor(row)

  const tryAgain = async (): Promise<void> => {
    const result = await retry.run({ revocationId }).catch(() => undefined)
    if (result?.ok === true) toast({ kind: 'success', title: texts.done() })
  }

  return (
    <DetailPage
      narrow
      title={texts.title(subject)}
      status={<Status {...stateOf(row)} />}
      actions={[
        mayCancel && { label: t('Cancel the request'), danger: true, onClick: () => void cancelIt() },
        state === 'failed' &&
          !isRelease(row) &&
          may('certRevokeView') && { label: t('Try again'), primary: true, onClick: () => void tryAgain() },
      ]}
    >
      <FaultAlert fault={fault ?? retry.fault} />
      {state === 'failed' && <FailureNote code={failureCode ?? ''} reason={row.reason} />}
      <Section title={t('Request')}>
        <RevocationFacts revocation={row} />
      </Section>
      {approval !== undefined && <ApprovalSection row={row} approval={approval} />}
    </DetailPage>
  )
}

function ApprovalSection({ row, approval }: { row: View; approval: NonNullable<View['approval']> }) {
  const { needed, approvals, votes, mayVote, refusal } = approval
  return (
    <Section title={t('Approval')} intro={t('{approvals} of {needed} have agreed', { approvals, needed })}>
      <Stack gap="md">
        {votes.length > 0 && (
          <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
            {votes.map(({ voter, verdict, comment, at }) => (
              <li key={voter + at}>
                <Group gap="sm">
                  <Status of={verdict === 'approve' ? 'approved' : 'denied'} />
                  <Text>{voter}</Text>
                  <Text c="dimmed" size="sm" component="span">
                    <DateTime at={at} />
                  </Text>
                </Group>
                {comment !== '' && <Text size="sm">{comment}</Text>}
              </li>
            ))}
          </Stack>
        )}
        {row.state === 'pending' && (mayVote ? <VoteForm row={row} /> : refusal !== undefined && <Text c="dimmed">{t(refusal)}</Text>)}
      </Stack>
    </Section>
  )
}

function VoteForm({ row }: { row: View }) {
  const { revocationId } = row
  const texts = textsFor(row)
  const [comment, setComment] = useState('')
  const vote = useSend(revocation.calls.vote, { invalidates: ['certificates', 'renewal', 'approvals', 'home'] })
  const cast = async (verdict: 'approve' | 'deny'): Promise<void> => {
    if (vote.pending) return
    const result = await vote.run({ revocationId, verdict, comment }).catch(() => undefined)
    if (result === undefined) return
    const title = verdict === 'deny' ? texts.denied() : result.complete ? texts.done() : t('Approval recorded')
    toast(result.ok ? { kind: 'success', title } : { kind: 'error', title: texts.failed() })
  }
  return (
    <Stack gap="sm">
      <FaultAlert fault={vote.fault} />
      <Textarea
        label={t('Comment')}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={2000}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <Group gap="xs">
        <Button
          {...(actionOf(row.reason) === 'revocation' ? { color: 'red' } : {})}
          aria-busy={vote.pending}
          onClick={() => void cast('approve')}
        >
          {texts.approve()}
        </Button>
        <Button variant="default" aria-busy={vote.pending} onClick={() => void cast('deny')}>
          {texts.deny()}
        </Button>
      </Group>
    </Stack>
  )
}
