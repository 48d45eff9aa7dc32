// Where rooms say what they use a domain of the tenancy for.

import { slot } from '#core/contract/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type DomainUse = {
  /** What uses it, in the plural: "Hosts with a look of their own". It stands in the room's rules, where its translation is looked for. */
  kind: string
  /** It cannot go on without the domain: the domain is not removed while there is one. */
  blocks: boolean
  path: string
  /** How many use each of these domains; those that nobody uses may be left out. */
  count(tenancy: Tenancy, names: readonly string[]): Promise<ReadonlyMap<string, number>>
}

export const domainUses = slot<DomainUse>('domain uses: what a domain of the tenancy is used for')
