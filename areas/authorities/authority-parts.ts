// An authority's page has room for what the rooms above know of it: they offer a part of its tab "CRL & OCSP" when the console starts,
// and this room need not know them.

import type { ComponentType, LazyExoticComponent } from 'react'

export type AuthorityPart = { key: string; load: LazyExoticComponent<ComponentType<{ caId: string }>> }

const offered = new Map<string, AuthorityPart>()

export function offerAuthorityPart(part: AuthorityPart): void {
  offered.set(part.key, part)
}

export const authorityParts = (): readonly AuthorityPart[] => [...offered.values()]
