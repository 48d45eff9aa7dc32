// What comes after a first factor that another room has judged: the code, or the enrolment of one.

import { Page } from '#core/console/kit/Page.tsx'
import { leaveTo } from '#core/console/navigate.ts'
import { usePublicBrand, type PublicBrand } from '#core/console/public-brand.ts'
import { enterConsole } from '#core/console/session.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { CodeEnrolment, type CodeOffer } from './CodeEnrolment.tsx'
import { CodeForm } from './CodeForm.tsx'
import { sessions } from './contract.ts'

export type SecondStep = { brand: PublicBrand; redirect: string } & ({ at: 'code' } | { at: 'enrol'; offer: CodeOffer })

type Asked = {
  brand: PublicBrand
  redirect: string
  enrolment?: (Omit<CodeOffer, 'recoveryCodes'> & { recovery_codes: string[] }) | undefined
}

export function secondStepOf({ brand, redirect, enrolment }: Asked): SecondStep {
  if (enrolment === undefined) return { at: 'code', brand, redirect }
  const { recovery_codes: recoveryCodes, ...offer } = enrolment
  return { at: 'enrol', brand, redirect, offer: { ...offer, recoveryCodes } }
}

/** `intro` says with what the person signs in from now on, besides the code. */
export function SecondFactor({ step, intro }: { step: SecondStep; intro: string }) {
  usePublicBrand(step.brand)
  const again = { label: t('Start again'), onClick: () => leaveTo(to(sessions.screens.login)) }
  const onDone = () => enterConsole(step.redirect)
  return step.at === 'enrol' ? (
    <Page title={t('Set up your sign-in code')} intro={intro}>
      <CodeEnrolment offer={step.offer} submit={t('Sign in')} onDone={onDone} cancel={again} />
    </Page>
  ) : (
    <Page title={t('Enter your code')}>
      <CodeForm submit={t('Sign in')} onDone={onDone} cancel={again} />
    </Page>
  )
}
