// A new person's first steps: who the link is for, a password, then the code.

import { Text } from '@mantine/core'
import { IconLinkOff } from '@tabler/icons-react'
import { useState } from 'react'
import { useParams } from 'react-router'
import { NewPasswordField } from '#areas/users/NewPasswordField.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { usePublicBrand } from '#core/console/public-brand.ts'
import { useCall } from '#core/console/queries.ts'
import { enterConsole } from '#core/console/session.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { homePath } from '#core/contract/pages.ts'
import { to } from '#core/contract/paths.ts'
import { CodeEnrolment, type CodeOffer } from '../CodeEnrolment.tsx'
import { sessions } from '../contract.ts'
import { Terms } from '../Terms.tsx'

type Person = Extract<OutputOf<typeof sessions.calls.readActivation>, { usable: true }>

export function ActivateAccount() {
  const { token = '' } = useParams()
  const [enrolment, setEnrolment] = useState<{ offer: CodeOffer; person: Person }>()
  const query = useCall(sessions.calls.readActivation, { token }, { enabled: enrolment === undefined })
  // The link is used up by the first step, so that asking again would not tell whose page the second one is.
  usePublicBrand(enrolment?.person.brand ?? (query.data?.usable === true ? query.data.brand : undefined))

  if (enrolment !== undefined)
    return (
      <Page
        title={t('Set up your sign-in code')}
        intro={t('Your password is set. One more step: from now on you sign in with it and a code from an app.')}
      >
        <CodeEnrolment offer={enrolment.offer} submit={t('Finish and sign in')} onDone={() => enterConsole(homePath)} />
      </Page>
    )
  if (query.data?.usable === false)
    return (
      <Page title={t('Activate your account')}>
        <EmptyState
          icon={IconLinkOff}
          title={t('This link does not work any more')}
          text={t(
            'It has been used or has expired, or a newer one was made. Ask your administrator for a new one. If you have activated your account already, sign in.',
          )}
          action={<LinkButton to={to(sessions.screens.login)}>{t('Sign in')}</LinkButton>}
        />
      </Page>
    )
  return (
    <Page title={t('Activate your account')}>
      <Loaded query={query}>
        {(link) => link.usable && <PasswordStep token={token} person={link} onOffer={(offer) => setEnrolment({ offer, person: link })} />}
      </Loaded>
    </Page>
  )
}

function PasswordStep({ token, person, onOffer }: { token: string; person: Person; onOffer: (offer: CodeOffer) => void }) {
  return (
    <>
      <Text>
        {t('Hello {givenName}. Your username at {tenancy} is', { givenName: person.givenName, tenancy: person.tenancyName })}{' '}
        <strong>{person.username}</strong>.
      </Text>
      <Form
        call={sessions.calls.activate}
        initial={{ token, password: '' }}
        submit={t('Set password')}
        guard={false}
        onDone={({ qr = '', otpauth = '', secret = '', recovery_codes = [] }) =>
          onOffer({ qr, otpauth, secret, recoveryCodes: recovery_codes })
        }
      >
        {(form) => (
          <NewPasswordField
            {...form.field('password')}
            label={t('Choose a password')}
            username={person.username}
            own={[person.username, person.givenName]}
            autoFocus
          />
        )}
      </Form>
      <Terms text={person.disclaimer} />
    </>
  )
}
