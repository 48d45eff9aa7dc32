import type { OutputOf } from '#core/contract/contract.ts'
import type { ordering } from '../contract.ts'

export type Order = OutputOf<typeof ordering.calls.order>
