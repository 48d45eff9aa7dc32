// The first start: the management tenancy, its administrator and, if wanted, its authorities. Nothing is made before the last step.

import { Alert, Anchor, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconInfoCircle, IconLinkOff } from '@tabler/icons-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { CodeEnrolment } from '#areas/sessions/CodeEnrolment.tsx'
import { sessions } from '#areas/sessions/contract.ts'
import { refreshBootstrap, useBootstrap } from '#core/console/bootstrap.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { enterConsole } from '#core/console/session.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { setup } from '../contract.ts'
import { SetupWizard } from './SetupWizard.tsx'

type Made = OutputOf<typeof setup.calls.run>

export function BootstrapMode() {
  const [search] = useSearchParams()
  const token = search.get('token') ?? ''
  const { setupNeeded } = useBootstrap()
  const [made, setMade] = useState<Made & { path: string }>()
  const query = useCall(setup.calls.check, { token }, { enabled: token !== '' && made === undefined })

  if (made !== undefined) return <LastStep made={made} />
  if (token === '') return <NoLink done={!setupNeeded} />
  if (query.data?.usable === false) return <UsedLink done={!setupNeeded} />
  return (
    <Page title={t('Set up Chancery')} intro={t('Four short steps. Nothing is made before the last one.')}>
      <div data-wide>
        <Loaded query={query}>
          {(link) =>
            link.usable && (
              <SetupWizard
                token={token}
                pkiUrl={link.pkiUrl}
                onDone={(answer, path) => {
                  setMade({ ...answer, path })
                  void refreshBootstrap().catch(() => {})
                }}
              />
            )
          }
        </Loaded>
      </div>
    </Page>
  )
}

function LastStep({ made }: { made: Made & { path: string } }) {
  return (
    <Page
      title={t('One more thing: your sign-in code')}
      intro={t('Chancery is set up. From now on you sign in with your password and a code from an app.')}
    >
      {made.problem !== '' && (
        <Alert color="yellow" icon={<IconAlertTriangle size={18} aria-hidden />} title={t('Not everything was made')}>
          {t(made.problem)}
        </Alert>
      )}
      <CodeEnrolment
        offer={{ qr: made.qr, otpauth: made.otpauth, secret: made.secret, recoveryCodes: made.recovery_codes }}
        submit={t('Finish and open Chancery')}
        onDone={() => enterConsole(made.path)}
      />
    </Page>
  )
}

function NoLink({ done }: { done: boolean }) {
  if (done) return <UsedLink done />
  return (
    <Page title={t('Set up Chancery')}>
      <Alert icon={<IconInfoCircle size={18} aria-hidden />} title={t('Open the set-up link')}>
        <Stack gap="xs">
          <Text inherit>{t('The server printed it when it started, and it begins like this:')}</Text>
          <code style={{ overflowWrap: 'anywhere' }}>{`${location.origin}${to(setup.screens.bootstrap)}?token=…`}</code>
          <Text inherit>{t('It works once, within 24 hours. Each start prints a fresh one until Chancery is set up.')}</Text>
        </Stack>
      </Alert>
    </Page>
  )
}

function UsedLink({ done }: { done: boolean }) {
  return (
    <Page title={t('Set up Chancery')}>
      <EmptyState
        icon={IconLinkOff}
        title={done ? t('Chancery is set up already') : t('This link does not work any more')}
        text={
          done ? (
            <>
              {t('Set-up happens once. Sign in with the account that was made then.')}{' '}
              {t(
                'If you have not entered a sign-in code yet, signing in shows a new QR and new recovery codes; those shown first are void.',
              )}
            </>
          ) : (
            <>
              {t('It has been used or has expired. Start Chancery again for a new one, and open what it prints.')}{' '}
              <Anchor href={to(setup.screens.bootstrap)}>{t('Where is it printed?')}</Anchor>
            </>
          )
        }
        action={done ? <LinkButton to={to(sessions.screens.login)}>{t('Sign in')}</LinkButton> : undefined}
      />
    </Page>
  )
}
