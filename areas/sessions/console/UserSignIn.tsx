// How somebody signs in, as their administrator sees it: whether the code is set up, its reset, and the history.

import { Button, Stack } from '@mantine/core'
import { IconLogout, IconRefresh, IconShieldOff } from '@tabler/icons-react'
import { useMay, useViewer } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { sessions } from '../contract.ts'
import { SignInHistory } from '../SignInHistory.tsx'

export function UserSignIn({ userId }: { userId: string }) {
  const viewer = useViewer()
  const may = useMay()
  const status = useCall(sessions.calls.mfaStatus, { userId })
  const history = useCall(sessions.calls.history, { userId })
  const reset = useSend(sessions.calls.mfaReset, { invalidates: ['users', 'audit'] })

  const disable = useSend(sessions.calls.mfaDisable, { invalidates: ['users', 'audit'] })
  const endAll = useSend(sessions.calls.endSessions, { invalidates: ['users', 'audit'] })

  const askToEndAll = async (): Promise<void> => {
    const yes = await confirm({
      title: t('Sign this person out everywhere?'),
      consequence: t('Every session of this person ends at once. The person can sign in again, and API tokens go on working.'),
      action: t('Sign out everywhere'),
      keep: t('Keep signed in'),
      danger: true,
    })
    if (yes) await endAll.run({ userId }).catch(() => {})
  }
  const askToDisable = async (): Promise<void> => {
    const yes = await confirm({
      title: t('Switch off the sign-in code?'),
      consequence: t(
        'This person then signs in with the password alone: whoever learns the password is in. It holds until the code is reset or the person sets one up.',
      ),
      action: t('Switch off code'),
      keep: t('Keep code'),
      danger: true,
    })
    if (yes) await disable.run({ userId }).catch(() => {})
  }
  const ask = async (): Promise<void> => {
    const yes = await confirm({
      title: t('Reset the sign-in code?'),
      consequence: t(
        'The authenticator app and the recovery codes of this person stop working, and all sessions and API tokens end. At the next sign-in the password opens the set-up of a new code, so make sure that it is really this person who asks.',
      ),
      action: t('Reset code'),
      keep: t('Keep code'),
      danger: true,
    })
    if (yes) await reset.run({ userId }).catch(() => {})
  }
  return (
    <Stack gap="md">
      <FaultAlert fault={reset.fault ?? disable.fault ?? endAll.fault} />
      <Section
        title={t('Sign-in code')}
        actions={
          may('userEdit') &&
          userId !== viewer.id && (
            <>
              {(status.data?.isSecretSet === true || status.data?.isRequired === false) && (
                <Button
                  variant="light"
                  color="red"
                  size="xs"
                  leftSection={<IconRefresh size={16} stroke={1.8} aria-hidden />}
                  onClick={() => void ask()}
                >
                  {t('Reset code')}
                </Button>
              )}
              {status.data?.isRequired === true && (
                <Button
                  variant="light"
                  color="red"
                  size="xs"
                  leftSection={<IconShieldOff size={16} stroke={1.8} aria-hidden />}
                  onClick={() => void askToDisable()}
                >
                  {t('Switch off code')}
                </Button>
              )}
            </>
          )
        }
      >
        <Loaded query={status}>
          {({ isEnabled, isSecretSet, isRequired }) => (
            <Facts
              items={[
                { label: t('Required'), value: isRequired ? t('Yes') : t('No') },
                {
                  label: t('Set up'),
                  value: isSecretSet ? (
                    <Status of="done" label={t('Yes')} />
                  ) : isRequired ? (
                    <Status of="pending" label={t('At the next sign-in')} />
                  ) : (
                    <Status of="disabled" label={t('Switched off')} />
                  ),
                },
                { label: t('In use'), value: isEnabled ? t('Yes') : t('No') },
              ]}
            />
          )}
        </Loaded>
      </Section>
      <Section
        title={t('Sign-in history')}
        actions={
          may('userEdit') &&
          userId !== viewer.id && (
            <Button
              variant="light"
              color="red"
              size="xs"
              leftSection={<IconLogout size={16} stroke={1.8} aria-hidden />}
              onClick={() => void askToEndAll()}
            >
              {t('Sign out everywhere')}
            </Button>
          )
        }
      >
        <Loaded query={history}>{({ rows }) => <SignInHistory rows={rows} />}</Loaded>
      </Section>
    </Stack>
  )
}
