// What rooms above may ask about who has which kind of card.

export { cardKindOf, holdersOfKind } from './server/holder-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { listCardTemplates } from './server/store.ts'

export type CardKind = { id: string; name: string; enabled: boolean }

/** The templates of cards, by name; also those that are not in use any more. */
export const cardKinds = async (tenancy: Tenancy): Promise<CardKind[]> =>
  (await listCardTemplates(tenancy)).map(({ id, name, enabled }) => ({ id, name, enabled }))
