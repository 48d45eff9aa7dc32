import type { ComponentProps } from 'react'
import { PasswordField } from '#core/console/kit/fields.tsx'
import { t } from '#core/console/text.ts'

export const PinField = (props: Omit<ComponentProps<typeof PasswordField>, 'eye' | 'autoComplete' | 'required'>) => (
  <PasswordField {...props} eye={t('Show or hide the PIN')} autoComplete="off" required />
)
