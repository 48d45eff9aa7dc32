import { PasswordField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { smartcards } from '../contract.ts'

export type AtCard = { serial: string; reader: string; onDone: () => void }

const pinHint = () => t('6 to 8 digits, no run of four equal or consecutive ones')

export function ChangePin({ serial, reader, onDone }: AtCard) {
  return (
    <Form
      call={smartcards.calls.changePin}
      initial={{ card_id: { serial, readerName: reader }, old_pin: '', new_pin: '' }}
      submit={t('Change PIN')}
      cancel={{ label: t('Cancel'), onClick: onDone }}
      guard={false}
      onDone={onDone}
    >
      {(form) => (
        <>
          <PasswordField {...form.field('old_pin')} label={t('Present PIN')} autoComplete="off" required />
          <PasswordField {...form.field('new_pin')} label={t('New PIN')} hint={pinHint()} autoComplete="off" required />
        </>
      )}
    </Form>
  )
}

export function Unblock({ serial, reader, onDone }: AtCard) {
  return (
    <Form
      call={smartcards.calls.unblock}
      initial={{ card_id: { serial, readerName: reader }, new_pin: '' }}
      submit={t('Unblock card')}
      cancel={{ label: t('Cancel'), onClick: onDone }}
      guard={false}
      onDone={onDone}
    >
      {(form) => <PasswordField {...form.field('new_pin')} label={t('New PIN')} hint={pinHint()} autoComplete="off" required />}
    </Form>
  )
}
