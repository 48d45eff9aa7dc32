// One card: whose it is, which keys and certificates it has, and what was done with it.

import { Alert, Stack, Text } from '@mantine/core'
import { IconBan, IconMapPinOff, IconPencil, IconPlayerPause, IconPlayerPlay, IconUserMinus, IconUserPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useParams } from 'react-router'
import { approvalPath, certificatePath } from '#areas/certificates/paths.ts'
import { users } from '#areas/users/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { smartcards } from '../contract.ts'
import { assignableStatuses, losable, slotLabels, suspendable } from '../rules.ts'
import { AssignDialog, SuspendDialog } from './CardDialogs.tsx'
import { CardStatusMark } from './CardStatusMark.tsx'
import { suspendReason } from './status-words.ts'
import { StepList } from './StepList.tsx'
import { useMoves } from './use-moves.ts'

type Card = OutputOf<typeof smartcards.calls.view>

export function CardView() {
  const { smartcardId = '' } = useParams()
  const query = useCall(smartcards.calls.view, { id: smartcardId })
  if (query.data !== undefined) return <Shown card={query.data} />
  return (
    <Page title={t('Smartcard')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

const kindWords = {
  issue: { word: 'Issue' },
  reissue: { word: 'Renewal' },
  clean: { word: 'Cleaning' },
  unregister: { word: 'Unregistration' },
} as const

function CardLink({ card: { id, serial } }: { card: { id: string; serial: string } }) {
  return <TextLink to={to(smartcards.screens.view, { smartcardId: id })}>{serial}</TextLink>
}

function Shown({ card }: { card: Card }) {
  const may = useMay()
  const [asking, setAsking] = useState<'assign' | 'suspend'>()
  const close = () => setAsking(undefined)
  const { revoke, lost, resume, unassign } = useMoves(card)
  const { status } = card
  const replacedBy = useCall(smartcards.calls.replacedBy, { smartcard_id: card.id }).data?.smartcard
  const replaces = useCall(smartcards.calls.replaces, { smartcard_id: card.id }).data?.smartcard
  const needs = 'smartcardManage'
  return (
    <DetailPage
      title={card.serial}
      status={<CardStatusMark of={status} pinBlocked={card.pinBlocked} />}
      actions={[
        assignableStatuses.includes(status) && { label: t('Assign card'), icon: IconUserPlus, needs, onClick: () => setAsking('assign') },
        status === 'ASSIGNED' && { label: t('Take card back'), icon: IconUserMinus, needs, onClick: unassign },
        suspendable.includes(status) && { label: t('Suspend card'), icon: IconPlayerPause, needs, onClick: () => setAsking('suspend') },
        status === 'SUSPENDED' && { label: t('Resume card'), icon: IconPlayerPlay, needs, onClick: resume },
        losable.includes(status) && { label: t('Report lost'), icon: IconMapPinOff, danger: true, needs, onClick: lost },
        card.slots.length > 0 &&
          status !== 'REVOKED' &&
          status !== 'LOST' && { label: t('Revoke card'), icon: IconBan, danger: true, needs, onClick: revoke },
        { label: t('Edit card'), icon: IconPencil, needs: 'smartcardEdit', to: to(smartcards.screens.edit, { smartcardID: card.id }) },
        { label: t('Open card desk'), needs, to: to(smartcards.screens.desk) },
      ]}
    >
      <Stack gap="md">
        <AssignDialog card={card} opened={asking === 'assign'} onClose={close} />
        <SuspendDialog card={card} opened={asking === 'suspend'} onClose={close} />
        <Section title={t('Card')}>
          <Facts
            items={[
              { label: t('Serial number'), value: <Mono value={card.serial} />, copy: card.serial },
              card.userId !== undefined && {
                label: t('Holder'),
                value: may('userView') ? (
                  <TextLink to={to(users.screens.view, { id: card.userId })}>{card.userName}</TextLink>
                ) : (
                  card.userName
                ),
              },
              card.label !== '' && { label: t('Label'), value: card.label },
              card.custody !== '' && { label: t('Where it is kept'), value: card.custody },
              card.suspended !== undefined && {
                label: t('Suspended'),
                value: (
                  <>
                    <DateTime at={card.suspended.at} /> {t('by {name}', { name: card.suspended.by })}:{' '}
                    {suspendReason(card.suspended.reason)}
                  </>
                ),
              },
              replaces !== undefined && { label: t('Stands for'), value: <CardLink card={replaces} /> },
              replacedBy !== undefined && { label: t('Temporary card'), value: <CardLink card={replacedBy} /> },
              card.cardTemplateName !== '' && { label: t('Template'), value: card.cardTemplateName },
              card.expires !== undefined && { label: t('Expires'), value: <DateTime at={card.expires} dateOnly /> },
              card.firmware !== '' && { label: t('Firmware'), value: card.firmware },
              card.guid !== '' && { label: t('GUID'), value: <Mono value={card.guid} />, copy: card.guid },
              {
                label: t('Management key'),
                value: card.ownKey
                  ? t('{algorithm}, its own', { algorithm: card.managementAlgorithm })
                  : t('{algorithm}, of the factory', { algorithm: card.managementAlgorithm }),
              },
              { label: t('PUK'), value: card.ownPuk ? t('Kept here, sealed') : t('Of the factory') },
              card.readAt !== undefined && { label: t('Last read'), value: <DateTime at={card.readAt} /> },
            ]}
          />
        </Section>
        <Section title={t('Keys and certificates')}>
          {card.awaited.length > 0 && (
            <Alert color="orange" mb="md" title={t('Certificates are awaited')}>
              {card.awaited.map(({ slot, requestId }) => (
                <Text size="sm" key={slot}>
                  {card.slots.some((one) => one.slot === slot)
                    ? t(
                        '{slot}: the key was replaced, and its new certificate waits for approval. Until then the card cannot sign in with it.',
                        { slot: t(slotLabels[slot]) },
                      )
                    : t('{slot}: the certificate waits for approval.', { slot: t(slotLabels[slot]) })}{' '}
                  {may('certApprovals') && <TextLink to={approvalPath(requestId)}>{t('View request')}</TextLink>}
                </Text>
              ))}
            </Alert>
          )}
          {card.slots.length === 0 ? (
            <Text c="dimmed">{t('The card was not issued yet. Issue it at the card desk.')}</Text>
          ) : (
            <SmallTable
              label={t('Keys and certificates')}
              rows={card.slots}
              rowId={(row) => row.slot}
              columns={[
                { label: t('Slot'), cell: (row) => t(slotLabels[row.slot]) },
                { label: t('Key'), cell: (row) => row.algorithm },
                {
                  label: t('Made on the card'),
                  cell: (row) => (row.origin === 'attested' ? t('Attested: {root}', { root: row.originSays }) : t('Proved by signature')),
                },
                {
                  label: t('Certificate'),
                  cell: (row) =>
                    row.certificateId === undefined ? (
                      ''
                    ) : (
                      <TextLink to={certificatePath(row.certificateId)}>{row.certificateName}</TextLink>
                    ),
                },
                { label: t('Valid until'), cell: (row) => (row.validTo === undefined ? '' : <DateTime at={row.validTo} dateOnly />) },
                { label: t('Status'), aside: true, cell: (row) => <Status of={row.status} /> },
              ]}
            />
          )}
        </Section>
        {card.operations.map((operation) => (
          <Section
            key={operation.id}
            title={t(kindWords[operation.kind].word)}
            intro={
              <>
                <DateTime at={operation.startedAt} /> {t('by {name}', { name: operation.by })}
              </>
            }
            actions={<Status of={operation.state} />}
          >
            <StepList steps={operation.steps} />
            {operation.error !== '' && (
              <Text {...(operation.state === 'waiting' ? { c: 'dimmed' } : { c: 'var(--chancery-bad)' })} mt="sm">
                {t(operation.error)}
              </Text>
            )}
          </Section>
        ))}
      </Stack>
    </DetailPage>
  )
}
