// The forms of the page without an account: the PIN by the one before, by the answers of the holder, or by the passphrase.

import { Button, Stack } from '@mantine/core'
import { PasswordField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { FaultAlert, LoadingState } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { smartcards } from '../contract.ts'
import { cardIn } from './card-id.ts'
import { PinField } from './PinField.tsx'
import { AnswersForm, pinHint } from './PinForms.tsx'
import type { Reader } from './reader-state.ts'

export type CardHere = { serial: string; reader: Reader; onDone: () => void }

const { calls } = smartcards
const cardOf = ({ serial, reader }: CardHere) => cardIn(serial, reader)
const shared = ({ onDone }: CardHere) => ({ cancel: { label: t('Cancel'), onClick: onDone }, guard: false, onDone: () => onDone() })

export function AnonymousChangePin(card: CardHere) {
  return (
    <Form
      call={calls.anonymousChangePin}
      initial={{ card_id: cardOf(card), old_pin: '', new_pin: '' }}
      submit={t('Change PIN')}
      {...shared(card)}
    >
      {(form) => (
        <>
          <PinField {...form.field('old_pin')} label={t('Present PIN')} />
          <PinField {...form.field('new_pin')} label={t('New PIN')} hint={pinHint(card.reader)} />
        </>
      )}
    </Form>
  )
}

/** The questions are told once the card has proved which card it is. */
export function AnonymousAnswers(card: CardHere) {
  const found = useCall(calls.anonymousQuestions, { card_id: cardOf(card) })
  if (found.error !== null)
    return (
      <Stack gap="md" align="flex-start">
        <FaultAlert fault={found.error} />
        <Button variant="default" onClick={card.onDone}>
          {t('Cancel')}
        </Button>
      </Stack>
    )
  if (found.data === undefined) return <LoadingState lines={2} />
  return <AnswersForm {...card} asked={found.data} call={calls.anonymousResetByAnswers} hint={pinHint(card.reader)} />
}

export function AnonymousPassphrase(card: CardHere) {
  return (
    <Form
      call={calls.anonymousResetByPassphrase}
      initial={{ card_id: cardOf(card), passphrase: '', pin: '' }}
      submit={t('Unblock card')}
      {...shared(card)}
    >
      {(form) => (
        <>
          <PasswordField {...form.field('passphrase')} label={t('Passphrase')} autoComplete="off" required />
          <PinField {...form.field('pin')} label={t('New PIN')} hint={pinHint(card.reader)} />
        </>
      )}
    </Form>
  )
}
