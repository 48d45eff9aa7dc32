// An authority's page has room for what the rooms above know of it: they offer a part of its tab "CRL & OCSP", or of "Health", when the
// console starts, and this room need not know them.

import type { Icon } from '@tabler/icons-react'
import type { ComponentType, LazyExoticComponent } from 'react'

/** `offline` stands in the place of `addresses` for an authority whose key is not here. */
export type AuthorityTab = 'addresses' | 'offline' | 'health'
export type AuthorityPart = {
  key: string
  /** 'addresses' where absent. */ tab?: AuthorityTab
  load: LazyExoticComponent<ComponentType<{ caId: string }>>
}

const offered = new Map<string, AuthorityPart>()

export function offerAuthorityPart(part: AuthorityPart): void {
  offered.set(part.key, part)
}

export const authorityParts = (tab: AuthorityTab): readonly AuthorityPart[] =>
  [...offered.values()].filter((part) => (part.tab ?? 'addresses') === tab)

/** What the rooms above can do to an authority, by the address where it is done. */
export type AuthorityAction = { key: string; label: () => string; icon: Icon; to(caId: string): string; danger?: true }

const actions = new Map<string, AuthorityAction>()

export function offerAuthorityAction(action: AuthorityAction): void {
  actions.set(action.key, action)
}

export const authorityActions = (): readonly AuthorityAction[] => [...actions.values()]

/** What can be done to one of its cross-certificates or links: a button beside it. */
type FurtherProps = { certificateId: string; subject: string; revoked: boolean }
let furtherAction: LazyExoticComponent<ComponentType<FurtherProps>> | undefined

export function offerFurtherAction(load: LazyExoticComponent<ComponentType<FurtherProps>>): void {
  furtherAction = load
}

export const offeredFurtherAction = (): LazyExoticComponent<ComponentType<FurtherProps>> | undefined => furtherAction
