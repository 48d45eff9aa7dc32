// The address of a provider. Opened by a person it leads to the provider; opened by the provider’s answer it finishes the sign-in.

import { Center, Loader, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useParams } from 'react-router'
import { sessions } from '#areas/sessions/contract.ts'
import { SecondFactor, secondStepOf, type SecondStep } from '#areas/sessions/SecondFactor.tsx'
import { asCallFault, type CallFault } from '#core/console/call-fault.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { leaveTo, ownPath } from '#core/console/navigate.ts'
import { send } from '#core/console/send.ts'
import { enterConsole } from '#core/console/session.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { sso } from '../contract.ts'
import { rememberProvider } from './remembered.ts'

type Step = { at: 'waiting' } | { at: 'fault'; fault: CallFault } | { at: 'off' } | { at: 'refused'; reference: string } | SecondStep

export function Portal() {
  const { provider = '' } = useParams()
  const { search } = useLocation()
  const [step, setStep] = useState<Step>({ at: 'waiting' })
  const begun = useRef(false)
  useEffect(() => {
    // An answer is good for one time.
    if (begun.current) return
    begun.current = true
    const query = new URLSearchParams(search)
    const isAnswer = query.has('state') || query.has('code') || query.has('error')
    void (isAnswer ? finish() : begin(query)).catch((error: unknown) => setStep({ at: 'fault', fault: asCallFault(error) }))

    async function begin(wanted: URLSearchParams): Promise<void> {
      const { begun: found } = await send(sso.calls.begin, {
        provider,
        // A link that leads elsewhere keeps nobody from signing in.
        redirect: ownPath(wanted.get('redirect'), ''),
        again: wanted.get('again') === 'true',
      })
      if (found === undefined) return setStep({ at: 'off' })
      rememberProvider({ id: provider, name: found.name })
      location.replace(found.url)
    }
    async function finish(): Promise<void> {
      const response = search.slice(1)
      // The code is no part of what the browser remembers.
      history.replaceState(null, '', to(sso.screens.portal, { provider }))
      const answer = await send(sso.calls.finish, { provider, response })
      if (answer.outcome === 'signedIn') await enterConsole(answer.redirect)
      else if (answer.outcome === 'tried') leaveTo(to(sso.screens.tried, { id: answer.providerId, tryId: answer.tryId }))
      else if (answer.outcome === 'refused') setStep({ at: 'refused', reference: answer.reference })
      else setStep(secondStepOf(answer))
    }
  }, [provider, search])

  if (step.at === 'code' || step.at === 'enrol')
    return <SecondFactor step={step} intro={t('From now on you sign in with your provider and a code from an app.')} />
  if (step.at === 'waiting')
    return (
      <Page title={t('Single sign-on')}>
        <Center>
          <Loader aria-label={t('Signing in')} />
        </Center>
      </Page>
    )
  return (
    <Page title={t('You are not signed in')}>
      <Stack gap="md">
        {step.at === 'fault' ? (
          <FaultAlert fault={step.fault} />
        ) : step.at === 'off' ? (
          <Text>{t('This way to sign in does not exist, or is switched off.')}</Text>
        ) : (
          <>
            <Text>
              {t(
                'The sign-in by your provider was not accepted. Try once more. If it is refused again, give your administrator this reference:',
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
