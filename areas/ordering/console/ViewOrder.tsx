// One order: its six steps, what has to be in its place, what failed, the key to collect, and the renewal.

import { Alert, Stack, Stepper, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { certificatePath } from '#areas/certificates/paths.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime, WithDates } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { saveFile } from '#core/console/save-file.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { ordering } from '../contract.ts'
import { isManual, steps } from '../rules.ts'
import { Challenges } from './Challenges.tsx'
import { CollectOrderedKey } from './CollectOrderedKey.tsx'
import { keyLabels, orderStatus, proofTexts, stepLabels } from './order-words.ts'
import type { Order } from './order.ts'

const watchMilliseconds = 2_000

export function ViewOrder() {
  const { id = '' } = useParams()
  const [watched, setWatched] = useState(true)
  const query = useCall(ordering.calls.order, { id }, watched ? { refetchMilliseconds: watchMilliseconds } : {})
  const { data } = query
  // Only what goes on by itself now is looked at again and again.
  const goesOn = data === undefined || (data.runs && data.step !== 'done' && data.problem === undefined)
  if (goesOn !== watched) setWatched(goesOn)
  if (data !== undefined) return <Shown order={data} />
  return (
    <Page title={t('ACME order')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function Shown({ order }: { order: Order }) {
  const { id, step, problem, runs } = order
  const { kind, label } = orderStatus(order)
  const goOn = useSend(ordering.calls.goOn)
  const renew = useSend(ordering.calls.renewNow)
  const isOpen = step !== 'done'
  const waitsByHand = step === 'validation' && isManual(order.proof) && problem === undefined
  return (
    <DetailPage
      title={order.names.join(', ')}
      status={<Status of={kind} label={t(label)} />}
      actions={[
        isOpen &&
          (!runs || problem !== undefined) && {
            label: waitsByHand ? t('Go on: have the authority look') : t('Go on'),
            primary: true,
            onClick: () => void goOn.run({ id }).catch(() => undefined),
          },
        !isOpen && { label: t('Renew now'), onClick: () => void renew.run({ id }).catch(() => undefined) },
        ...useMoreActions(order),
      ]}
    >
      <Stack gap="md">
        <FaultAlert fault={goOn.fault ?? renew.fault} />
        {problem !== undefined && (
          <Alert color="red" title={t('Failed at this step: {step}', { step: t(stepLabels[step]) })}>
            <Text style={{ overflowWrap: 'anywhere' }}>{t(problem.detail)}</Text>
            {runs && (
              <Text size="sm">
                {t('It is tried again:')} <DateTime at={order.nextAt} />
              </Text>
            )}
          </Alert>
        )}
        <Progress order={order} />
        {isOpen && order.authorizations.length > 0 && <Challenges order={order} />}
        {order.keyWaits && order.mine && <CollectOrderedKey orderId={id} />}
        {order.keyWaits && !order.mine && (
          <Alert color="blue" variant="light">
            {t('The key waits for {owner}, whose order this is.', { owner: order.ownerName })}
          </Alert>
        )}
        <Details order={order} />
        <History order={order} />
      </Stack>
    </DetailPage>
  )
}

function useMoreActions({ id, step, certificateId, mine, renews, ownerName, keyWaits }: Order) {
  const navigate = useNavigate()
  const clear = useSend(ordering.calls.clear)
  const takeOver = useSend(ordering.calls.takeOver)
  const setRenewal = useSend(ordering.calls.setRenewal)
  const remove = useSend(ordering.calls.remove)
  const askAndClear = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Clear this order?'),
      consequence: t('Nonces, authorisations, records, key and CSR of the order are forgotten. A certificate that was obtained stays.'),
      action: t('Clear order'),
      keep: t('Keep order'),
      danger: true,
    })
    if (sure) await clear.run({ id }).catch((error: unknown) => toastFault(error, t('The order was not cleared')))
  }
  const askAndTakeOver = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Take over this order from {owner}?', { owner: ownerName }),
      consequence: keyWaits
        ? t('The key that {owner} has not collected is deleted. Renew the certificate to get one of your own.', { owner: ownerName })
        : t('It is renewed in your name from then on.'),
      action: t('Take over'),
      keep: t('Leave it'),
    })
    if (sure) await takeOver.run({ id }).catch((error: unknown) => toastFault(error, t('The order was not taken over')))
  }
  const askAndRemove = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Remove this order?'),
      consequence: t('Its certificate stays in the inventory and is not renewed any more. A key that nobody has collected is deleted.'),
      action: t('Remove order'),
      keep: t('Keep order'),
      danger: true,
    })
    if (!sure) return
    try {
      await remove.run({ id })
      await navigate(to(ordering.screens.upload))
    } catch (error) {
      toastFault(error, t('The order was not removed'))
    }
  }
  const saveChain = async (): Promise<void> => {
    try {
      const { fileName, content } = await send(ordering.calls.chain, { id })
      saveFile(new Blob([content], { type: 'application/x-pem-file' }), fileName)
    } catch (error) {
      toastFault(error, t('The chain was not downloaded'))
    }
  }
  return [
    certificateId !== undefined && { label: t('Download chain'), onClick: () => void saveChain() },
    certificateId !== undefined && {
      label: renews ? t('Stop renewing') : t('Renew by itself'),
      onClick: () =>
        void setRenewal.run({ id, renews: !renews }).catch((error: unknown) => toastFault(error, t('The renewal was not changed'))),
    },
    !mine && { label: t('Take over'), onClick: () => void askAndTakeOver() },
    step !== 'done' && { label: t('Clear order'), onClick: () => void askAndClear() },
    { label: t('Remove order'), danger: true, onClick: () => void askAndRemove() },
  ]
}

