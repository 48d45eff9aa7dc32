// Who is signed in, their own pages, the look, and the way out.

import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core'
import { IconCheck, IconDeviceDesktop, IconKey, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { fillPath } from '#core/contract/paths.ts'
import { useBootstrap, useViewer } from '../bootstrap.ts'
import { findScreen, houseStore } from '../house.ts'
import { setPreference, usePreference } from '../preferences.ts'
import { signOut } from '../session.ts'
import { t } from '../text.ts'

const themes = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'As the system', icon: IconDeviceDesktop },
] as const

export function AccountMenu() {
  const viewer = useViewer()
  const { version } = useBootstrap()
  const house = houseStore()
  const navigate = useNavigate()
  const theme = usePreference('theme')
  const name = `${viewer.names.givenName} ${viewer.names.familyName}`.trim() || viewer.username
  const links = [
    { screen: findScreen(house, 'sessions', 'account'), icon: IconUser },
    { screen: findScreen(house, 'sessions', 'tokens'), icon: IconKey },
  ]
  return (
    <Menu position="bottom-end" width={260} closeOnItemClick>
      <Menu.Target>
        <UnstyledButton aria-label={t('Account of {name}', { name })} p={4}>
          <Avatar size={26} radius="xl" name={name} color="blue" alt="" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div style={{ padding: '6px 12px 8px' }}>
          <Text fw={500}>{name}</Text>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {viewer.emailAddress || viewer.username}
          </Text>
        </div>
        <Menu.Divider />
        {links.map(
          ({ screen, icon: LinkIcon }) =>
            screen !== undefined && (
              <Menu.Item key={screen.path} leftSection={<LinkIcon size={16} stroke={1.8} aria-hidden />} onClick={() => void navigate(fillPath(screen.path, {}))}>
                {t(screen.title)}
              </Menu.Item>
            ),
        )}
        <Menu.Divider />
        <Menu.Label>{t('Theme')}</Menu.Label>
        {themes.map(({ value, label, icon: ThemeIcon }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={theme === value}
            leftSection={<ThemeIcon size={16} stroke={1.8} aria-hidden />}
            rightSection={theme === value ? <IconCheck size={14} aria-hidden /> : undefined}
            onClick={() => setPreference('theme', value)}
          >
            {t(label)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.8} aria-hidden />} onClick={() => void signOut()}>
          {t('Sign out')}
        </Menu.Item>
        <Text size="xs" c="dimmed" px={12} py={6}>
          {t('Chancery {version}', { version })}
        </Text>
      </Menu.Dropdown>
    </Menu>
  )
}
