// The shell of self-service: a narrow bar on top, the page, and tabs for the thumb at its foot; on a wide screen the tabs stand below the bar.

import { ActionIcon, Group } from '@mantine/core'
import { IconChevronLeft, IconHelp, IconHome, IconLayoutSidebar } from '@tabler/icons-react'
import { Suspense, lazy, useEffect, useState, type ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { homePath } from '#core/contract/pages.ts'
import { isSelfServed } from '#core/contract/self-service.ts'
import { useBootstrap, useViewer } from '../bootstrap.ts'
import { chunkFailed } from '../chunks.ts'
import { PagePartsContext, type PageParts } from '../kit/page-place.ts'
import type { TaskIcon } from '../kit/task-icon.ts'
import { pathOfPlace, roomsStore, useOffers } from '../rooms.ts'
import { selfTabs } from '../slots.ts'
import { t } from '../text.ts'
import { AccountMenu } from './AccountMenu.tsx'
import { Bell } from './Bell.tsx'
import { useCurrentArea } from './current-screen.ts'
import { Mark } from './Mark.tsx'
import { pageParts } from './page-parts.tsx'
import classes from './SelfShell.module.css'
import { SessionParts } from './SessionParts.tsx'
import { useTenantColours } from './tenant-colour.ts'

const HelpPanel = lazy(() => import('./HelpPanel.tsx').then((file) => ({ default: file.HelpPanel }), chunkFailed))

/** The buttons of other rooms stay; the trail and the tabs are those of the console. */
const parts: PageParts = { ...pageParts, Trail: () => null, Tabs: () => null }

type Tab = { key: string; label: string; path: string; icon: TaskIcon }

const samePath = (path: string, pathname: string): boolean => path.toLowerCase() === pathname.toLowerCase().replace(/(.)\/$/, '$1')

export function SelfShell({ children }: { children: ReactNode }) {
  const viewer = useViewer()
  const { tenancy } = useBootstrap()
  const { pathname } = useLocation()
  const area = useCurrentArea()
  const [helpOf, setHelpOf] = useState<{ area: string | undefined }>()
  const tabs = useTabs()
  const colours = useTenantColours(viewer.managed.find((one) => one.id === viewer.tenantId)?.colour ?? tenancy.bannerColour)
  useEffect(() => setHelpOf((open) => open && { area }), [area])
  const [first] = tabs
  const beside = tabs.some(({ path }) => samePath(path, pathname))
  return (
    <div className={classes['shell']}>
      <a className={classes['skip']} href="#content">
        {t('Skip to the content')}
      </a>
      <header className={classes['bar']} style={colours === undefined ? undefined : { boxShadow: `inset 0 3px 0 ${colours.line}` }}>
        <Group gap={8} wrap="nowrap" className={classes['start'] ?? ''}>
          <Mark />
          <span className={classes['tenant']}>{viewer.tenantName}</span>
        </Group>
        <Group gap={4} wrap="nowrap">
          {!isSelfServed(viewer.permission) && (
            <Link to={homePath} className={classes['console'] ?? ''}>
              <IconLayoutSidebar size={18} stroke={1.7} aria-hidden />
              {t('Console')}
            </Link>
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            size={44}
            aria-label={t('Help')}
            onClick={() => setHelpOf(helpOf === undefined ? { area } : undefined)}
          >
            <IconHelp size={21} stroke={1.7} aria-hidden />
          </ActionIcon>
          <Bell />
          <AccountMenu />
        </Group>
      </header>
      {tabs.length > 1 && (
        <nav className={classes['tabs']} aria-label={t('Main')}>
          {tabs.map(({ key, label, path, icon: Picture }) => (
            <Link key={key} to={path} className={classes['tab'] ?? ''} aria-current={samePath(path, pathname) ? 'page' : undefined}>
              <Picture size={22} stroke={1.6} aria-hidden />
              <span>{t(label)}</span>
            </Link>
          ))}
        </nav>
      )}
      <main id="content" className={classes['content']} tabIndex={-1}>
        {!beside && first !== undefined && (
          <Link to={first.path} className={classes['back'] ?? ''}>
            <IconChevronLeft size={18} stroke={1.7} aria-hidden />
            {t('Self-service')}
          </Link>
        )}
        <PagePartsContext value={parts}>{children}</PagePartsContext>
      </main>
      {helpOf !== undefined && (
        <Suspense>
          <HelpPanel area={helpOf.area} onClose={() => setHelpOf(undefined)} />
        </Suspense>
      )}
      <SessionParts />
    </div>
  )
}

/** Those that the viewer may open, the portal first. */
function useTabs(): Tab[] {
  const { permission } = useViewer()
  const rooms = roomsStore()
  const offered = useOffers(selfTabs).toSorted((a, b) => a.order - b.order)
  const home = { key: 'home', label: 'Home', area: 'selfservice', screen: 'portal', order: 0, icon: IconHome }
  return [home, ...offered].flatMap((tab) => {
    const path = pathOfPlace(rooms, permission.View, tab)
    return path === undefined ? [] : [{ key: tab.key, label: tab.label, icon: tab.icon, path }]
  })
}
