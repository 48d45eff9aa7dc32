// One's own cards, for whoever holds one: what each is good for, and what can be done about it with a reader and without.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useViewer } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded, LoadingState } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { pathOfPlace, roomsStore, useOffers } from '#core/console/rooms.ts'
import { selfActions } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { toast } from '#core/console/toasts.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { smartcards } from '../contract.ts'
import { losable, type CardStatus } from '../rules.ts'
import { cardNamed } from './card-id.ts'
import { CardStatusMark } from './CardStatusMark.tsx'
import { ClientPanel } from './ClientPanel.tsx'
import { ChangePassphrase } from './PinForms.tsx'
import { ReaderPanels } from './ReaderPanels.tsx'
import { useReaders } from './use-readers.ts'

type Card = OutputOf<typeof smartcards.calls.mine>['smartcards'][number]

export function MyCards() {
  const query = useCall(smartcards.calls.mine, {})
  return (
    <Page title={t('My smartcards')} narrow>
      <Loaded query={query}>
        {({ smartcards: cards }) =>
          cards.length === 0 ? (
            <NoCard />
          ) : (
            <Stack gap="md">
              <AtReader cards={cards} />
              {cards.map((card) => (
                <OwnCard key={card.id} card={card} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Page>
  )
}

function AtReader({ cards }: { cards: readonly Card[] }) {
  const { found, drive, look } = useReaders()
  const [connecting, setConnecting] = useState(false)
  if (found === undefined) return <LoadingState lines={2} />
  if (!found.connected)
    return (
      <>
        <Alert color="blue" title={t('No card reader here')}>
          <Stack gap="sm" align="flex-start">
            {t(
              'To change the PIN or renew certificates, use a machine with a reader and the security client. You can report a card lost from anywhere.',
            )}
            {!connecting && (
              <Button variant="default" onClick={() => setConnecting(true)}>
                {t('I have a reader')}
              </Button>
            )}
          </Stack>
        </Alert>
        {connecting && <ClientPanel />}
      </>
    )
  return (
    <ReaderPanels
      readers={found.readers}
      drive={drive}
      look={look}
      own={(serial) => {
        const card = cards.find(({ serialNumber }) => serialNumber === serial)
        return card && { cardTemplateId: card.cardTemplateId, hasPassphrase: card.hasPassphrase }
      }}
    />
  )
}

function OwnCard({ card }: { card: Card }) {
  const { serialNumber: serial, cardTemplateName, certificates, expires, hasPassphrase, extensions } = card
  const status = card.status.toUpperCase() as CardStatus
  const lost = useSend(smartcards.calls.lost, { quiet: true, invalidates: ['certificates'] })
  const [changing, setChanging] = useState(false)
  const report = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Report the card {serial} lost?', { serial }),
      consequence: t('Its certificates are revoked at once. This cannot be undone, also if you find the card again.'),
      action: t('Report lost'),
      keep: t('Keep card'),
      danger: true,
    })
    if (!sure) return
    try {
      const { certRevokeError } = await lost.run({ card_id: cardNamed(serial) })
      if (certRevokeError === undefined) toast({ kind: 'success', title: t('Successfully updated card status') })
      else toast({ kind: 'error', title: t('Unable to update card status'), text: certRevokeError })
    } catch (error) {
      toastFault(error, t('Unable to update card status'))
    }
  }
  return (
    <Section title={t('Card {serial}', { serial })}>
      <Stack gap="md">
        <Facts
          items={[
            { label: t('Status'), value: <CardStatusMark of={status} pinBlocked={card.pinBlocked} /> },
            cardTemplateName !== '' && { label: t('Template'), value: cardTemplateName },
            { label: t('Certificates'), value: certificates },
            expires !== undefined && { label: t('Expires'), value: <DateTime at={expires} dateOnly /> },
          ]}
        />
        {extensions.temporary_card && <Text c="dimmed">{t('A temporary card, which stands for another one.')}</Text>}
        {changing ? (
          <ChangePassphrase serial={serial} isFirst={!hasPassphrase} onDone={() => setChanging(false)} />
        ) : (
          <Group>
            {status === 'ISSUED' && (
              <Button variant="default" onClick={() => setChanging(true)}>
                {hasPassphrase ? t('Change passphrase') : t('Set passphrase')}
              </Button>
            )}
            {losable.includes(status) && (
              <Button variant="light" color="red" loading={lost.pending} onClick={() => void report()}>
                {t('Report lost')}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Section>
  )
}

/** Leads to the form by which a person asks for a card, where there is one. */
function NoCard() {
  const viewer = useViewer()
  const rooms = roomsStore()
  const asking = useOffers(selfActions).find(({ key }) => key === 'card')
  const path = asking === undefined ? undefined : pathOfPlace(rooms, viewer.permission.View, asking)
  return (
    <EmptyState
      title={t('You have no smartcard')}
      text={t('The card desk gives you one, or you ask for one where that is offered.')}
      {...(path === undefined ? {} : { action: <LinkButton to={path}>{t('Request smartcard')}</LinkButton> })}
    />
  )
}
