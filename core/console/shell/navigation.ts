// What the navigation shows, worked out of the contracts: at most two levels, an entry only where it is in the viewer's menu and its screen opens, and no
// empty group; beside it, where on the map a screen stands: its entry, the tabs of that, and what is above it.

import type { Screen } from '#core/contract/contract.ts'
import { entryKey, menuGroups, type MenuGroup } from '#core/contract/menu.ts'
import { fillPath, paramNames } from '#core/contract/paths.ts'
import { satisfies, type ViewerPermission } from '#core/contract/permissions.ts'
import { ancestors } from '#core/contract/places.ts'

/** One of an entry's screens. `of`: the screen, `area.name`. */
/** `below`: what stands below its address is shown by it, too. */
export type MenuTab = { path: string; label: string; of: string; below?: true }
export type MenuItem = { key: string; path: string; label: string; area: string; tabs: readonly MenuTab[] }
export type MenuSection = { group: MenuGroup; label: string; items: MenuItem[] }

/** What is of the whole installation shows in the menus of the management tenancy only. */
export const belongsHere = ({ menu }: Pick<Screen, 'menu'>, management: boolean): boolean => menu?.management !== true || management

/** Whether a screen opens for somebody. The search hosts the lists, so whoever may not search has none of them. */
export const opensFor = ({ View }: ViewerPermission, { needs, lists }: Pick<Screen, 'needs' | 'lists'>): boolean =>
  satisfies(View, needs) && (lists === undefined || satisfies(View, 'search'))

const keyOf = ({ area, name }: Pick<Screen, 'area' | 'name'>): string => `${area}.${name}`

/** Texts are the contract's own: translate them where they are shown. */
export function menuOf(
  screens: readonly Screen[],
  shown: ReadonlySet<string>,
  { permission, management = false }: { permission: ViewerPermission; management?: boolean },
): MenuSection[] {
  const standing = screens
    .filter((screen) => screen.menu !== undefined && shown.has(keyOf(screen)) && belongsHere(screen, management))
    .filter(({ needs, menu }) =>
      [needs, menu?.needs ?? needs].every((name) => satisfies(permission.Menu, name) && satisfies(permission.activeMenu, name)),
    )
    .filter((screen) => screen.lists === undefined || opensFor(permission, screen))
    .toSorted((a, b) => (a.menu?.place ?? 50) - (b.menu?.place ?? 50))
  const byEntry = Map.groupBy(standing, ({ menu }) => (menu === undefined ? '' : entryKey(menu)))
  const groups = Object.keys(menuGroups) as MenuGroup[]
  return groups.flatMap((group) => {
    const items = Object.entries(menuGroups[group].entries).flatMap(([entry, label]): MenuItem[] => {
      const key = `${group}.${entry}`
      const beside = byEntry.get(key) ?? []
      const tabs = beside.flatMap(tabsOf)
      const [first] = tabs
      return first === undefined ? [] : [{ key, path: first.path, label, area: beside[0]?.area ?? '', tabs }]
    })
    return items.length === 0 ? [] : [{ group, label: menuGroups[group].label, items }]
  })
}

/** What the side shows: settings are one entry there, since they have a navigation of their own. */
export const sideMenuOf = (sections: readonly MenuSection[]): MenuSection[] =>
  sections.map((section) => {
    const [first] = section.items
    return section.group !== 'settings' || first === undefined
      ? section
      : { ...section, items: [{ ...first, key: section.group, label: section.label, tabs: [] }] }
  })

/** The settings that somebody may see, where there are several pages and the screen is one of them or below one. */
export function settingsAround(
  sections: readonly MenuSection[],
  screen: Screen | undefined,
  screens: readonly Screen[],
): MenuSection | undefined {
  const settings = sections.find(({ group }) => group === 'settings')
  if (settings === undefined || settings.items.flatMap(({ tabs }) => tabs).length < 2) return undefined
  return settings.items.includes(activeItem(sections, screen, screens) ?? none) ? settings : undefined
}

const none: MenuItem = { key: '', path: '', label: '', area: '', tabs: [] }

