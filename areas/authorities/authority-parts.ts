// An authority's page has room for what the rooms above know of it: they offer a part of its tab "CRL & OCSP", or of "Health", when the
// console starts, and this room need not know them.

import type { ComponentType, LazyExoticComponent } from 'react'

export type AuthorityTab = 'addresses' | 'health'
export type AuthorityPart = { key: string; /** 'addresses' where absent. */ tab?: AuthorityTab; load: LazyExoticComponent<ComponentType<{ caId: string }>> }

const offered = new Map<string, AuthorityPart>()

export function offerAuthorityPart(part: AuthorityPart): void {
  offered.set(part.key, part)
}

export const authorityParts = (tab: AuthorityTab): readonly AuthorityPart[] => [...offered.values()].filter((part) => (part.tab ?? 'addresses') === tab)
