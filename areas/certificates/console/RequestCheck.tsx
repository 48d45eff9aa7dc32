// What the server says of the request before it is sent: the CSR decoded, what would come out, who must agree, what is wrong.

import { Alert, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { describeRule } from '#areas/approvals/rules.ts'
import { templates } from '#areas/templates/contract.ts'
import { PlannedSheet } from '#areas/templates/PlannedSheet.tsx'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Fold } from '#core/console/kit/Fold.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { DraftOf, OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'
import { plainSubject } from '../plain-subject.ts'
import { Findings } from './Findings.tsx'
import { Refusals } from './Refusals.tsx'
import { approversText } from './RequestSteps.tsx'

type Offered = OutputOf<typeof templates.calls.offered>['templates'][number]
type Draft = DraftOf<typeof certificates.calls.request>

/** Whose key it is for: one that is there already, or one that is made for whoever asks or for another. */
const keyOf = ({ csr, username }: Draft) => (csr !== undefined ? 'brought' : username === undefined ? 'made' : 'madeForOther')

/** What happens once it is sent. */
const endings = {
  free: {
    brought: () => t('Nobody needs to agree: it is issued at once.'),
    made: () => t('Nobody needs to agree: you collect key and certificate, and both are made at that moment.'),
    madeForOther: () =>
      t('Nobody needs to agree: the person whom it is for collects key and certificate, and both are made at that moment.'),
  },
  agreed: {
    brought: (rule: string) => t('It goes to approvers first. {rule}.', { rule }),
    made: (rule: string) =>
      t('It goes to approvers first. {rule}. Once it is approved, you collect key and certificate on this page.', { rule }),
    madeForOther: (rule: string) =>
      t(
        'It goes to approvers first. {rule}. The person whom it is for then collects key and certificate, and both are made at that moment.',
        { rule },
      ),
  },
}

type RequestCheckProps = {
  draft: Draft
  template: Pick<Offered, 'templateId' | 'licensedTemplateId'> | undefined
  onDecoded: (values: Record<string, string[]>, csr: string) => void
  /** For who asks for one as it is made for everybody: the words of the trade are folded. */
  plain: boolean
}

export function RequestCheck({ draft, template, onDecoded, plain }: RequestCheckProps) {
  const may = useMay()
  const [settled] = useDebouncedValue(draft, 300)
  const nothing = settled.csr !== undefined && settled.csr.trim() === ''
  const complete = !nothing && certificates.calls.check.input.safeParse(settled).success
  const check = useCall(certificates.calls.check, settled, { enabled: complete, keepPrevious: true })
  const shown = complete && check.error === null ? check.data : undefined

  const announced = useRef('')
  const decoded = shown?.decoded
  const csr = settled.csr ?? ''
  useEffect(() => {
    if (decoded === undefined || check.isPlaceholderData || announced.current === csr) return
    announced.current = csr
    onDecoded(decoded.values, csr)
  }, [decoded, csr, check.isPlaceholderData, onDecoded])

  return (
    <Section
      title={t('What would come out')}
      intro={t('The server looks at it as you type. Nothing is requested before you press the button.')}
    >
      {shown === undefined && check.error === null && (
        <Text c="dimmed">
          {nothing ? t('Paste or drop the request to see what is in it.') : t('It appears here as soon as the form makes sense.')}
        </Text>
      )}
      {decoded !== undefined && (
        <Facts
          items={[
            { label: t('In the request'), value: decoded.subject },
            decoded.sans.length > 0 && { label: t('Names in the request'), value: decoded.sans.map(({ value }) => value).join(', ') },
            { label: t('Key'), value: decoded.key },
            decoded.certificateAuthority && { label: t('Asks to be'), value: t('a certificate authority') },
          ]}
        />
      )}
      {shown !== undefined && <Refusals faults={shown.faults} findings={shown.findings} />}
      {shown !== undefined &&
        (shown.faults.length > 0 || shown.findings.some(({ code }) => code === 'certificateLeavesOut')) &&
        template !== undefined &&
        // A licensed template is its owner's to change.
        template.licensedTemplateId === template.templateId &&
        may(templates.screens.manage.needs, 'View') && (
          <TextLink size="sm" to={to(templates.screens.manage, { id: template.templateId })}>
            {t('Change what the template takes')}
          </TextLink>
        )}
      {shown !== undefined && shown.planned === undefined && (
        <Findings findings={shown.findings.filter(({ code }) => !shown.faults.some((fault) => fault.code === code))} />
      )}
      {shown?.planned !== undefined && (
        <>
          {plain ? <PlainSheet planned={shown.planned} /> : <PlannedSheet planned={shown.planned} />}
          <Findings findings={shown.findings} />
          <Alert variant="light" color="blue">
            {endings[shown.issueApprovers === 0 ? 'free' : 'agreed'][keyOf(settled)](t(describeRule({ needed: shown.issueApprovers })))}
            {(shown.approvers ?? []).length > 0 && (
              <Text inherit mt={4}>
                {approversText((shown.approvers ?? []).join(', '), shown.otherApprovers ?? 0)}
              </Text>
            )}
          </Alert>
          {shown.tooFewApprovers === true && (
            <Alert variant="light" color="yellow">
              {t('Too few others may approve requests here, so it would wait. Give somebody else a role that approves.')}
            </Alert>
          )}
        </>
      )}
      {complete && <FaultAlert fault={check.error ?? undefined} />}
    </Section>
  )
}

type Planned = NonNullable<OutputOf<typeof certificates.calls.check>['planned']>

function PlainSheet({ planned }: { planned: Planned }) {
  return (
    <>
      <Facts
        items={[
          { label: t('Names'), value: [plainSubject(planned.subject), ...planned.sans.map(({ value }) => value)].join(', ') },
          { label: t('Valid until'), value: <DateTime at={planned.notAfter} /> },
        ]}
      />
      <Fold label={t('All that stands in it')}>
        <PlannedSheet planned={planned} />
      </Fold>
    </>
  )
}
