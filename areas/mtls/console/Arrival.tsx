// Where the listener sends a browser that has shown its certificate, or none.

import { Center, Loader, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { CodeEnrolment, type CodeOffer } from '#areas/sessions/CodeEnrolment.tsx'
import { CodeForm } from '#areas/sessions/CodeForm.tsx'
import { sessions } from '#areas/sessions/contract.ts'
import { asCallFault, type CallFault } from '#core/console/call-fault.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { leaveTo } from '#core/console/navigate.ts'
import { send } from '#core/console/send.ts'
import { enterConsole } from '#core/console/session.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { mtls } from '../contract.ts'

type Step =
  | { at: 'waiting' }
  | { at: 'nothing' }
  | { at: 'fault'; fault: CallFault }
  | { at: 'refused'; reference: string }
  | { at: 'code'; redirect: string }
  | { at: 'enrol'; redirect: string; offer: CodeOffer }

export function Arrival() {
  const [search] = useSearchParams()
  const state = search.get('state') ?? ''
  const ticket = useLocation().hash.slice(1)
  const [step, setStep] = useState<Step>(state === '' ? { at: 'nothing' } : { at: 'waiting' })
  const begun = useRef(false)
  useEffect(() => {
    if (state === '' || begun.current) return
    begun.current = true
    void finish().catch((error: unknown) => setStep({ at: 'fault', fault: asCallFault(error) }))

    async function finish(): Promise<void> {
      history.replaceState(null, '', to(mtls.screens.arrival))
      const answer = await send(mtls.calls.finish, { state, ticket })
      if (answer.outcome === 'signedIn') await enterConsole(answer.redirect)
      else if (answer.outcome === 'refused') setStep({ at: 'refused', reference: answer.reference })
      else if (answer.enrolment === undefined) setStep({ at: 'code', redirect: answer.redirect })
      else {
        const { recovery_codes: recoveryCodes, ...offer } = answer.enrolment
        setStep({ at: 'enrol', redirect: answer.redirect, offer: { ...offer, recoveryCodes } })
      }
    }
  }, [state, ticket])

  const again = { label: t('Start again'), onClick: () => leaveTo(to(sessions.screens.login)) }
  if (step.at === 'enrol')
    return (
      <Page title={t('Set up your sign-in code')} intro={t('From now on you sign in with your certificate and a code from an app.')}>
        <CodeEnrolment offer={step.offer} submit={t('Sign in')} onDone={() => enterConsole(step.redirect)} cancel={again} />
      </Page>
    )
  if (step.at === 'code')
    return (
      <Page title={t('Enter your code')}>
        <CodeForm submit={t('Sign in')} onDone={() => enterConsole(step.redirect)} cancel={again} />
      </Page>
    )
  if (step.at === 'waiting')
    return (
      <Page title={t('Certificate sign-in')}>
        <Center>
          <Loader aria-label={t('Signing in')} />
        </Center>
      </Page>
    )
  return (
    <Page title={t('You are not signed in')}>
      <Stack gap="md">
        {step.at === 'fault' && <FaultAlert fault={step.fault} />}
        {step.at === 'nothing' && <Text>{t('Begin on the sign-in page.')}</Text>}
        {step.at === 'refused' && (
          <>
            <Text>
              {t(
                'No certificate was shown, or it was not accepted. Close the browser before you choose another one. If it is refused again, give your administrator this reference:',
              )}
            </Text>
            <Mono value={step.reference} />
          </>
        )}
        <LinkButton to={to(sessions.screens.login)}>{t('Back to sign-in')}</LinkButton>
      </Stack>
    </Page>
  )
}
