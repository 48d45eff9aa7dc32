// What stands between a tenancy and the networks around it: which addresses of this server others reach, and what this server connects to for the
// tenancy. Each room offers its own, so that whoever opens a firewall reads one list.

import { slot } from '#core/contract/slots.ts'
import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { addressLabels } from './rules.ts'

export type NetworkAddress = {
  /** `in`: others call this address. `out`: this server connects to it. */
  direction: 'in' | 'out'
  purpose: keyof typeof addressLabels
  /** What the tenancy calls it; empty where there is one alone. */
  name: string
  address: string
}
export type NetworkAddresses = (tenancy: Tenancy, house: House) => Promise<NetworkAddress[]>

export const networkAddresses = slot<NetworkAddresses>('network addresses: what a tenancy is reached at, and what is reached for it')
