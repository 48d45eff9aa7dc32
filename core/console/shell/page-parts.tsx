// The place of a page on the map, drawn around it: breadcrumb, tabs, and the buttons that other screens put on it.

import { useEffect } from 'react'
import { Link, useLocation, useMatches } from 'react-router'
import type { Screen } from '#core/contract/contract.ts'
import { fillPath } from '#core/contract/paths.ts'
import { parentOf } from '#core/contract/places.ts'
import { useViewer } from '../bootstrap.ts'
import { LinkButton } from '../kit/links.tsx'
import type { PageParts } from '../kit/page-place.ts'
import { LinkTabs } from '../kit/TabRow.tsx'
import { recordsOf, visitedRecord } from '../preferences.ts'
import { roomsStore, shownScreens } from '../rooms.ts'
import { t } from '../text.ts'
import { useCurrentScreen } from './current-screen.ts'
import { activeItem, buttonsOf, isSingle, menuOf, openTab, trailOf, type Params } from './navigation.ts'
import classes from './PageParts.module.css'

type Standing = { screen: Screen; params: Params }

function useStanding(): Standing | undefined {
  const screen = useCurrentScreen()
  const params = useMatches().at(-1)?.params ?? {}
  return screen === undefined ? undefined : { screen, params }
}

function Trail({ title, inside }: { title: string; inside: boolean }) {
  const standing = useStanding()
  const rooms = roomsStore()
  const viewer = useViewer()
  useRemembered(standing, title)
  if (standing === undefined) return undefined
  const crumbs = trailOf({
    ...standing,
    inside: inside || isSingle(standing.screen, standing.params),
    sections: menuOf(rooms.screens, shownScreens(rooms), viewer),
    screens: rooms.screens,
    permission: viewer.permission,
  })
  if (crumbs.length === 0) return undefined
  const up = crumbs.findLastIndex(({ path }) => path !== undefined)
  return (
    <nav className={classes['trail']} aria-label={t('Breadcrumb')}>
      <ol>
        {crumbs.map(({ label, path }, at) => (
          <li key={`${label} ${path}`} data-up={at === up || undefined}>
            {path === undefined ? t(label) : <Link to={path}>{t(label)}</Link>}
          </li>
        ))}
        <li aria-current="page">{title}</li>
      </ol>
    </nav>
  )
}

/** Keeps the page of a record for the palette, from when its title is the record's own name. */
function useRemembered(standing: Standing | undefined, title: string): void {
  const { pathname } = useLocation()
  const viewer = useViewer()
  const of = recordsOf(viewer)
  const screen = standing?.screen
  const screens = roomsStore((rooms) => rooms.screens)
  const single = screen === undefined ? undefined : recordWord(screen, standing?.params ?? {}, screens)
  useEffect(() => {
    if (single === undefined || title === t(single) || title === t(screen?.title ?? '')) return
    visitedRecord({ path: pathname, label: title, kind: single, of })
  }, [single, title, screen, pathname, of])
}

/** What a record is called whose page it is: a page that ends in one's id, below a list. */
const recordWord = (screen: Screen, params: Params, screens: readonly Screen[]): string | undefined => {
  if (isSingle(screen, params)) return Object.values(params).includes('new') ? undefined : screen.single
  return /:\w+(?:\/view)?$/.test(screen.path) && parentOf(screen, screens)?.path.includes(':') === false ? screen.title : undefined
}

function Tabs({ inside }: { inside: boolean }) {
  const standing = useStanding()
  const rooms = roomsStore()
  const viewer = useViewer()
  const address = useLocation()
  if (standing?.screen.menu === undefined || inside || isSingle(standing.screen, standing.params)) return undefined
  // The pages of the settings stand in their own navigation.
  if (standing.screen.menu.group === 'settings') return undefined
  const item = activeItem(menuOf(rooms.screens, shownScreens(rooms), viewer), standing.screen, rooms.screens)
  if (item === undefined || item.tabs.length < 2) return undefined
  return (
    <LinkTabs
      label={t(item.label)}
      tabs={item.tabs.map(({ path, label }) => ({ key: path, label: t(label), to: path }))}
      open={openTab(item.tabs, address)?.path}
    />
  )
}

function Buttons({ inside }: { inside: boolean }) {
  const standing = useStanding()
  const rooms = roomsStore()
  const { permission } = useViewer()
  if (standing === undefined || inside) return undefined
  return buttonsOf(standing.screen, rooms.screens, shownScreens(rooms), permission).map((screen) => (
    <LinkButton key={screen.path} variant="default" to={fillPath(screen.path, standing.params)}>
      {t(screen.button ?? screen.title)}
    </LinkButton>
  ))
}

export const pageParts: PageParts = { Trail, Tabs, Buttons }
