// Where a screen stands: what is above it, and what is wrong with the places that the contracts name.

import type { Screen } from './contract.ts'
import { entryKey, menuGroups, mostEntries } from './menu.ts'
import { parameter, paramNames } from './paths.ts'

export type Located = Pick<Screen, 'area' | 'name' | 'path' | 'title' | 'menu' | 'parent' | 'needs' | 'shell' | 'button'>

/** `certificates.view`: the parent of a screen, whose contract may name one of its own by the name alone. */
export const parentKey = ({ area, parent }: Pick<Located, 'area' | 'parent'>): string | undefined =>
  parent === undefined ? undefined : parent.includes('.') ? parent : `${area}.${parent}`

export const parentOf = <S extends Located>(screen: S, screens: readonly S[]): S | undefined => {
  const key = parentKey(screen)
  return key === undefined ? undefined : screens.find(({ area, name }) => `${area}.${name}` === key)
}

/** What is above a screen, the nearest first. */
export function ancestors<S extends Located>(screen: S, screens: readonly S[]): S[] {
  const found: S[] = []
  for (let above = parentOf(screen, screens); above !== undefined && !found.includes(above); above = parentOf(above, screens))
    found.push(above)
  return found
}

const needed = (path: string): string[] => paramNames(path).filter((name) => !path.split('/').some((segment) => isOptional(segment, name)))
const isOptional = (segment: string, name: string): boolean => {
  const [, found, optional] = parameter.exec(segment) ?? []
  return found === name && optional !== undefined
}

/** What is wrong with the places of the screens, in words; nothing where all is well. */
export function placeFaults(screens: readonly Located[]): string[] {
  const key = ({ area, name }: Located) => `${area}.${name}`
  const faults: string[] = []
  for (const [group, { entries }] of Object.entries(menuGroups)) {
    const count = Object.keys(entries).length
    if (count > mostEntries && group !== 'settings')
      faults.push(`the group ${group} has ${count} entries; at most ${mostEntries} stand in a group`)
  }
  const standing = screens.flatMap((screen) => (screen.menu === undefined ? [] : [{ screen, menu: screen.menu }]))
  for (const { screen, menu } of standing) {
    const group = Object.hasOwn(menuGroups, menu.group) ? menuGroups[menu.group] : undefined
    if (group === undefined) faults.push(`${key(screen)}: there is no group ${menu.group} in the menu`)
    else if (!Object.hasOwn(group.entries, menu.entry)) faults.push(`${key(screen)}: the group ${menu.group} has no entry ${menu.entry}`)
    const missing = needed(screen.path).filter((name) => menu.params?.[name] === undefined)
    if (missing.length > 0) faults.push(`${key(screen)}: the menu does not fill ${missing.join(', ')} of its path`)
  }
  for (const [entry, beside] of Map.groupBy(standing, ({ menu }) => entryKey(menu))) {
    const tabs = beside.flatMap(({ menu }) => [menu.tab, ...(menu.more ?? []).map(({ tab }) => tab)])
    if (tabs.length > 1 && tabs.includes(undefined))
      faults.push(`${entry}: each of ${beside.map(({ screen }) => key(screen)).join(', ')} needs a tab`)
    const twice = tabs.filter((tab, at) => tab !== undefined && tabs.indexOf(tab) !== at)
    if (twice.length > 0) faults.push(`${entry}: two tabs are called ${twice.join(', ')}`)
  }
  for (const screen of screens) {
    if ((screen.shell ?? (screen.needs === 'public' ? 'public' : 'console')) === 'public') continue
    if (screen.menu !== undefined) {
      if (screen.parent !== undefined) faults.push(`${key(screen)}: stands in the menu and names a parent besides`)
      continue
    }
    const parent = parentOf(screen, screens)
    if (screen.parent === undefined) faults.push(`${key(screen)}: stands in no menu and names no parent`)
    else if (parent === undefined) faults.push(`${key(screen)}: there is no screen ${parentKey(screen)}`)
    else if (ancestors(screen, screens).at(-1)?.menu === undefined) faults.push(`${key(screen)}: nothing above it stands in the menu`)
    else {
      const missing = needed(parent.path).filter(
        (name) => !paramNames(screen.path).includes(name) && parent.menu?.params?.[name] === undefined,
      )
      if (missing.length > 0) faults.push(`${key(screen)}: its path does not tell ${missing.join(', ')} of its parent`)
      if (screen.button !== undefined && paramNames(screen.path).some((name) => !paramNames(parent.path).includes(name)))
        faults.push(`${key(screen)}: its parent cannot lead to it, whose path needs more`)
    }
  }
  return faults
}
