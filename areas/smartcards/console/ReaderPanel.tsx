// One reader, the card in it, and what can be done with that card now: at the card desk, or by its holder.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { LoadingState } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { changed, useCall, useSend } from '#core/console/queries.ts'
import { openStream } from '#core/console/stream.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { toast } from '#core/console/toasts.ts'
import { to } from '#core/contract/paths.ts'
import { smartcards } from '../contract.ts'
import { inUseStatuses, issuableStatuses, losable, suspendable, type CardStatus } from '../rules.ts'
import { cardIn } from './card-id.ts'
import { SuspendDialog } from './CardDialogs.tsx'
import { ReissueCard, UnregisterCard } from './CardOperations.tsx'
import { CardStatusMark } from './CardStatusMark.tsx'
import { HalfDoneAlert, type HalfDone } from './HalfDone.tsx'
import { IssueCard, IssueOwnCard } from './IssueCard.tsx'
import { ChangePin, CheckPin, Unblock, UnblockByAnswers, UnblockByPassphrase, type AtCard } from './PinForms.tsx'
import type { ReaderState, Step } from './reader-state.ts'
import { ResumeIssue } from './ResumeIssue.tsx'
import { readerTitle } from './status-words.ts'
import { StepList } from './StepList.tsx'
import { useMoves } from './use-moves.ts'
import type { Drive } from './use-readers.ts'

/** `half`: what stopped on its way. `open`: turns to another deed. */
type Driven = AtCard & { drive: Drive; half: HalfDone | undefined; open: (key: string) => void }
type Own = { cardTemplateId: string | undefined; hasPassphrase: boolean }
type Deed = {
  key: string
  label: string
  primary?: boolean
  danger?: boolean
  /** It takes a PIN that is not blocked. */
  byPin?: boolean
  /** It ends a block. */
  unblocks?: boolean
  /** Where the card has one of these states; `none` is a card that is not registered. */
  at: readonly (CardStatus | 'none')[]
  form: (card: Driven) => ReactNode
}

const cleanable: readonly CardStatus[] = ['REGISTERED', 'ASSIGNED', 'LOST', 'REVOKED', 'UNKNOWN']
const anyRegistered: readonly CardStatus[] = ['REGISTERED', 'ASSIGNED', 'ISSUED', 'SUSPENDED', 'LOST', 'REVOKED', 'UNKNOWN']

const atDesk = (): Deed[] => [
  { key: 'registerAndIssue', label: t('Register and issue card'), at: ['none'], form: (card) => <IssueCard {...card} registers /> },
  { key: 'issue', label: t('Issue card'), primary: true, at: issuableStatuses, form: (card) => <IssueCard {...card} /> },
  {
    key: 'temporary',
    label: t('Issue temporary card'),
    at: ['REGISTERED', 'REVOKED'],
    form: (card) => <IssueCard {...card} temporary />,
  },
  { key: 'changePin', label: t('Change PIN'), byPin: true, at: ['ISSUED', 'SUSPENDED'], form: (card) => <ChangePin {...card} /> },
  { key: 'checkPin', label: t('Check PIN'), byPin: true, at: ['ISSUED', 'SUSPENDED'], form: (card) => <CheckPin {...card} /> },
  { key: 'unblock', label: t('Unblock card'), unblocks: true, at: ['ISSUED', 'SUSPENDED'], form: (card) => <Unblock {...card} /> },
  {
    key: 'answers',
    label: t('Unblock by secret questions'),
    at: ['ISSUED', 'SUSPENDED'],
    form: (card) => <UnblockByAnswers {...card} onUnblock={() => card.open('unblock')} />,
  },
  { key: 'reissue', label: t('Renew certificates'), byPin: true, at: ['ISSUED'], form: (card) => <ReissueCard {...card} /> },
  { key: 'resume', label: t('Go on'), at: [], form: ({ half, ...card }) => half && <ResumeIssue {...card} half={half} /> },
  { key: 'unregister', label: t('Unregister card'), danger: true, at: anyRegistered, form: (card) => <UnregisterCard {...card} /> },
]

