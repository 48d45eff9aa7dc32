// Where the listener sends a browser that has shown its certificate, or none.

import { Center, Loader, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { sessions } from '#areas/sessions/contract.ts'
import { SecondFactor, secondStepOf, type SecondStep } from '#areas/sessions/SecondFactor.tsx'
import { asCallFault, type CallFault } from '#core/console/call-fault.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { send } from '#core/console/send.ts'
import { enterConsole } from '#core/console/session.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { mtls } from '../contract.ts'

type Step = { at: 'waiting' } | { at: 'nothing' } | { at: 'fault'; fault: CallFault } | { at: 'refused'; reference: string } | SecondStep

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
      else setStep(secondStepOf(answer))
    }
  }, [state, ticket])

  if (step.at === 'code' || step.at === 'enrol')
    return <SecondFactor step={step} intro={t('From now on you sign in with your certificate and a code from an app.')} />
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
