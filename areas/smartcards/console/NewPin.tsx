// A PIN that is to be set, with what is wrong with it.

import { t } from '#core/console/text.ts'
import { pinFault } from '../rules.ts'
import type { useFields } from './field-values.ts'
import { PinField } from './PinField.tsx'
import { usePinHint, type AtCard } from './PinForms.tsx'

export const pinWrong = (pin: string | undefined): string | undefined => {
  const fault = pinFault(pin ?? '')
  return fault === undefined ? undefined : t(fault)
}

export function NewPinField({
  card,
  ...field
}: { card: AtCard } & ReturnType<ReturnType<typeof useFields<{ pin: string | undefined }>>['field']>) {
  return <PinField {...field} label={t('New PIN')} hint={usePinHint(card)} />
}
