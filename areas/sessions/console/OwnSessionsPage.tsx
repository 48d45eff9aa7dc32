// Where a person is signed in: each session with its browser and address, a button to end it, and one that ends all.

import { Button, Group, Stack, Text } from '@mantine/core'
import { IconDeviceLaptop, IconDeviceMobile, IconLogout } from '@tabler/icons-react'
import { useState } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { endSession } from '#core/console/session.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { sessions } from '../contract.ts'
import { deviceNameOf, isHandheld } from '../device-name.ts'

type OwnSession = OutputOf<typeof sessions.calls.ownSessions>['rows'][number]

export function OwnSessionsPage() {
  const query = useCall(sessions.calls.ownSessions, {})
  const end = useSend(sessions.calls.endOwnSession)
  const [ending, setEnding] = useState(false)
  const askToEndAll = async (): Promise<void> => {
    const yes = await confirm({
      title: t('Sign out everywhere?'),
      consequence: t('Every session of yours ends at once, this one too. Your API tokens go on working.'),
      action: t('Sign out everywhere'),
      keep: t('Stay signed in'),
      danger: true,
    })
    if (!yes) return
    setEnding(true)
    // Not by `useSend`, which reads the room again: nobody is signed in any more who could.
    await endSession(() => send(sessions.calls.endOwnSessions, {})).catch((error: unknown) => {
      setEnding(false)
      toastFault(error, t('You were not signed out'))
    })
  }
  return (
    <Page
      title={t('Where you are signed in')}
      intro={t('If something here is not you, sign out everywhere and change your password.')}
      narrow
    >
      <FaultAlert fault={end.fault} />
      <Loaded query={query} lines={2}>
        {({ rows }) => (
          <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
            {rows.map((row) => (
              <SessionLine key={row.id} session={row} busy={end.pending} onEnd={() => void end.run({ id: row.id }).catch(() => {})} />
            ))}
          </Stack>
        )}
      </Loaded>
      <Group>
        <Button
          variant="default"
          leftSection={<IconLogout size={16} stroke={1.8} aria-hidden />}
          loading={ending}
          onClick={() => void askToEndAll()}
        >
          {t('Sign out everywhere')}
        </Button>
      </Group>
    </Page>
  )
}

function SessionLine({ session, busy, onEnd }: { session: OwnSession; busy: boolean; onEnd: () => void }) {
  const { browser, system } = deviceNameOf(session.userAgent)
  const Picture = isHandheld(system) ? IconDeviceMobile : IconDeviceLaptop
  const name =
    browser === undefined
      ? (system ?? t('Unknown browser'))
      : system === undefined
        ? browser
        : t('{browser} on {system}', { browser, system })
  return (
    <Group
      component="li"
      gap="sm"
      wrap="nowrap"
      justify="space-between"
      py="sm"
      style={{ borderBlockEnd: '1px solid var(--chancery-line)', minHeight: 44 }}
    >
      <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
        <Picture size={22} stroke={1.6} aria-hidden style={{ flexShrink: 0 }} />
        <div style={{ minWidth: 0 }}>
          <Text>{name}</Text>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            <DateTime at={session.startedAt} />
            {session.address !== '' && ` · ${session.address}`}
          </Text>
        </div>
      </Group>
      {session.current ? (
        <Status of="active" label={t('This session')} />
      ) : (
        <Button
          variant="default"
          size="xs"
          mih={32}
          disabled={busy}
          aria-label={t('Sign out {name}, {address}', { name, address: session.address })}
          onClick={onEnd}
        >
          {t('Sign out')}
        </Button>
      )}
    </Group>
  )
}
