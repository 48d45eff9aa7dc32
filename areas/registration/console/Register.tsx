// Asks for an account. What is shown afterwards is the same whatever comes of it.

import { Alert, Text } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { sessions } from '#areas/sessions/contract.ts'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { registration } from '../contract.ts'

export function Register() {
  const [search] = useSearchParams()
  const code = search.get('code') ?? ''
  const [sentTo, setSentTo] = useState('')
  const login = to(sessions.screens.login)
  if (sentTo !== '')
    return (
      <Page title={t('Register')}>
        <Alert icon={<IconMail size={18} aria-hidden />} title={t('Look into your inbox')} role="status">
          {t('If registration is open to {emailAddress}, a mail is on its way. Its link works once, for 24 hours.', {
            emailAddress: sentTo,
          })}
        </Alert>
        <Text size="sm" c="dimmed">
          {t('No mail after five minutes? Look into the spam folder, or ask your organisation whether it lets people register.')}
        </Text>
        <LinkButton to={login} variant="default">
          {t('Back to sign-in')}
        </LinkButton>
      </Page>
    )
  return (
    <Page title={t('Register')} intro={t('Ask for an account. You get a mail with a link that proves your address.')}>
      <Form
        call={registration.calls.register}
        initial={{ givenName: '', familyName: '', emailAddress: '', code }}
        submit={t('Send link')}
        guard={false}
        cancel={{ label: t('Back to sign-in'), to: login }}
        onDone={(_answer, { emailAddress }) => setSentTo(emailAddress.trim())}
      >
        {(form) => (
          <>
            <TextField {...form.field('givenName')} label={t('Given name')} autoComplete="given-name" autoFocus required />
            <TextField {...form.field('familyName')} label={t('Family name')} autoComplete="family-name" required />
            <TextField
              {...form.field('emailAddress')}
              label={t('E-mail address')}
              hint={t('The one that your organisation knows.')}
              type="email"
              autoComplete="email"
              required
            />
          </>
        )}
      </Form>
    </Page>
  )
}
