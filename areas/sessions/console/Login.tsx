// Sign-in: name and password, then the code. The first time, the code is set up here.

import { Alert, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { Navigate, useSearchParams } from 'react-router'
import { CapsLockHint } from '#areas/users/CapsLockHint.tsx'
import { useBootstrap } from '#core/console/bootstrap.ts'
import { CallFault } from '#core/console/call-fault.ts'
import { PasswordField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { sessionHasEnded } from '#core/console/leave-session.ts'
import { ownPath } from '#core/console/navigate.ts'
import { usePublicBrand, type PublicBrand } from '#core/console/public-brand.ts'
import { useOffers } from '#core/console/rooms.ts'
import { enterConsole } from '#core/console/session.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { homePath } from '#core/contract/pages.ts'
import { CodeEnrolment, type CodeOffer } from '../CodeEnrolment.tsx'
import { CodeForm } from '../CodeForm.tsx'
import { sessions } from '../contract.ts'
import { Terms } from '../Terms.tsx'
import { signInWays } from '../ways.ts'

type SignIn = { username: string; password: string }
type Step = { brand?: PublicBrand | undefined; disclaimer?: string | undefined } & (
  | { at: 'password' }
  | { at: 'code' }
  | { at: 'enrol'; offer: CodeOffer }
)

/** What is asked next. Anything but a time-based code is not known here. */
function nextStep(answer: OutputOf<typeof sessions.calls.login>): Step | 'in' {
  if (Array.isArray(answer)) return 'in'
  if (answer.further_required_auth !== 'TOTP')
    throw new CallFault({
      code: 'unknown_authentication',
      says: t('Unknown Further Authentication Type'),
      title: t('Sign-in failed'),
      transport: 'bad_response',
    })
  const { brand, disclaimer, qr, otpauth = '', secret = '', recovery_codes: recoveryCodes = [] } = answer
  return qr === undefined
    ? { at: 'code', brand, disclaimer }
    : { at: 'enrol', brand, disclaimer, offer: { qr, otpauth, secret, recoveryCodes } }
}

export function Login() {
  const [search] = useSearchParams()
  const redirect = search.get('redirect')
  const { signedIn, setupNeeded, disclaimer } = useBootstrap()
  const ways = useOffers(signInWays)
  const [step, setStep] = useState<Step>({ at: 'password' })
  const [ended] = useState(sessionHasEnded)
  usePublicBrand(step.brand)
  const enter = () => enterConsole(redirect)
  const again = { label: t('Start again'), onClick: () => setStep({ at: 'password' }) }

  if (signedIn && step.at === 'password') return <Navigate to={ownPath(redirect)} replace />
  if (step.at === 'enrol')
    return (
      <Page title={t('Set up your sign-in code')} intro={t('From now on you sign in with your password and a code from an app.')}>
        <CodeEnrolment offer={step.offer} submit={t('Sign in')} onDone={enter} cancel={again} />
        <Terms text={step.disclaimer} />
      </Page>
    )
  if (step.at === 'code')
    return (
      <Page title={t('Enter your code')}>
        <CodeForm submit={t('Sign in')} onDone={enter} cancel={again} />
        <Terms text={step.disclaimer} />
      </Page>
    )
  return (
    <Page
      title={t('Sign in')}
      intro={redirect === null || ownPath(redirect) === homePath ? undefined : t('Sign in to go on. You come back to where you were.')}
    >
      {setupNeeded && (
        <Alert icon={<IconInfoCircle size={18} aria-hidden />} title={t('Chancery is not set up yet')}>
          {t('Open the set-up link that the server printed when it started. It works once, within 24 hours.')}
        </Alert>
      )}
      {ended && (
        <Alert role="status" icon={<IconInfoCircle size={18} aria-hidden />}>
          {t('Your session has ended.')}
        </Alert>
      )}
      <Form
        call={sessions.calls.login}
        initial={{ username: '', password: '' }}
        toInput={({ username, password }: SignIn) => ({ username: username.trim(), password })}
        submit={t('Sign in')}
        guard={false}
        onDone={async (answer) => {
          const next = nextStep(answer)
          if (next === 'in') await enter()
          else setStep(next)
        }}
      >
        {(form) => (
          <>
            <TextField {...form.field('username')} label={t('Username')} autoComplete="username webauthn" autoFocus required />
            <CapsLockHint>
              <PasswordField {...form.field('password')} label={t('Password')} autoComplete="current-password" required />
            </CapsLockHint>
          </>
        )}
      </Form>
      {ways.map(({ key, load: Way }) => (
        <Suspense key={key}>
          <Way onDone={enter} />
        </Suspense>
      ))}
      <Terms text={disclaimer} />
      <Text size="sm" c="dimmed">
        {t('Cannot sign in? Your administrator can send you a new link.')}
      </Text>
    </Page>
  )
}
