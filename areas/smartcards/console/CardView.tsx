// One card: whose it is, which keys and certificates it has, and what was done with it.

import { Stack, Text } from '@mantine/core'
import { IconBan } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { certificatePath } from '#areas/certificates/paths.ts'
import { users } from '#areas/users/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { toast } from '#core/console/toasts.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { smartcards } from '../contract.ts'
import { slotLabels } from '../rules.ts'
import { CardStatusMark } from './CardStatusMark.tsx'
import { StepList } from './StepList.tsx'

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

function Shown({ card }: { card: Card }) {
  const may = useMay()
  const revoke = useSend(smartcards.calls.revoke, { quiet: true, invalidates: ['certificates'] })
  const askAndRevoke = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Revoke the card {serial}?', { serial: card.serial }),
      consequence: t('All its certificates are revoked at once, wherever the card is. This cannot be undone; the card can be issued anew.'),
      action: t('Revoke card'),
      keep: t('Keep card'),
      danger: true,
    })
    if (!sure) return
    try {
      const { certRevokeError } = await revoke.run({ card_id: { serial: card.serial } })
      if (certRevokeError === undefined) toast({ kind: 'success', title: t('Successfully updated card status') })
      else toast({ kind: 'error', title: t('Unable to update card status'), text: certRevokeError })
    } catch (error) {
      toastFault(error, t('Unable to update card status'))
    }
  }
  return (
    <DetailPage
      title={card.serial}
      status={<CardStatusMark of={card.status} />}
      actions={[
        card.slots.length > 0 &&
          card.status !== 'REVOKED' && {
            label: t('Revoke card'),
            icon: IconBan,
            danger: true,
            needs: 'smartcardManage',
            onClick: () => void askAndRevoke(),
          },
        { label: t('Open card desk'), needs: 'smartcardManage', to: to(smartcards.screens.desk) },
      ]}
    >
      <Stack gap="md">
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
                { label: t('Made on the card'), cell: () => t('Proved by signature') },
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
            title={t('Issue')}
            intro={
              <>
                <DateTime at={operation.startedAt} /> {t('by {name}', { name: operation.by })}
              </>
            }
            actions={<Status of={operation.state} />}
          >
            <StepList steps={operation.steps} />
            {operation.error !== '' && (
              <Text c="var(--chancery-bad)" mt="sm">
                {operation.error}
              </Text>
            )}
          </Section>
        ))}
      </Stack>
    </DetailPage>
  )
}
