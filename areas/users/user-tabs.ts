// A person's page has room for what the rooms above know of the person: they offer a tab when the console starts, and this room need not
// know them.

import type { ComponentType, LazyExoticComponent } from 'react'
import type { Needs } from '#core/contract/permissions.ts'

export type UserTab = { key: string; label: string; needs?: Needs; load: LazyExoticComponent<ComponentType<{ userId: string }>> }

const offered = new Map<string, UserTab>()

export function offerUserTab(tab: UserTab): void {
  offered.set(tab.key, tab)
}

export const userTabs = (): readonly UserTab[] => [...offered.values()]
