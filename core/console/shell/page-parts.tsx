// The place of a page on the map, drawn around it: breadcrumb, tabs, and the buttons that other screens put on it.

import { Link, useLocation, useMatches } from 'react-router'
import type { Screen } from '#core/contract/contract.ts'
import { fillPath } from '#core/contract/paths.ts'
import { useViewer } from '../bootstrap.ts'
import { LinkButton } from '../kit/links.tsx'
import type { PageParts } from '../kit/page-place.ts'
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

function Tabs({ inside }: { inside: boolean }) {
  const standing = useStanding()
  const rooms = roomsStore()
  const viewer = useViewer()
  const address = useLocation()
  if (standing?.screen.menu === undefined || inside || isSingle(standing.screen, standing.params)) return undefined
  const item = activeItem(menuOf(rooms.screens, shownScreens(rooms), viewer), standing.screen, rooms.screens)
  if (item === undefined || item.tabs.length < 2) return undefined
  const open = openTab(item.tabs, address)
  return (
    <nav className={classes['tabs']} aria-label={t(item.label)}>
      {item.tabs.map((tab) => (
        <Link key={tab.path} to={tab.path} className={classes['tab'] ?? ''} {...(tab === open ? { 'aria-current': 'page' as const } : {})}>
          {t(tab.label)}
        </Link>
      ))}
    </nav>
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