const tabsOf = (screen: Screen): MenuTab[] => {
  const { tab = screen.title, params = {}, more = [] } = screen.menu ?? {}
  const of = { of: keyOf(screen), ...(screen.path.endsWith('/*') ? { below: true as const } : {}) }
  return [
    { label: tab, path: fillPath(screen.path, params), ...of },
    ...more.map((one) => ({ label: one.tab, path: fillPath(screen.path, { ...params, ...one.params }) + (one.query ?? ''), ...of })),
  ]
}

/** The screen of the menu that a screen stands below, which may be itself. */
export const rootOf = (screen: Screen, screens: readonly Screen[]): Screen | undefined =>
  [screen, ...ancestors(screen, screens)].find(({ menu }) => menu !== undefined)

/** The entry of the menu that a screen belongs to. */
export function activeItem(sections: readonly MenuSection[], screen: Screen | undefined, screens: readonly Screen[]): MenuItem | undefined {
  const menu = screen === undefined ? undefined : rootOf(screen, screens)?.menu
  const key = menu === undefined ? undefined : entryKey(menu)
  return sections.flatMap(({ items }) => items).find((item) => item.key === key)
}

const sameParams = (asked: string, search: string): boolean => {
  const here = new URLSearchParams(search)
  return [...new URLSearchParams(asked)].every(([name, value]) => here.get(name) === value)
}

/** The tab that an address shows: of those at its path, the one with the most of its query. */
export const openTab = (tabs: readonly MenuTab[], { pathname, search }: { pathname: string; search: string }): MenuTab | undefined =>
  tabs
    .filter(({ path, below }) => {
      const [at = '', query = ''] = path.split('?')
      const here = pathname.toLowerCase().replace(/(.)\/$/, '$1')
      const within = below === true && here.startsWith(`${at.toLowerCase()}/`)
      return (at.toLowerCase() === here || within) && sameParams(query, search)
    })
    .toSorted((a, b) => b.path.length - a.path.length)[0]

export type Params = Readonly<Record<string, string | undefined>>

/** Whether the address shows one of a list whose path it is: its optional parameter is given. */
export const isSingle = (screen: Screen, params: Params): boolean =>
  optionalNames(screen.path).some((name) => (params[name] ?? '') !== '' && screen.menu?.params?.[name] !== params[name])

const optionalNames = (path: string): string[] => paramNames(path).filter((name) => path.includes(`:${name}?`))

export type Crumb = { label: string; path?: string }

type Place = {
  screen: Screen
  params: Params
  /** The page is one of several of its screen, which then is above it. */
  inside: boolean
  sections: readonly MenuSection[]
  screens: readonly Screen[]
  permission: ViewerPermission
}

/** What is above a page, the group first; nothing above a screen of the menu itself. */
export function trailOf({ screen, params, inside, sections, screens, permission }: Place): Crumb[] {
  const chain = [screen, ...ancestors(screen, screens)]
  const root = chain.at(-1)
  if (root?.menu === undefined || (screen === root && !inside)) return []
  const item = activeItem(sections, screen, screens)
  const section = sections.find(({ items }) => items.some((one) => one === item))
  const crumbs: Crumb[] = []
  if (item !== undefined && section !== undefined) {
    if (section.label !== item.label) crumbs.push({ label: section.label })
    crumbs.push({ label: item.label, path: item.path })
    const tab = item.tabs.find(({ of }) => of === keyOf(root))
    if (tab !== undefined && tab !== item.tabs[0]) crumbs.push({ label: tab.label, path: tab.path })
  }
  const single = optionalNames(root.path).find((name) => paramNames(screen.path).includes(name) && screen !== root)
  if (root.single !== undefined && single !== undefined && opensFor(permission, root))
    crumbs.push({ label: root.single, path: fillPath(root.path, params) })
  const between = chain.slice(inside ? 0 : 1, -1).toReversed()
  for (const above of between) if (opensFor(permission, above)) crumbs.push({ label: above.title, path: fillPath(above.path, params) })
  return crumbs.some(({ path }) => path !== undefined) ? crumbs : []
}

/** What stands as a button on a screen because it says so in its own contract. */
export const buttonsOf = (
  screen: Screen,
  screens: readonly Screen[],
  shown: ReadonlySet<string>,
  permission: ViewerPermission,
): readonly Screen[] =>
  screens.filter(
    (one) =>
      one.button !== undefined && shown.has(keyOf(one)) && satisfies(permission.View, one.needs) && ancestors(one, screens)[0] === screen,
  )
