// The way from the sign-in page for who has forgotten the password.

import { TextLink } from '#core/console/kit/links.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { recovery } from '../contract.ts'

export function ForgottenLink() {
  return <TextLink to={to(recovery.screens.request)}>{t('Forgot your password?')}</TextLink>
}
