// Where the mailed link leads: the address is proved, and the account is made or waits for a decision.

import { Button, Stack, Text } from '@mantine/core'
import { IconCheck, IconClock, IconLinkOff, IconUserCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { sessions } from '#areas/sessions/contract.ts'
import { Terms } from '#areas/sessions/Terms.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { goTo } from '#core/console/navigate.ts'
import { usePublicBrand } from '#core/console/public-brand.ts'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { registration } from '../contract.ts'

type Verified = OutputOf<typeof registration.calls.verify>

export function FinishRegister() {
  const [search] = useSearchParams()
  const link = { tenantId: search.get('tenantId') ?? '', token: search.get('token') ?? '' }
  /** Whose the registration is that waits. */
  const [waiting, setWaiting] = useState<Verified>()
  const whole = /^[0-9a-f-]{36}$/i.test(link.tenantId)
  const query = useCall(registration.calls.verify, link, { enabled: whole && waiting === undefined })
  usePublicBrand((waiting ?? query.data)?.brand)
  const title = t('Finish your registration')
  if (waiting !== undefined)
    return (
      <Page title={title}>
        <EmptyState
          icon={IconClock}
          title={t('Your registration waits for a decision')}
          text={t('Somebody of your organisation looks at it. You get a mail with the next step.')}
          action={<LinkButton to={to(sessions.screens.login)}>{t('Back to sign-in')}</LinkButton>}
        />
      </Page>
    )
  if (!whole || query.isError)
    return (
      <Page title={title}>
        <EmptyState
          icon={IconLinkOff}
          title={whole && query.error?.says !== undefined ? query.error.says : t('Failed to verify email: this link is not whole')}
          text={t('Copy the whole link from the mail, or register again.')}
          action={<LinkButton to={to(registration.screens.register)}>{t('Register again')}</LinkButton>}
        />
      </Page>
    )
  return (
    <Page title={title}>
      <Loaded query={query}>
        {(verified) =>
          verified.outcome === 'known' ? (
            <Known verified={verified} />
          ) : (
            <Finish verified={verified} link={link} onWait={() => setWaiting(verified)} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Known({ verified: { emailAddress, tenancyName } }: { verified: Verified }) {
  return (
    <EmptyState
      icon={IconUserCheck}
      title={t('You have an account already')}
      text={t('There is an account with {emailAddress} at {tenancyName}. Sign in with it. If that does not work, ask your administrator.', {
        emailAddress,
        tenancyName,
      })}
      action={<LinkButton to={to(sessions.screens.login)}>{t('Sign in')}</LinkButton>}
    />
  )
}

function Finish({
  verified: { outcome, emailAddress, tenancyName, disclaimer },
  link,
  onWait,
}: {
  verified: Verified
  link: { tenantId: string; token: string }
  onWait: () => void
}) {
  const finish = useSend(registration.calls.finish)
  const go = (): Promise<void> =>
    finish.run(link).then(
      (answer) => (answer.outcome === 'waiting' ? onWait() : goTo(to(sessions.screens.activate, { token: answer.activationToken }))),
      () => undefined,
    )
  return (
    <Stack gap="md">
      <FaultAlert fault={finish.fault} />
      <Text>
        <IconCheck size={16} stroke={1.8} aria-hidden />{' '}
        {t('{emailAddress} is yours. You are about to register at {tenancyName}.', { emailAddress, tenancyName })}
      </Text>
      <Text c="dimmed">
        {outcome === 'atOnce'
          ? t('Next you choose a password and set up a sign-in code. After that you can add a passkey.')
          : t('Somebody of the organisation decides first. You get a mail.')}
      </Text>
      <Terms text={disclaimer} />
      <Button size="md" loading={finish.pending} onClick={() => void go()}>
        {outcome === 'atOnce' ? t('Create my account') : t('Ask for my account')}
      </Button>
    </Stack>
  )
}