const byHolder = ({ cardTemplateId, hasPassphrase }: Own): Deed[] => [
  ...(cardTemplateId === undefined
    ? []
    : [
        {
          key: 'issue',
          label: t('Issue card'),
          primary: true,
          at: ['ASSIGNED'] as const,
          form: (card: Driven) => <IssueOwnCard {...card} cardTemplateId={cardTemplateId} />,
        },
        {
          key: 'resume',
          label: t('Go on'),
          at: [] as const,
          form: ({ half, ...card }: Driven) => <IssueOwnCard {...card} cardTemplateId={half?.cardTemplateId ?? cardTemplateId} />,
        },
      ]),
  { key: 'changePin', label: t('Change PIN'), byPin: true, at: ['ISSUED'], form: (card) => <ChangePin {...card} /> },
  { key: 'answers', label: t('I forgot my PIN'), unblocks: true, at: ['ISSUED'], form: (card) => <UnblockByAnswers {...card} /> },
  ...(hasPassphrase
    ? [
        {
          key: 'passphrase',
          label: t('Unblock by passphrase'),
          at: ['ISSUED'] as const,
          form: (card: Driven) => <UnblockByPassphrase {...card} />,
        },
      ]
    : []),
  { key: 'reissue', label: t('Renew certificates'), byPin: true, at: ['ISSUED'], form: (card) => <ReissueCard {...card} own /> },
]

/** `own`: what the person who looks may know of their card by its serial number; left out at the card desk. */
type PanelProps = { reader: ReaderState; drive: Drive; look: () => Promise<void>; own?: (serial: string) => Own | undefined }

export function ReaderPanel({ reader, drive, look, own }: PanelProps) {
  const card = reader.smartcard
  const serial = card?.serialNumber
  return (
    <Section title={readerTitle(reader)} intro={reader.isVirtual ? t('A reader of software, to try cards without hardware') : undefined}>
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
        <CardInReader key={serial} serial={serial} reader={reader} drive={drive} look={look} {...(own === undefined ? {} : { own })} />
      )}
    </Section>
  )
}

function CardInReader({ serial, reader, drive, look, own }: PanelProps & { serial: string }) {
  const [doing, setDoing] = useState<string>()
  /** Steps that the person has read. */
  const [read, setRead] = useState<readonly Step[]>()
  const [suspending, setSuspending] = useState(false)
  const moves = useMoves({ serial }, () => void look())
  const clean = useSend(smartcards.calls.clean, { quiet: true })
  const card = reader.smartcard
  const status = card?.status === 'UNREGISTERED' ? undefined : card?.status
  const theirs = own?.(serial)
  const isStrange = own !== undefined && theirs === undefined
  const all = own === undefined ? atDesk() : theirs === undefined ? [] : byHolder(theirs)
  const half = useHalfDone(serial, isStrange ? undefined : status)
  const isBlocked = usePinBlocked(serial, reader, isStrange ? undefined : status)
  const deeds = all.filter(({ at, byPin = false }) => at.includes(status ?? 'none') && !(byPin && isBlocked))
  // Keeps the form that is open although the status changes on the way, because it says what came of it.
  const deed = all.find(({ key }) => key === doing)
  const done = () => setDoing(undefined)
  const open = (key: string) => {
    setRead(reader.events)
    setDoing(key)
  }
  const showsSteps = reader.events.length > 0 && reader.events !== read && reader.events.every(({ state }) => state === 'done')
  const register = async (): Promise<void> => {
    try {
      const input = { card_id: cardIn(serial, reader) }
      await drive(reader.name, t('Registering Smartcard'), openStream(smartcards.streams.register, input))
      toast({ kind: 'success', title: t('Registered Smartcard') })
      changed('smartcards')
    } catch (error) {
      toastFault(error, t('Smartcard could not be registered'))
    }
  }
  const askAndClean = async (): Promise<void> => {
    const isSure = await confirm({
      title: t('Clean the card {serial}?', { serial }),
      consequence: t(
        'Its keys and certificates are deleted from it, and it is nobody’s card any more. It stays registered. This cannot be undone.',
      ),
      action: t('Clean card'),
      keep: t('Keep card'),
      danger: true,
    })
    if (!isSure) return
    try {
      const { pkiError } = await clean.run({ card_id: cardIn(serial, reader) })
      if (pkiError === undefined) toast({ kind: 'success', title: t('Successfully updated card status') })
      else toast({ kind: 'error', title: t('Unable to update card status'), text: pkiError })
      await look()
    } catch (error) {
      toastFault(error, t('Unable to update card status'))
    }
  }
  return (
    <Stack gap="md">
      <Facts
        items={[
          { label: t('Serial number'), value: serial, copy: serial },
          { label: t('Status'), value: status === undefined ? t('Not registered') : <CardStatusMark of={status} /> },
          isBlocked && { label: t('PIN'), value: <Status of="failed" label={t('PIN blocked')} /> },
          card?.userName !== undefined && card.userName !== '' && { label: t('Holder'), value: card.userName },
          own === undefined &&
            card?.cardId !== undefined && {
              label: t('Record'),
              value: <TextLink to={to(smartcards.screens.view, { smartcardId: card.cardId })}>{t('View card')}</TextLink>,
            },
        ]}
      />
      {isStrange && <Text c="dimmed">{t('This is not your card.')}</Text>}
      {deed === undefined && half !== undefined && (
        <HalfDoneAlert half={half} onGoOn={() => open(half.kind === 'issue' ? 'resume' : 'reissue')} />
      )}
      {deed === undefined && (
        <Group>
          {own === undefined && status === undefined && (
            <Button loading={reader.showProgress} onClick={() => void register()}>
              {t('Register card')}
            </Button>
          )}
          {deeds.map(({ key, label, primary = false, danger = false, unblocks = false }) => (
            <Button
              key={key}
              variant={(primary && half === undefined) || (unblocks && isBlocked) ? 'filled' : danger ? 'light' : 'default'}
              {...(danger ? { color: 'red' } : {})}
              onClick={() => open(key)}
            >
              {label}
            </Button>
          ))}
          {own === undefined && status !== undefined && cleanable.includes(status) && (
            <Button variant="light" color="red" loading={clean.pending} onClick={() => void askAndClean()}>
              {t('Clean card')}
            </Button>
          )}
        </Group>
      )}
      {deed === undefined && own === undefined && status !== undefined && (
        <Moves status={status} moves={moves} onSuspend={() => setSuspending(true)} />
      )}
      {deed === undefined && showsSteps && (
        <Alert color="green" title={reader.operation} withCloseButton closeButtonLabel={t('Close')} onClose={() => setRead(reader.events)}>
          <StepList steps={reader.events} />
        </Alert>
      )}
      {deed?.form({ serial, reader, drive, half, open, onDone: done })}
      <SuspendDialog
        card={{ serial }}
        opened={suspending}
        onClose={() => {
          setSuspending(false)
          void look()
        }}
      />
    </Stack>
  )
}

