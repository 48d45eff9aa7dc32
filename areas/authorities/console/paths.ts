import { to } from '#core/contract/paths.ts'
import { authorities } from '../contract.ts'
import type { MadeKind } from '../rules.ts'

/** Where the id stands: an id is a UUID, so the word is free. */
export const newAuthority = 'new'

export const listPath = (): string => to(authorities.screens.manage)
export const authorityPath = (id: string, tab?: string): string => to(authorities.screens.manage, { id }, { tab })
export const createPath = (kind?: MadeKind, issuerId?: string): string =>
  to(authorities.screens.manage, { id: newAuthority }, { kind, issuer: issuerId })
export const renewPath = (id: string): string => to(authorities.screens.renew, { id })
export const crossPath = (id: string): string => to(authorities.screens.cross, { id })
export const offlinePath = (): string => to(authorities.screens.offline)
