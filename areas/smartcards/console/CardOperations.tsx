// New keys and certificates on a card, and the end of a card.

import { confirm } from '#core/console/kit/confirm.tsx'
import { SwitchField } from '#core/console/kit/fields.tsx'
import { send } from '#core/console/send.ts'
import { openStream } from '#core/console/stream.ts'
import { t } from '#core/console/text.ts'
import { smartcards } from '../contract.ts'
import { cardIn } from './card-id.ts'
import { useFields } from './field-values.ts'
import { OperationForm } from './OperationForm.tsx'
import { PinField } from './PinField.tsx'
import type { AtCard } from './PinForms.tsx'
import type { Drive } from './use-readers.ts'

type Driven = AtCard & { drive: Drive }

const agreesToWait = (slots: readonly string[]): Promise<boolean> =>
  confirm({
    title: t('Replace the keys before somebody agrees?'),
    consequence: t(
      'The keys in {slots} are replaced now; the new certificates wait for approval. Until then the card cannot sign in with them.',
      { slots: slots.join(', ') },
    ),
    action: t('Replace the keys'),
    keep: t('Keep the keys'),
    danger: true,
  })

/** `own`: whoever holds the card does not choose when the certificates before are revoked. */
export function ReissueCard({ serial, reader, onDone, drive, own = false }: Driven & { own?: boolean }) {
  const { values, field, say } = useFields<{ pin: string | undefined; forceRevoke: boolean }>({ pin: '', forceRevoke: false })
  return (
    <OperationForm
      reader={reader}
      label={t('Renew certificates')}
      done={t('Certificate renewed successfully!')}
      onDone={onDone}
      check={() => say({ pin: (values.pin ?? '') === '' ? t('Enter the PIN of the card') : undefined })}
      run={async () => {
        // A wrong PIN is told before anything is begun.
        await send(smartcards.calls.checkPin, { card_id: cardIn(serial, reader), pin: values.pin ?? '' })
        const { waiting } = await send(smartcards.calls.beforeReissue, { serial })
        if (waiting.length > 0 && !(await agreesToWait(waiting))) return 'calledOff'
        await drive(
          reader.name,
          t('Reissuing Smartcard'),
          openStream(smartcards.streams.reissue, {
            card_id: cardIn(serial, reader),
            card_pin: values.pin ?? '',
            forceRevoke: values.forceRevoke,
            replaceNow: waiting.length > 0,
          }),
        )
        return undefined
      }}
    >
      <PinField {...field('pin')} label={t('Present PIN')} hint={t('The card makes new keys and gets new certificates. Its PIN stays.')} />
      {!own && (
        <SwitchField
          {...field('forceRevoke')}
          label={t('Revoke the certificates of before first')}
          hint={t('Otherwise they are revoked when the new ones are on the card.')}
        />
      )}
    </OperationForm>
  )
}

export function UnregisterCard({ serial, reader, onDone, drive }: Driven) {
  return (
    <OperationForm
      reader={reader}
      label={t('Unregister card')}
      danger
      done={t('Smartcard unregistered successfully')}
      onDone={onDone}
      run={async () => {
        const ended = await drive(
          reader.name,
          t('Unregistering Smartcard'),
          openStream(smartcards.streams.unregister, { card_id: cardIn(serial, reader) }),
        )
        return ended?.pkiError === undefined ? undefined : { failed: t('Smartcard could not be unregistered'), text: ended.pkiError }
      }}
    >
      {t('Its certificates are revoked, its keys are deleted, and it has the PIN and PUK of the factory again. This cannot be undone.')}
    </OperationForm>
  )
}
