// The card desk: the readers of the person who sits there, and what can be done with the card in each.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { EmptyState, LoadingState } from '#core/console/kit/states.tsx'
import { useSend } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { smartcards } from '../contract.ts'
import { issuableStatuses, pingMilliseconds } from '../rules.ts'
import { CardStatusMark } from './CardStatusMark.tsx'
import { ClientPanel } from './ClientPanel.tsx'
import { IssueCard } from './IssueCard.tsx'
import { ChangePin, Unblock } from './PinForms.tsx'
import { useReaders, type Reader } from './use-readers.ts'

export function CardDesk() {
  const found = useReaders()
  useEffect(() => {
    const timer = setInterval(() => void send(smartcards.calls.ping, {}).catch(() => {}), pingMilliseconds)
    return () => clearInterval(timer)
  }, [])
  return (
    <Page title={t('Card desk')} narrow>
      {found === undefined ? (
        <LoadingState />
      ) : !found.connected ? (
        <ClientPanel />
      ) : found.readers.length === 0 ? (
        <EmptyState title={t('No reader')} text={t('Plug a card reader into the machine of the security client.')} />
      ) : (
        <Stack gap="md">
          {found.readers.map((reader) => (
            <ReaderPanel key={reader.name} reader={reader} />
          ))}
        </Stack>
      )}
    </Page>
  )
}

type Doing = 'issue' | 'changePin' | 'unblock'

function ReaderPanel({ reader }: { reader: Reader & { processing: boolean } }) {
  const [doing, setDoing] = useState<Doing>()
  const register = useSend(smartcards.calls.register)
  const card = reader.smartcard
  const serial = card?.serialNumber
  // What the server knows of the card is newer than what the reader told.
  const status = register.answer?.serial === serial && card?.status === undefined ? register.answer?.status : card?.status
  const done = () => setDoing(undefined)
  return (
    <Section title={reader.name} intro={reader.isVirtual ? t('A reader of software, to try cards without hardware') : undefined}>
      {card === undefined ? (
        <Text c="dimmed">{t('Put a card into the reader.')}</Text>
      ) : serial === undefined ? (
        card.trouble === undefined ? (
          <LoadingState lines={2} />
        ) : (
          <Alert color="orange" title={t('The card cannot be used')}>
            {card.trouble}
          </Alert>
        )
      ) : (
        <Stack gap="md">
          <Facts
            items={[
              { label: t('Serial number'), value: serial, copy: serial },
              {
                label: t('Status'),
                value: status === undefined ? t('Not registered') : <CardStatusMark of={status} />,
              },
              card.userName !== undefined && card.userName !== '' && { label: t('Holder'), value: card.userName },
              card.cardId !== undefined && {
                label: t('Record'),
                value: <TextLink to={to(smartcards.screens.view, { smartcardId: card.cardId })}>{t('View card')}</TextLink>,
              },
            ]}
          />
          {doing === undefined && (
            <Group>
              {status === undefined && (
                <Button
                  loading={register.pending}
                  onClick={() =>
                    void register
                      .run({ card_id: { serial, readerName: reader.name } })
                      .catch((error: unknown) => toastFault(error, t('Smartcard could not be registered')))
                  }
                >
                  {t('Register card')}
                </Button>
              )}
              {status !== undefined && issuableStatuses.includes(status) && (
                <Button onClick={() => setDoing('issue')}>{t('Issue card')}</Button>
              )}
              {status === 'ISSUED' && (
                <>
                  <Button variant="default" onClick={() => setDoing('changePin')}>
                    {t('Change PIN')}
                  </Button>
                  <Button variant="default" onClick={() => setDoing('unblock')}>
                    {t('Unblock card')}
                  </Button>
                </>
              )}
            </Group>
          )}
          {doing === 'issue' && <IssueCard serial={serial} reader={reader.name} onDone={done} />}
          {doing === 'changePin' && <ChangePin serial={serial} reader={reader.name} onDone={done} />}
          {doing === 'unblock' && <Unblock serial={serial} reader={reader.name} onDone={done} />}
        </Stack>
      )}
    </Section>
  )
}
