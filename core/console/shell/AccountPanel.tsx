// Who is signed in, their own pages, the look, and the way out.

import { Button, Divider, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconAdjustments, IconInfoCircle, IconKey, IconLogout, IconUser } from '@tabler/icons-react'
import { Link } from 'react-router'
import { fillPath } from '#core/contract/paths.ts'
import { useBootstrap, useViewer } from '../bootstrap.ts'
import type { PanelProps } from '../kit/panel-button.ts'
import { Panel } from '../kit/Panel.tsx'
import { setPreference, usePreference } from '../preferences.ts'
import { findScreen, roomsStore } from '../rooms.ts'
import { signOut } from '../session.ts'
import { t } from '../text.ts'
import classes from './AccountMenu.module.css'

const themes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
] as const

export function AccountPanel({ panel, name }: PanelProps & { name: string }) {
  const viewer = useViewer()
  const { version } = useBootstrap()
  const rooms = roomsStore()
  const theme = usePreference('theme')
  const links = [
    { screen: findScreen(rooms, 'sessions', 'account'), icon: IconUser },
    { screen: findScreen(rooms, 'preferences', 'settings'), icon: IconAdjustments },
    { screen: findScreen(rooms, 'sessions', 'tokens'), icon: IconKey },
    { screen: findScreen(rooms, 'home', 'about'), icon: IconInfoCircle },
  ]
  return (
    <Panel panel={panel} label={t('Account')} position="bottom-end" width={260} p={6}>
      <div className={classes['who']}>
        <Text fw={500}>{name}</Text>
        <Text size="sm" c="dimmed" className={classes['address'] ?? ''}>
          {viewer.emailAddress || viewer.username}
        </Text>
      </div>
      <Divider my={4} />
      {links.map(
        ({ screen, icon: LinkIcon }) =>
          screen !== undefined && (
            <Link key={screen.path} to={fillPath(screen.path, {})} className={classes['line'] ?? ''} onClick={panel.close}>
              <LinkIcon size={16} stroke={1.8} aria-hidden />
              {t(screen.title)}
            </Link>
          ),
      )}
      <Stack gap={4} px={10} py={6}>
        <Text size="xs" c="dimmed" fw={500}>
          {t('Theme')}
        </Text>
        <Group gap={4} grow>
          {themes.map(({ value, label }) => (
            <Button
              key={value}
              size="compact-sm"
              variant={theme === value ? 'light' : 'default'}
              aria-pressed={theme === value}
              onClick={() => setPreference('theme', value)}
            >
              {t(label)}
            </Button>
          ))}
        </Group>
      </Stack>
      <Divider my={4} />
      <UnstyledButton className={classes['line']} onClick={() => void signOut()}>
        <IconLogout size={16} stroke={1.8} aria-hidden />
        {t('Sign out')}
      </UnstyledButton>
      <Text size="xs" c="dimmed" px={10} py={4}>
        {t('Chancery {version}', { version })}
      </Text>
    </Panel>
  )
}
