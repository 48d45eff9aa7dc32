// An authority's page has room for what the rooms above know of it: they offer a part of its tab "CRL & OCSP", or of "Health", when the
// console starts, and this room need not know them.

import type { Icon } from '@tabler/icons-react'
import type { ComponentType, LazyExoticComponent } from 'react'
import { offersTo } from '#core/console/rooms.ts'
import { slot } from '#core/contract/slots.ts'

/** `offline` stands in the place of `addresses` for an authority whose key is not here. */
export type AuthorityTab = 'addresses' | 'offline' | 'health'
export type AuthorityPart = {
  key: string
  /** 'addresses' where absent. */ tab?: AuthorityTab
  load: LazyExoticComponent<ComponentType<{ caId: string }>>
}

export const authorityPartSlot = slot<AuthorityPart>('authorities: what rooms above know of one')

export const authorityParts = (tab: AuthorityTab): readonly AuthorityPart[] =>
  offersTo(authorityPartSlot).filter((part) => (part.tab ?? 'addresses') === tab)

/** What the rooms above can do to an authority, by the address where it is done. */
export type AuthorityAction = { key: string; label: () => string; icon: Icon; to(caId: string): string; danger?: true }

export const authorityActionSlot = slot<AuthorityAction>('authorities: what can be done to one')

export const authorityActions = (): readonly AuthorityAction[] => offersTo(authorityActionSlot)

/** What can be done to one of its cross-certificates or links: a button beside it. */
type FurtherProps = { certificateId: string; subject: string; revoked: boolean }
type FurtherAction = LazyExoticComponent<ComponentType<FurtherProps>>

export const furtherActionSlot = slot<FurtherAction>('authorities: what can be done to one of its further certificates')

export const offeredFurtherAction = (): FurtherAction | undefined => offersTo(furtherActionSlot)[0]
