// The console: navigation at the side (a rail between 1024 and 1280 px, a drawer below), the bar on top, the screen.

import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks'
import { Suspense, lazy, useEffect, useState, type ReactNode } from 'react'
import { useLocation } from 'react-router'
import { useBootstrap, useViewer } from '../bootstrap.ts'
import { chunkFailed } from '../chunks.ts'
import { PagePartsContext } from '../kit/page-place.ts'
import { usePreference } from '../preferences.ts'
import { roomsStore, shownScreens } from '../rooms.ts'
import { t } from '../text.ts'
import classes from './ConsoleShell.module.css'
import { useCurrentArea, useCurrentScreen } from './current-screen.ts'
import { menuOf, settingsAround, type MenuSection } from './navigation.ts'
import { Navigation } from './Navigation.tsx'
import { pageParts } from './page-parts.tsx'
import { PaletteDoor } from './PaletteDoor.tsx'
import { SessionParts, useHasBeen } from './SessionParts.tsx'
import { useTenantColours } from './tenant-colour.ts'
import { TopBar } from './TopBar.tsx'

const SideDrawer = lazy(() => import('./SideDrawer.tsx').then((file) => ({ default: file.SideDrawer }), chunkFailed))
const SettingsMenu = lazy(() => import('./SettingsMenu.tsx').then((file) => ({ default: file.SettingsMenu }), chunkFailed))
const KeysDialog = lazy(() => import('../kit/KeysDialog.tsx').then((file) => ({ default: file.KeysDialog }), chunkFailed))
const HelpPanel = lazy(() => import('./HelpPanel.tsx').then((file) => ({ default: file.HelpPanel }), chunkFailed))

export function ConsoleShell({ children }: { children: ReactNode }) {
  const viewer = useViewer()
  const { pathname } = useLocation()
  const [menuOpen, { open: openMenu, close: closeMenu }] = useDisclosure(false)
  const [paletteOpen, palette] = useDisclosure(false)
  const [keysOpen, keys] = useDisclosure(false)
  const [helpOf, setHelpOf] = useState<{ area: string | undefined }>()
  const drawer = useMediaQuery('(max-width: 1023.9px)', false, { getInitialValueInEffect: false })
  const rail = useMediaQuery('(max-width: 1279.9px)', false, { getInitialValueInEffect: false })
  const railOpen = usePreference('railOpen')
  const area = useCurrentArea()
  const settings = useSettings()
  const { tenancy } = useBootstrap()
  const colours = useTenantColours(viewer.managed.find((one) => one.id === viewer.tenantId)?.colour ?? tenancy.bannerColour)

  const drawerUsed = useHasBeen(drawer && menuOpen)
  const keysUsed = useHasBeen(keysOpen)

  useEffect(closeMenu, [pathname, closeMenu])
  // The panel goes along: it is about the page that is shown.
  useEffect(() => setHelpOf((open) => open && { area }), [area])
  useHotkeys([['mod+K', palette.open]], [])

  return (
    <div className={classes['shell']} data-rail={(!drawer && (rail || !railOpen)) || undefined} data-drawer={drawer || undefined}>
      <a className={classes['skip']} href="#content">
        {t('Skip to the content')}
      </a>
      <TopBar
        line={colours?.line}
        drawer={drawer}
        onMenu={openMenu}
        onPalette={palette.open}
        onHelp={() => setHelpOf(helpOf === undefined ? { area } : undefined)}
      />
      {!drawer && (
        <nav className={classes['side']} aria-label={t('Main')}>
          <Navigation rail={rail || !railOpen} collapsible={!rail} />
        </nav>
      )}
      {drawer && drawerUsed && (
        <Suspense>
          <SideDrawer opened={menuOpen} onClose={closeMenu} />
        </Suspense>
      )}
      <main id="content" className={classes['content']} tabIndex={-1}>
        <PagePartsContext value={pageParts}>
          {settings === undefined ? (
            children
          ) : (
            <div className={classes['settings']}>
              <div className={classes['subjects']}>
                <Suspense>
                  <SettingsMenu section={settings} />
                </Suspense>
              </div>
              <div className={classes['page']}>{children}</div>
            </div>
          )}
        </PagePartsContext>
      </main>
      {helpOf !== undefined && (
        <Suspense>
          <HelpPanel area={helpOf.area} onClose={() => setHelpOf(undefined)} />
        </Suspense>
      )}
      {paletteOpen && <PaletteDoor onClose={palette.close} onHelp={(of = area) => setHelpOf({ area: of })} onKeys={keys.open} />}
      {keysUsed && (
        <Suspense>
          <KeysDialog opened={keysOpen} close={keys.close} />
        </Suspense>
      )}
      <SessionParts />
    </div>
  )
}

function useSettings(): MenuSection | undefined {
  const rooms = roomsStore()
  const viewer = useViewer()
  return settingsAround(menuOf(rooms.screens, shownScreens(rooms), viewer), useCurrentScreen(), rooms.screens)
}
