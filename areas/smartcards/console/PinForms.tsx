import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { AnswerField } from '#areas/questions/AnswerField.tsx'
import { questionLabel } from '#areas/questions/question-label.ts'
import type { OwnQuestions } from '#areas/questions/rules.ts'
import { PasswordField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { EmptyState, FaultAlert, LoadingState } from '#core/console/kit/states.tsx'
import { changed, useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { smartcards } from '../contract.ts'
import { cardIn, cardNamed } from './card-id.ts'
import { PinField } from './PinField.tsx'
import type { Reader, ReaderState } from './reader-state.ts'

export type AtCard = { serial: string; reader: ReaderState; onDone: () => void }

const { calls } = smartcards
/** What holds where the card cannot be asked. */
const usual = { minLength: 6, maxLength: 8, digitsOnly: true }

/** What a new PIN must be, as the client says of this card. */
export function usePinHint({ serial, reader }: Pick<AtCard, 'serial' | 'reader'>): string {
  const asked = useCall(calls.pinRequirements, { card_id: cardIn(serial, reader) })
  if (asked.error !== null) return t('error getting pin requirements: {reason}', { reason: asked.error.says })
  return pinHint(asked.data ?? {})
}

/** The same where the reader has told it. */
export function pinHint({
  pinRequirements = usual,
  pinRequirementDescriptionOverride: says,
}: Pick<Reader, 'pinRequirements' | 'pinRequirementDescriptionOverride'>): string {
  if (says !== undefined) return t(says)
  const { minLength, maxLength } = pinRequirements
  return t('{minLength} to {maxLength} digits, no run of four equal or consecutive ones', { minLength, maxLength })
}

/** A wrong PIN has cost a try, and may have blocked the card. */
const lookAgain = () => changed('smartcards')

export function ChangePin(card: AtCard) {
  const { serial, reader, onDone } = card
  const hint = usePinHint(card)
  return (
    <Form
      call={calls.changePin}
      initial={{ card_id: cardIn(serial, reader), old_pin: '', new_pin: '' }}
      submit={t('Change PIN')}
      cancel={{ label: t('Cancel'), onClick: onDone }}
      guard={false}
      onDone={onDone}
      onFailed={lookAgain}
    >
      {(form) => (
        <>
          <PinField {...form.field('old_pin')} label={t('Present PIN')} />
          <PinField {...form.field('new_pin')} label={t('New PIN')} hint={hint} />
        </>
      )}
    </Form>
  )
}

export function CheckPin({ serial, reader, onDone }: AtCard) {
  return (
    <Form
      call={calls.checkPin}
      initial={{ card_id: cardIn(serial, reader), pin: '' }}
      submit={t('Check PIN')}
      cancel={{ label: t('Cancel'), onClick: onDone }}
      guard={false}
      onDone={onDone}
      onFailed={lookAgain}
    >
      {(form) => <PinField {...form.field('pin')} label={t('Present PIN')} />}
    </Form>
  )
}

export function Unblock(card: AtCard) {
  const { serial, reader, onDone } = card
  const hint = usePinHint(card)
  return (
    <Form
      call={calls.unblock}
      initial={{ card_id: cardIn(serial, reader), new_pin: '' }}
      submit={t('Unblock card')}
      cancel={{ label: t('Cancel'), onClick: onDone }}
      guard={false}
      onDone={onDone}
    >
      {(form) => <PinField {...form.field('new_pin')} label={t('New PIN')} hint={hint} />}
    </Form>
  )
}

/** The answers of the card's holder open it, together with the card. `onUnblock`: the card desk does it without them. */
export function UnblockByAnswers({ onUnblock, ...card }: AtCard & { onUnblock?: () => void }) {
  const found = useCall(calls.secretQuestions, { card_serial: card.serial })
  const back = (
    <Button variant="default" onClick={card.onDone}>
      {t('Cancel')}
    </Button>
  )
  if (found.error?.status === 404)
    return (
      <EmptyState
        title={t('No secret questions')}
        text={
          onUnblock === undefined
            ? t('The holder of this card has set none. The card desk can unblock the card.')
            : t('The holder of this card has set none. You can unblock the card without them.')
        }
        action={
          <Group justify="center">
            {onUnblock !== undefined && <Button onClick={onUnblock}>{t('Unblock card')}</Button>}
            {back}
          </Group>
        }
      />
    )
  if (found.error !== null)
    return (
      <Stack gap="md" align="flex-start">
        <FaultAlert fault={found.error} />
        {back}
      </Stack>
    )
  return found.data === undefined ? <LoadingState lines={2} /> : <Answers {...card} asked={found.data} />
}

/** Fields have the names that the call has for them, so that each fault is said once and at its field. */
type AnswerValues = { new_pin: string; secret_answers: { answers: { answer_hash: string; answer_hash_updated: string }[] } }

function Answers({ asked, ...card }: AtCard & { asked: OwnQuestions }) {
  return <AnswersForm {...card} asked={asked} call={calls.resetPinByAnswers} hint={usePinHint(card)} />
}

type AnswersProps = Pick<AtCard, 'serial' | 'onDone'> & {
  reader: Pick<Reader, 'name'>
  asked: OwnQuestions
  call: typeof calls.resetPinByAnswers | typeof calls.anonymousResetByAnswers
  hint: string
}

export function AnswersForm({ serial, reader, onDone, asked, call, hint }: AnswersProps) {
  const { clientSalt, questions, version } = asked
  return (
    <Form
      call={call}
      initial={{ new_pin: '', secret_answers: { answers: questions.map(() => ({ answer_hash: '', answer_hash_updated: '' })) } }}
      toInput={({ new_pin, secret_answers: { answers } }: AnswerValues) => ({
        card_id: cardIn(serial, reader),
        new_pin,
        secret_answers: {
          client_salt: clientSalt,
          answers: questions.map((question, at) => {
            const { answer_hash = '', answer_hash_updated = '' } = answers[at] ?? {}
            return { ...question, answer_hash, ...(answer_hash_updated === '' ? {} : { answer_hash_updated }) }
          }),
        },
      })}
      submit={t('Unblock card')}
      cancel={{ label: t('Cancel'), onClick: onDone }}
      guard={false}
      onDone={onDone}
    >
      {(form) => (
        <Stack gap="md">
          {questions.map((question, at) => (
            <AnswerField
              key={questionLabel(question)}
              {...form.field(`secret_answers.answers.${at}.answer_hash`)}
              label={questionLabel(question)}
              salt={clientSalt}
              version={version}
              onUpdated={(lowered) => form.set(`secret_answers.answers.${at}.answer_hash_updated`, lowered ?? '')}
            />
          ))}
          <PinField {...form.field('new_pin')} label={t('New PIN')} hint={hint} />
        </Stack>
      )}
    </Form>
  )
}

/** The passphrase is verified first, so that a wrong one is told before anything is done with the card. */
export function UnblockByPassphrase(card: AtCard) {
  const { serial, reader, onDone } = card
  const hint = usePinHint(card)
  const [passphrase, setPassphrase] = useState<string>()
  const cancel = { label: t('Cancel'), onClick: onDone }
  if (passphrase === undefined)
    return (
      <Form
        call={calls.checkPassphrase}
        initial={{ card_id: cardNamed(serial), passphrase: '' }}
        submit={t('Check passphrase')}
        cancel={cancel}
        guard={false}
        onDone={(_answer, values) => setPassphrase(values.passphrase)}
      >
        {(form) => <PasswordField {...form.field('passphrase')} label={t('Passphrase')} autoComplete="off" required />}
      </Form>
    )
  return (
    <Form
      call={calls.resetPinByPassphrase}
      initial={{ pin: '' }}
      toInput={({ pin }: { pin: string }) => ({ card_id: cardIn(serial, reader), passphrase, pin })}
      submit={t('Unblock card')}
      cancel={cancel}
      guard={false}
      onDone={onDone}
    >
      {(form) => <PinField {...form.field('pin')} label={t('New PIN')} hint={hint} />}
    </Form>
  )
}

export function ChangePassphrase({ serial, isFirst, onDone }: { serial: string; isFirst: boolean; onDone: () => void }) {
  return (
    <Form
      call={calls.changePassphrase}
      initial={{ card_id: cardNamed(serial), old_passphrase: '', new_passphrase: '' }}
      submit={isFirst ? t('Set passphrase') : t('Change passphrase')}
      cancel={{ label: t('Cancel'), onClick: onDone }}
      guard={false}
      onDone={onDone}
    >
      {(form) => (
        <>
          {!isFirst && <PasswordField {...form.field('old_passphrase')} label={t('Present passphrase')} autoComplete="off" required />}
          <PasswordField
            {...form.field('new_passphrase')}
            label={t('New passphrase')}
            hint={t('At least 12 characters. It unblocks the card together with the card itself.')}
            autoComplete="off"
            required
          />
        </>
      )}
    </Form>
  )
}
