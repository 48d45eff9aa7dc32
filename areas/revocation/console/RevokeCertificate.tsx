import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useParams } from 'react-router'
import { certificates } from '#areas/certificates/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DateField, RadioField, TextAreaField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { goTo } from '#core/console/navigate.ts'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { isHold } from '#standards/crl/reasons.ts'
import { revocation } from '../contract.ts'
import { failureCodes, isFoundLater, isReason, reasonTexts } from '../rules.ts'
import { textsFor } from './actions.ts'
import { useCancelling } from './cancelling.ts'
import { FailureNote } from './FailureNote.tsx'

type Options = OutputOf<typeof revocation.calls.options>
type Reason = Options['reasons'][number]
/** What is chosen in the form, for the words around it. */
type Choosing = { options: Options; reason: Reason | undefined; choose: (reason: Reason | undefined) => void }

export function RevokeCertificate() {
  const { certId = '', caId } = useParams()
  const query = useCall(revocation.calls.options, { certId, ...(caId === undefined ? {} : { caId }) })
  const [reason, choose] = useState<Reason>()
  const title = isHold(reason)
    ? t('Put certificate on hold')
    : isFoundLater(query.data?.revoked)
      ? t('Record key compromise')
      : t('Revoke certificate')
  return (
    <Page title={title} narrow>
      <Loaded query={query}>{(options) => <RevokeOne options={options} reason={reason} choose={choose} />}</Loaded>
    </Page>
  )
}

function RevokeOne({ options, ...choosing }: Choosing) {
  const {
    subject,
    serialNumber,
    caName,
    validFrom,
    validTo,
    status,
    revoked,
    pending,
    pendingReason = 'unspecified',
    certificateId,
    reasons,
    mayRevoke,
  } = options
  const sees = useMay()(certificates.screens.view.needs, 'View')
  const viewed = sees ? to(certificates.screens.view, { certId: certificateId }) : to(certificates.screens.own)
  const name = subject === '' ? serialNumber : subject
  return (
    <Stack gap="md">
      <Section title={t('Certificate')}>
        <Facts
          items={[
            { label: t('Subject'), value: sees ? <TextLink to={viewed}>{name}</TextLink> : name },
            { label: t('Serial number'), value: <Mono value={serialNumber} />, copy: serialNumber },
            { label: t('Authority'), value: caName },
            {
              label: t('Valid'),
              value: (
                <>
                  <DateTime at={validFrom} dateOnly /> – <DateTime at={validTo} dateOnly />
                </>
              ),
            },
            { label: t('Status'), value: <Status of={status} /> },
          ]}
        />
      </Section>
      {options.caId === undefined ? (
        <Alert color="gray" variant="light" icon={<IconInfoCircle size={18} aria-hidden />} title={t('It cannot be revoked here')}>
          {t(failureCodes.notIssuedHere)}
        </Alert>
      ) : revoked !== undefined && (reasons.length === 0 || (isFoundLater(revoked) && !mayRevoke)) ? (
        <Alert
          color="gray"
          variant="light"
          icon={<IconInfoCircle size={18} aria-hidden />}
          title={t('This certificate is revoked already')}
        >
          {isReason(revoked.reason) ? t(reasonTexts[revoked.reason].label) : revoked.reason}, <DateTime at={revoked.at} />
        </Alert>
      ) : pending !== undefined ? (
        <PendingNote options={options} revocationId={pending} reason={pendingReason} />
      ) : (
        <RevokeForm {...choosing} options={options} viewed={viewed} />
      )}
    </Stack>
  )
}

