import { to } from '#core/contract/paths.ts'
import { authorities } from '../contract.ts'
import type { AuthorityKind } from '../rules.ts'

/** Where the id stands: an id is a UUID, so the word is free. */
export const newAuthority = 'new'

export const listPath = (): string => to(authorities.screens.manage)
export const authorityPath = (id: string, tab?: string): string => to(authorities.screens.manage, { id }, { tab })
export const createPath = (kind?: AuthorityKind, issuerId?: string): string => to(authorities.screens.manage, { id: newAuthority }, { kind, issuer: issuerId })
