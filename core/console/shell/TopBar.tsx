// The bar on top: whose tenancy it is, the way to anything, what happened, help, and who is signed in.

import { ActionIcon, Group, Kbd, UnstyledButton } from '@mantine/core'
import { IconHelp, IconMenu2, IconPin, IconPinFilled, IconSearch } from '@tabler/icons-react'
import { Link, useLocation } from 'react-router'
import { useBootstrap, useViewer } from '../bootstrap.ts'
import { Hint } from '../kit/Hint.tsx'
import { togglePinned, usePreference } from '../preferences.ts'
import { t } from '../text.ts'
import { AccountMenu } from './AccountMenu.tsx'
import { Bell } from './Bell.tsx'
import { useCurrentScreen } from './current-screen.ts'
import { Logo } from './Logo.tsx'
import { Mark } from './Mark.tsx'
import { TenantSwitcher } from './TenantSwitcher.tsx'
import classes from './TopBar.module.css'

type TopBarProps = { line: string | undefined; drawer: boolean; onMenu: () => void; onPalette: () => void; onHelp: () => void }

export function TopBar({ line, drawer, onMenu, onPalette, onHelp }: TopBarProps) {
  const viewer = useViewer()
  const screen = useCurrentScreen()
  const { icon } = useBootstrap().tenancy
  return (
    <header className={classes['bar']} style={line === undefined ? undefined : { boxShadow: `inset 0 3px 0 ${line}` }}>
      <Group gap={8} wrap="nowrap" className={classes['start'] ?? ''}>
        {drawer && (
          <ActionIcon variant="subtle" color="gray" size={32} aria-label={t('Menu')} onClick={onMenu}>
            <IconMenu2 size={20} stroke={1.7} aria-hidden />
          </ActionIcon>
        )}
        <Link to="/home" className={classes['brand'] ?? ''} aria-label={t('Home')}>
          {icon === undefined ? <Mark /> : <Logo icon={icon} name="" height={24} />}
        </Link>
        {viewer.managed.length > 1 ? <TenantSwitcher /> : <span className={classes['tenant']}>{viewer.tenantName}</span>}
      </Group>
      <UnstyledButton className={classes['search']} onClick={onPalette} aria-keyshortcuts="Control+K Meta+K">
        <IconSearch size={16} stroke={1.8} aria-hidden />
        <span className={classes['words']}>{t('Search or jump to...')}</span>
        <Kbd size="xs" className={classes['keys'] ?? ''}>
          Ctrl K
        </Kbd>
      </UnstyledButton>
      <Group gap={2} wrap="nowrap" justify="flex-end" className={classes['end'] ?? ''}>
        {screen !== undefined && <PinButton title={screen.title} />}
        <Hint label={t('Help')}>
          <ActionIcon variant="subtle" color="gray" size={32} aria-label={t('Help')} onClick={onHelp}>
            <IconHelp size={19} stroke={1.7} aria-hidden />
          </ActionIcon>
        </Hint>
        <Bell />
        <AccountMenu />
      </Group>
    </header>
  )
}

function PinButton({ title }: { title: string }) {
  const { pathname, search } = useLocation()
  // With what a list is filtered by: that is the page that one sees.
  const path = pathname + search
  const pinned = usePreference('pinned').some((place) => place.path === path)
  const says = pinned ? t('Unpin this page') : t('Pin this page to the menu')
  return (
    <Hint label={says}>
      <ActionIcon
        variant="subtle"
        color={pinned ? 'blue' : 'gray'}
        size={32}
        visibleFrom="sm"
        aria-label={says}
        aria-pressed={pinned}
        onClick={() => togglePinned({ path, label: title })}
      >
        {pinned ? <IconPinFilled size={18} aria-hidden /> : <IconPin size={18} stroke={1.7} aria-hidden />}
      </ActionIcon>
    </Hint>
  )
}