const halfDoneSeconds = 15

/** Asks again now and then, because others agree elsewhere. */
function useHalfDone(serial: string, status: CardStatus | undefined): HalfDone | undefined {
  const enabled = status !== undefined && (status === 'ISSUED' || issuableStatuses.includes(status))
  const half = useCall(smartcards.calls.unfinished, { serial }, { enabled, refetchMilliseconds: halfDoneSeconds * 1_000 }).data?.operation
  return enabled && (half?.kind === 'reissue') === (status === 'ISSUED') ? half : undefined
}

function usePinBlocked(serial: string, reader: ReaderState, status: CardStatus | undefined): boolean {
  const enabled = (status === 'ISSUED' || status === 'SUSPENDED') && !reader.showProgress
  return useCall(smartcards.calls.pinTries, { card_id: cardIn(serial, reader) }, { enabled }).data?.left === 0 && enabled
}

type MovesProps = { status: CardStatus; moves: ReturnType<typeof useMoves>; onSuspend: () => void }

/** What can be done with the card as well where no reader is. Plain buttons: with a menu here the sign-in page would load the library that places menus. */
function Moves({ status, moves, onSuspend }: MovesProps) {
  const deeds = [
    suspendable.includes(status) && { label: t('Suspend card'), danger: false, onClick: onSuspend },
    status === 'SUSPENDED' && { label: t('Resume card'), danger: false, onClick: moves.resume },
    losable.includes(status) && { label: t('Report lost'), danger: true, onClick: moves.lost },
    inUseStatuses.includes(status) && { label: t('Revoke card'), danger: true, onClick: moves.revoke },
  ].filter((deed) => deed !== false)
  if (deeds.length === 0) return null
  return (
    <Group>
      {deeds.map(({ label, danger, onClick }) => (
        <Button key={label} variant={danger ? 'light' : 'default'} {...(danger ? { color: 'red' } : {})} onClick={onClick}>
          {label}
        </Button>
      ))}
    </Group>
  )
}
