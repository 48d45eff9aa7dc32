import type * as z from 'zod'
import type { AnyContract } from '#core/contract/contract.ts'

/** Writes an event of a contract in the open transaction: `emit('added', body, id)`. */
export type Emit<C extends AnyContract> = <E extends keyof C['events'] & string>(
  event: E,
  body: z.input<C['events'][E]['body']>,
  about?: string,
) => void
