// The card in a reader of somebody without an account: behind a valid address they connect the reader, change the PIN of the card in it, or unblock it.

import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { IconLinkOff } from '@tabler/icons-react'
import { useEffect, useState, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { portal } from '#areas/portal/contract.ts'
import { asCallFault, CallFault } from '#core/console/call-fault.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { EmptyState, ErrorState, LoadingState } from '#core/console/kit/states.tsx'
import { usePublicBrand, type PublicBrand } from '#core/console/public-brand.ts'
import { useCall } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { smartcards } from '../contract.ts'
import { AnonymousAnswers, AnonymousChangePin, AnonymousPassphrase, type CardHere } from './AnonymousForms.tsx'
import { connectAnonymously, connectFaultOf, leaveLocalClient } from './local-client.ts'
import type { Reader } from './reader-state.ts'
import { readerTitle } from './status-words.ts'

const lookMilliseconds = 2_000

export function ManageCard() {
  const [search] = useSearchParams()
  const code = search.get('code') ?? ''
  const [opened, setOpened] = useState<PublicBrand | CallFault>()
  useEffect(() => {
    if (code === '') return
    let gone = false
    send(portal.calls.openSession, { code }).then(
      ({ tenancyName: name, bannerColour, supportEmail }) => void (gone || setOpened({ name, bannerColour, supportEmail })),
      (error: unknown) => void (gone || setOpened(asCallFault(error))),
    )
    return () => void (gone = true)
  }, [code])
  const failed = opened instanceof CallFault
  usePublicBrand(failed ? undefined : opened)
  return (
    <Page title={t('Manage a smartcard')}>
      {code === '' ? (
        <Text>{t('To change or reset the PIN of your card, open the whole address that you were given.')}</Text>
      ) : opened === undefined ? (
        <LoadingState />
      ) : !failed ? (
        <Readers />
      ) : opened.code === 'invalidCode' ? (
        <EmptyState
          icon={IconLinkOff}
          title={t('This address is not valid')}
          text={t('It may be incomplete, or a newer one was made. Ask whoever gave it to you for the present one.')}
        />
      ) : (
        <ErrorState fault={opened} />
      )}
    </Page>
  )
}

function Readers() {
  const found = useCall(smartcards.calls.anonymousReaders, {}, { refetchMilliseconds: lookMilliseconds })
  // Whoever sits there next finds no client that is still joined.
  useEffect(() => {
    window.addEventListener('pagehide', leaveLocalClient)
    return () => {
      window.removeEventListener('pagehide', leaveLocalClient)
      leaveLocalClient()
    }
  }, [])
  if (found.error?.code === 'noClient') return <Connect onConnected={() => void found.refetch()} />
  if (found.error !== null) return <ErrorState fault={found.error} />
  if (found.data === undefined) return <LoadingState />
  if (found.data.readers.length === 0) return <EmptyState title={t('No reader')} text={t('Plug a card reader into this machine.')} />
  return (
    <Stack gap="md">
      {found.data.readers.map((reader) => (
        <Section key={reader.name} title={readerTitle(reader)}>
          <InReader reader={reader} />
        </Section>
      ))}
    </Stack>
  )
}

function Connect({ onConnected }: { onConnected: () => void }) {
  const [state, setState] = useState<{ connecting: boolean; fault?: { title: string; says: string } }>({ connecting: false })
  const connect = async (): Promise<void> => {
    setState({ connecting: true })
    try {
      await connectAnonymously()
      onConnected()
    } catch (error) {
      setState({ connecting: false, fault: connectFaultOf(error) })
    }
  }
  return (
    <Section title={t('Connect the card reader')}>
      <Stack gap="md">
        {state.fault !== undefined && (
          <Alert color="red" title={state.fault.title}>
            {state.fault.says}
          </Alert>
        )}
        <List type="ordered" size="sm">
          <List.Item>{t('Start the security client on this machine.')}</List.Item>
          <List.Item>
            {t('Press the button. Where the browser asks whether this page may reach devices on this machine, allow it.')}
          </List.Item>
        </List>
        <Group>
          <Button loading={state.connecting} onClick={() => void connect()}>
            {t('Connect this machine')}
          </Button>
        </Group>
      </Stack>
    </Section>
  )
}

type Deed = { key: string; label: string; form: (card: CardHere) => ReactNode }

const deeds = (): Deed[] => [
  { key: 'changePin', label: t('Change PIN'), form: (card) => <AnonymousChangePin {...card} /> },
  { key: 'answers', label: t('Unblock by secret questions'), form: (card) => <AnonymousAnswers {...card} /> },
  { key: 'passphrase', label: t('Unblock by passphrase'), form: (card) => <AnonymousPassphrase {...card} /> },
]

function InReader({ reader }: { reader: Reader }) {
  const card = reader.smartcard
  if (card === undefined) return <Text c="dimmed">{t('Put your card into the reader.')}</Text>
  if (card.serialNumber === undefined)
    return (
      <Alert color="orange" title={t('The card cannot be used')}>
        {card.trouble}
      </Alert>
    )
  return <Deeds key={card.serialNumber} reader={reader} serial={card.serialNumber} />
}

function Deeds({ reader, serial }: { reader: Reader; serial: string }) {
  const [doing, setDoing] = useState<string>()
  const deed = deeds().find(({ key }) => key === doing)
  return (
    <Stack gap="md">
      <Facts items={[{ label: t('Serial number'), value: serial, copy: serial }]} />
      {deed === undefined ? (
        <Group>
          {deeds().map(({ key, label }) => (
            <Button key={key} variant="default" onClick={() => setDoing(key)}>
              {label}
            </Button>
          ))}
        </Group>
      ) : (
        deed.form({ serial, reader, onDone: () => setDoing(undefined) })
      )}
    </Stack>
  )
}
