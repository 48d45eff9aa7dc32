// A person's own certificate on a Windows machine: a password is made here, after the sign-in with all that it asks for, and typed there.

import { Button, Stack } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { chunkFailed } from '#core/console/chunks.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded, LoadingState } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { protocolRoom } from '../contract.ts'
import type { Made } from './OwnPassword.tsx'

/** Loaded when it is shown: most who come here only look. */
const OwnPassword = lazy(() => import('./OwnPassword.tsx').then((file) => ({ default: file.OwnPassword }), chunkFailed))

export function WindowsPassword() {
  const choices = useCall(protocolRoom.calls.ownPasswordChoices, {})
  const make = useSend(protocolRoom.calls.addOwnPassword)
  const [made, setMade] = useState<Made>()
  const [making, setMaking] = useState<string>()
  const makeFor = (profileId: string): void => {
    setMaking(profileId)
    make
      .run({ profileId })
      .then(setMade, (error: unknown) => toastFault(error, t('The password was not made')))
      .finally(() => setMaking(undefined))
  }
  return (
    <Page
      title={t('Request by Windows')}
      intro={t(
        'Windows makes the key and asks for your certificate by itself. It needs a password, which is good for one certificate in your name.',
      )}
    >
      {made === undefined ? (
        <Loaded query={choices}>
          {({ profiles }) =>
            profiles.length === 0 ? (
              <EmptyState
                icon={IconKey}
                title={t('Nothing is offered to you here')}
                text={t('Whoever configures Windows enrolment makes a profile for people first.')}
              />
            ) : (
              <Stack gap="md">
                {profiles.map(({ profileId, name, template, url }) => (
                  <Section
                    key={profileId}
                    title={name}
                    actions={
                      <Button
                        aria-label={t('Make password for {name}', { name })}
                        onClick={() => makeFor(profileId)}
                        loading={making === profileId}
                      >
                        {t('Make password')}
                      </Button>
                    }
                  >
                    <Facts
                      items={[
                        { label: t('Template'), value: template },
                        { label: t('Address'), value: <Mono value={url} />, copy: url },
                      ]}
                    />
                  </Section>
                ))}
              </Stack>
            )
          }
        </Loaded>
      ) : (
        <Suspense fallback={<LoadingState />}>
          <OwnPassword made={made} close={() => setMade(undefined)} />
        </Suspense>
      )}
    </Page>
  )
}
