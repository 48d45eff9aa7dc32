import type { OutputOf } from '#core/contract/contract.ts'
import type { networks } from '../contract.ts'

/** A subnet as the tree shows it. */
export type Subnet = OutputOf<typeof networks.calls.subnets>['subnets'][number]
