import { openStream } from '#core/console/stream.ts'
import { t } from '#core/console/text.ts'
import { smartcards } from '../contract.ts'
import { cardIn } from './card-id.ts'
import { useFields } from './field-values.ts'
import type { HalfDone } from './HalfDone.tsx'
import { NewPinField, pinWrong } from './NewPin.tsx'
import { OperationForm } from './OperationForm.tsx'
import type { AtCard } from './PinForms.tsx'
import type { Drive } from './use-readers.ts'

/** Goes on with what stopped: for the same person, by the same template. The PIN that was set before is known to nobody here. */
export function ResumeIssue({ half, ...props }: AtCard & { drive: Drive; half: HalfDone }) {
  const { serial, reader, onDone, drive } = props
  const { cardTemplateId, userId, standsFor } = half
  const { values, field, say } = useFields<{ pin: string | undefined }>({ pin: '' })
  const card_id = cardIn(serial, reader)
  const new_pin = values.pin ?? ''
  // An assigned card knows by itself what it stands for.
  const stream = () =>
    standsFor === undefined || reader.smartcard?.status === 'ASSIGNED'
      ? openStream(smartcards.streams.issue, { card_id, cardTemplateId, user_ids: [userId], new_pin })
      : openStream(smartcards.streams.issueTemporary, {
          card_request: { card_id, cardTemplateId, new_pin, validity_duration: half.days ?? 0 },
          old_card_id: standsFor,
        })
  return (
    <OperationForm
      reader={reader}
      label={t('Go on')}
      done={t('Smartcard issued successfully!')}
      onDone={onDone}
      check={() => say({ pin: pinWrong(values.pin) })}
      run={async () => {
        await drive(reader.name, t('Issuing Smartcard'), stream())
        return undefined
      }}
    >
      {t('For {name}, by the template {template}. Set a PIN again: the one of before is known to nobody here.', {
        name: half.userName,
        template: half.cardTemplateName,
      })}
      <NewPinField {...field('pin')} card={props} />
    </OperationForm>
  )
}
