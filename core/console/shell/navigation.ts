// What the navigation shows, worked out of the contracts: at most two levels, an item only where it is in the viewer's menu and its screen opens, and no
// empty group.

import type { Screen } from '#core/contract/contract.ts'
import { menuGroups, type MenuGroup } from '#core/contract/menu.ts'
import { fillPath } from '#core/contract/paths.ts'
import { satisfies, type ViewerPermission } from '#core/contract/permissions.ts'

export type MenuItem = { path: string; label: string; area: string }
export type MenuSection = { group: MenuGroup; label: string; items: MenuItem[] }

/** What is of the whole installation shows in the menus of the management tenancy only. */
export const belongsHere = ({ menu }: Pick<Screen, 'menu'>, management: boolean): boolean => menu?.management !== true || management

/** Texts are the contract's own: translate them where they are shown. */
export function menuOf(
  screens: readonly Screen[],
  shown: ReadonlySet<string>,
  { permission, management = false }: { permission: ViewerPermission; management?: boolean },
): MenuSection[] {
  const groups = Object.keys(menuGroups) as MenuGroup[]
  return groups.flatMap((group) => {
    const items = screens
      .filter((screen) => screen.menu?.group === group && shown.has(`${screen.area}.${screen.name}`) && belongsHere(screen, management))
      .filter((screen) => satisfies(permission.Menu, screen.needs) && satisfies(permission.activeMenu, screen.needs))
      .toSorted((a, b) => placeOf(a) - placeOf(b))
      .map((screen) => ({
        path: fillPath(screen.path, screen.menu?.params ?? {}),
        label: screen.menu?.label ?? screen.title,
        area: screen.area,
      }))
    return items.length === 0 ? [] : [{ group, label: menuGroups[group], items }]
  })
}

const placeOf = (screen: Screen): number => screen.menu?.place ?? 50

/** The item that the current path belongs to: the one with the longest path that begins it. */
export function activeItem(sections: readonly MenuSection[], pathname: string): MenuItem | undefined {
  const path = pathname.toLowerCase()
  const fits = (item: MenuItem) => path === item.path.toLowerCase() || path.startsWith(`${item.path.toLowerCase()}/`)
  return sections
    .flatMap((section) => section.items)
    .filter(fits)
    .toSorted((a, b) => b.path.length - a.path.length)[0]
}