function PendingNote({
  options: { certificateId, subject, mayCancel },
  revocationId,
  reason,
}: {
  options: Options
  revocationId: string
  reason: Reason
}) {
  const may = useMay()
  const { cancelIt, fault } = useCancelling({ revocationId, subject, reason })
  const screen = revocation.screens.viewPending
  return (
    <Alert color="gray" variant="light" icon={<IconInfoCircle size={18} aria-hidden />} title={textsFor({ reason }).waits()}>
      <Stack gap="xs">
        <Text inherit>{t('The certificate stays as it is until others agree.')}</Text>
        <FaultAlert fault={fault} />
        <Group gap="md">
          {may(screen.needs, 'View') && <TextLink to={to(screen, { certId: certificateId })}>{t('Show the request')}</TextLink>}
          {mayCancel && (
            <Button variant="default" size="xs" onClick={() => void cancelIt()}>
              {t('Cancel the request')}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}

function RevokeForm({ options, viewed, reason, choose }: Choosing & { viewed: string }) {
  const { certificateId, approvals, reasons, validFrom, revoked } = options
  const seen: Reason | 'none' = revoked?.reason ?? 'none'
  const [failure, setFailure] = useState<string>()
  const asks = approvals > 0
  const hold = isHold(reason)
  const later = isFoundLater(revoked)
  const done = ({ ok, status, online, failureCode = '' }: OutputOf<typeof revocation.calls.revoke>): void => {
    if (!ok) return setFailure(failureCode)
    const heard = online
      ? t('Whoever asks by OCSP hears of it from now on.')
      : t('The authority has ended and answers no questions by OCSP.')
    if (status === 'pending') toast({ kind: 'success', title: textsFor({ reason: reason ?? 'unspecified' }).requested() })
    else if (later) toast({ kind: 'success', title: t('Key compromise recorded'), text: heard })
    else toast({ kind: 'success', title: textsFor({ reason: reason ?? 'unspecified' }).done(), text: heard })
    goTo(viewed)
  }
  const { submitLabel, intro } = formTextsOf({ asks, hold, later, held: isHold(revoked?.reason) })
  const [only, ...others] = reasons
  return (
    <Section title={hold || asks || later ? submitLabel() : t('Revoke')} intro={intro(approvals)}>
      {failure !== undefined && <FailureNote code={failure} reason={reason ?? 'unspecified'} />}
      <Form
        call={revocation.calls.revoke}
        initial={{ certId: certificateId, note: '', ...(others.length === 0 ? { reason: only } : {}) }}
        toInput={(values: Values) => ({
          ...values,
          seen,
          invalidityDate: values.invalidityDate === undefined || isHold(values.reason) ? undefined : localInstant(values.invalidityDate),
        })}
        submit={submitLabel()}
        cancel={{ label: later ? t('Leave it as it is') : t('Keep certificate'), to: viewed }}
        danger={!asks && !hold}
        invalidates={['certificates', 'home']}
        onDone={done}
      >
        {(form) => (
          <>
            <Chosen reason={form.values.reason} choose={choose} />
            <RadioField
              {...form.field('reason')}
              label={t('Reason')}
              required
              options={reasons.map((value) => ({ value, label: t(reasonTexts[value].label), hint: t(reasonTexts[value].hint) }))}
            />
            {!hold && (
              <DateField
                {...form.field('invalidityDate')}
                label={t('Not to be trusted since')}
                hint={t('If you know when the key was lost. Signatures from before stay believable.')}
                withTime
                min={validFrom.slice(0, 16)}
              />
            )}
            <TextAreaField
              {...form.field('note')}
              label={t('Note')}
              hint={t('For those who decide, and for the record. It is not published.')}
            />
          </>
        )}
      </Form>
    </Section>
  )
}

type FormTexts = { submitLabel: () => string; intro: (others: number) => string }

const untilAgreed = (count: number) =>
  t('{count, plural, one {One other person must agree.} other {# other people must agree.}} Until then the certificate stays as it is.', {
    count,
  })

const formTexts = {
  askHold: { submitLabel: () => t('Request hold'), intro: untilAgreed },
  hold: {
    submitLabel: () => t('Put on hold'),
    intro: () =>
      t('Whoever verifies this certificate will refuse it from now on, until it is released from hold. It can still be revoked for good.'),
  },
  ask: { submitLabel: () => t('Request revocation'), intro: untilAgreed },
  askLater: { submitLabel: () => t('Request the record'), intro: untilAgreed },
  later: {
    submitLabel: () => t('Record key compromise'),
    intro: () =>
      t(
        'It is revoked, and now its key turns out to be lost. Lists and OCSP give key compromise as the reason from now on, and no certificate of this key is issued again. The day of the revocation stays.',
      ),
  },
  revokeHeld: {
    submitLabel: () => t('Revoke certificate'),
    intro: () => t('It is on hold. Revoked for good it cannot be released any more.'),
  },
  revoke: {
    submitLabel: () => t('Revoke certificate'),
    intro: () => t('Whoever verifies this certificate will refuse it from now on. This cannot be undone, unless it is put on hold.'),
  },
} satisfies Record<string, FormTexts>

function formTextsOf({ asks, hold, later, held }: { asks: boolean; hold: boolean; later: boolean; held: boolean }): FormTexts {
  if (later) return asks ? formTexts.askLater : formTexts.later
  if (hold) return asks ? formTexts.askHold : formTexts.hold
  if (asks) return formTexts.ask
  return held ? formTexts.revokeHeld : formTexts.revoke
}

function Chosen({ reason, choose }: { reason: Reason | undefined; choose: Choosing['choose'] }) {
  useEffect(() => {
    choose(reason)
  }, [reason, choose])
  return null
}

type Values = { certId: string; reason: Reason; invalidityDate?: string | undefined; note: string }

/** The browser's local time as an instant; text that is no time goes as it is, for the call's shape to refuse. */
function localInstant(text: string): string {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? text : at.toISOString()
}
