// What rooms above ask of networks: to note what was seen at addresses, and to plant an estate for demonstrations.

import { randomUUID } from 'node:crypto'
import type { Tenancy } from '#core/server/tenancy.ts'
import { addressText, readSubnet } from './rules.ts'
import { listLocations } from './server/place-store.ts'
import { inTree } from './server/places.ts'
import { findAround, insertAddresses, insertPrefix, insertSeen, lockTrees } from './server/store.ts'

/** Notes addresses at which something answered, where a subnet of the first space holds them. */
export async function noteSeen(tenancy: Tenancy, addresses: readonly string[]): Promise<void> {
  const held: string[] = []
  for (const address of addresses)
    if ((await findAround(tenancy, { space: '', first: address, last: address })) !== undefined) held.push(address)
  await insertSeen(tenancy, '', held)
}

/** The locations of the tenancy with all that are above each, in the order of their tree. */
export const listLocationPaths = async (tenancy: Tenancy): Promise<{ id: string; path: string }[]> =>
  inTree(await listLocations(tenancy)).map(({ id, path }) => ({ id, path }))

export type PlannedAddress = Parameters<typeof insertAddresses>[1][number]

/** Puts subnets and addresses in at once, the outer subnets first. It leaves no event. */
export async function plantSubnets(
  tenancy: Tenancy,
  planned: readonly { cidr: string; name: string; kind: 'container' | 'network' | 'pool'; addresses: readonly PlannedAddress[] }[],
): Promise<void> {
  await lockTrees(tenancy)
  for (const { cidr, name, kind, addresses } of planned) {
    const { subnet } = readSubnet(cidr)
    if (subnet === undefined) continue
    const range = { space: '', first: addressText(subnet.family, subnet.first), last: addressText(subnet.family, subnet.last) }
    const around = await findAround(tenancy, range)
    const rest = { vlan_id: null, location_id: null, note: '' }
    await insertPrefix(tenancy, {
      id: randomUUID(),
      ...range,
      prefix_length: subnet.prefixLength,
      parent_id: around?.id ?? null,
      kind,
      name,
      ...rest,
    })
    await insertAddresses(tenancy, addresses)
  }
}
