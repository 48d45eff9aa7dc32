// An authority's page has room for what the rooms above know of it: they offer a part of its tab "CRL & OCSP", or of "Health", when the
// console starts, and this room need not know them.

import type { Icon } from '@tabler/icons-react'
import type { ComponentType, LazyExoticComponent } from 'react'

/** `offline` stands in the place of `addresses` for an authority whose key is not here. */
export type AuthorityTab = 'addresses' | 'offline' | 'health'
export type AuthorityPart = { key: string; /** 'addresses' where absent. */ tab?: AuthorityTab; load: LazyExoticComponent<ComponentType<{ caId: string }>> }

const offered = new Map<string, AuthorityPart>()

export function offerAuthorityPart(part: AuthorityPart): void {
  offered.set(part.key, part)
}

export const authorityParts = (tab: AuthorityTab): readonly AuthorityPart[] => [...offered.values()].filter((part) => (part.tab ?? 'addresses') === tab)

/** What the rooms above can do to an authority, by the address where it is done. */
export type AuthorityDeed = { key: string; label: () => string; icon: Icon; to(caId: string): string; danger?: true }

const deeds = new Map<string, AuthorityDeed>()

export function offerAuthorityDeed(deed: AuthorityDeed): void {
  deeds.set(deed.key, deed)
}

export const authorityDeeds = (): readonly AuthorityDeed[] => [...deeds.values()]

/** What can be done to one of its cross-certificates or links: a button beside it. */
type FurtherProps = { certificateId: string; subject: string; revoked: boolean }
let furtherDeed: LazyExoticComponent<ComponentType<FurtherProps>> | undefined

export function offerFurtherDeed(load: LazyExoticComponent<ComponentType<FurtherProps>>): void {
  furtherDeed = load
}

export const offeredFurtherDeed = (): LazyExoticComponent<ComponentType<FurtherProps>> | undefined => furtherDeed
