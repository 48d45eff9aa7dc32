// Apart from the contract, because contracts that the sign-in page loads answer with it.

import * as z from 'zod'
import { Id } from '#core/contract/shapes.ts'

/** A role as it is offered to whoever chooses one. */
export const RoleChoice = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  /** The groups of permissions in which it grants some. */
  permits: z.array(z.string()),
})
export type RoleChoice = z.infer<typeof RoleChoice>
