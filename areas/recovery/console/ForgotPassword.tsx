// Asks for a mail with a reset link. What is shown afterwards is the same whether an account has the address or not.

import { Alert, Text } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { useReducer } from 'react'
import { sessions } from '#areas/sessions/contract.ts'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { recovery } from '../contract.ts'
import { initialReset, resetReducer } from '../rules.ts'

export function ForgotPassword() {
  const [state, dispatch] = useReducer(resetReducer, initialReset)
  const login = to(sessions.screens.login)
  if (state.emailAddress !== '')
    return (
      <Page title={t('Forgot your password')}>
        <Alert icon={<IconMail size={18} aria-hidden />} title={t('Look into your inbox')} role="status">
          {t('If an account has the address {emailAddress}, a mail is on its way. Its link works once, for 30 minutes.', {
            emailAddress: state.emailAddress,
          })}
        </Alert>
        <Text size="sm" c="dimmed">
          {t('No mail after five minutes? Look into the spam folder, or ask your administrator for a new link.')}
        </Text>
        <LinkButton to={login} variant="default">
          {t('Back to sign-in')}
        </LinkButton>
      </Page>
    )
  return (
    <Page title={t('Forgot your password')} intro={t('Enter the e-mail address of your account. You get a link to choose a new password.')}>
      <Form
        call={recovery.calls.request}
        initial={{ emailAddress: '' }}
        submit={t('Send link')}
        guard={false}
        cancel={{ label: t('Back to sign-in'), to: login }}
        onDone={(_answer, { emailAddress }) => dispatch({ type: 'requested', emailAddress: emailAddress.trim() })}
      >
        {(form) => (
          <TextField {...form.field('emailAddress')} label={t('E-mail address')} type="email" autoComplete="email" autoFocus required />
        )}
      </Form>
    </Page>
  )
}
