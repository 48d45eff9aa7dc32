// A person's own certificate on a Windows machine: a password is made here, after the sign-in with all that it asks for, and typed there.

import { Alert, Button, Group, Stack } from '@mantine/core'
import { IconDeviceDesktop } from '@tabler/icons-react'
import { useState } from 'react'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PemText } from '#core/console/kit/PemText.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { protocolRoom } from '../contract.ts'

type Made = OutputOf<typeof protocolRoom.calls.addOwnPassword>

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
                icon={IconDeviceDesktop}
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
        <Shown made={made} close={() => setMade(undefined)} />
      )}
    </Page>
  )
}

const Shown = ({ made, close }: { made: Made; close: () => void }) => (
  <Stack gap="md">
    <Alert color="yellow" title={t('Copy it now')}>
      {t('The password is not shown again.')}
    </Alert>
    <Facts
      items={[
        { label: t('Username'), value: <Mono value={made.reference} />, copy: made.reference },
        { label: t('Password'), value: <Mono value={made.secret} />, copy: made.secret },
        { label: t('Address'), value: <Mono value={made.url} />, copy: made.url },
        { label: t('Ends'), value: <DateTime at={made.expiresAt} /> },
      ]}
    />
    {made.commands.map(({ name, text }) => (
      <Section key={name} title={name} actions={<Copy value={text} label={name} />}>
        <PemText label={name} value={text} />
      </Section>
    ))}
    <Group justify="flex-end">
      <Button variant="default" onClick={close}>
        {t('Make another')}
      </Button>
    </Group>
  </Stack>
)