function Progress({ order: { step, runs, problem } }: { order: Order }) {
  const isWide = useMediaQuery('(min-width: 1200px)', true, { getInitialValueInEffect: false })
  const at = steps.indexOf(step)
  const named = steps.filter((one) => one !== 'done')
  return (
    <Section title={t('Steps')}>
      <Stepper active={at} size="sm" iconSize={28} orientation={isWide ? 'horizontal' : 'vertical'} allowNextStepsSelect={false}>
        {named.map((one, index) => (
          <Stepper.Step
            key={one}
            label={t(stepLabels[one])}
            loading={index === at && runs && problem === undefined}
            {...(index === at && problem !== undefined ? { color: 'red', description: t('Failed') } : {})}
          />
        ))}
      </Stepper>
    </Section>
  )
}

function Details({ order }: { order: Order }) {
  return (
    <Section title={t('Order')}>
      <Facts
        items={[
          { label: t('Authority'), value: order.authorityName },
          { label: t('Directory'), value: <Mono value={order.directoryUrl} />, copy: order.directoryUrl },
          { label: t('Owner'), value: order.ownerName },
          { label: t('Proof'), value: t(proofTexts[order.proof].label) },
          order.responderName !== undefined && { label: t('DNS responder'), value: order.responderName },
          order.forwardTo !== undefined && {
            label: t('Forward challenges to'),
            value: <Mono value={order.forwardTo} />,
            copy: order.forwardTo,
          },
          { label: t('Key'), value: order.keyKind === undefined ? t('From the CSR') : keyLabels[order.keyKind] },
          order.profile !== '' && { label: t('Profile'), value: order.profile },
          order.orderUrl !== undefined && {
            label: t('Order at the authority'),
            value: <Mono value={order.orderUrl} />,
            copy: order.orderUrl,
          },
          { label: t('Nonces held'), value: t('{count} of 4', { count: order.nonces.length }) },
          order.certificateId !== undefined && {
            label: t('Certificate'),
            value: <TextLink to={certificatePath(order.certificateId)}>{t('View certificate')}</TextLink>,
          },
          order.notAfter !== undefined && { label: t('Ends'), value: <DateTime at={order.notAfter} /> },
          { label: t('Renewal'), value: <WithDates text={order.renewal} /> },
          { label: t('Ordered'), value: <DateTime at={order.createdAt} /> },
        ]}
      />
    </Section>
  )
}

function History({ order: { attempts } }: { order: Order }) {
  if (attempts.length === 0) return null
  return (
    <Section title={t('What happened')}>
      <SmallTable
        label={t('What happened')}
        rows={attempts}
        rowId={(row) => `${row.at} ${row.step} ${row.outcome}`}
        columns={[
          { label: t('When'), cell: (row) => <DateTime at={row.at} /> },
          { label: t('Step'), cell: (row) => t(stepLabels[row.step]) },
          {
            aside: true,
            label: t('Outcome'),
            cell: (row) => <Status of={row.outcome === 'done' ? 'done' : 'failed'} />,
          },
          { label: t('Why'), cell: (row) => row.detail },
        ]}
      />
    </Section>
  )
}
