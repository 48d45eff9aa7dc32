import { randomUUID } from 'node:crypto'
import { readIdentifier } from '#areas/devices/rules.ts'
import { findDeviceNames } from '#areas/devices/service.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import { invalidField } from '#core/server/fault.ts'
import { serve } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { networks } from '../contract.ts'
import {
  addressText,
  bitsOf,
  cellLength,
  holds,
  readAddress,
  readSubnet,
  reservationMinutes,
  subnetAt,
  usable,
  type Family,
  type Subnet,
} from '../rules.ts'
import { findVlan, listLocations, listVlans } from './place-store.ts'
import { inTree, places } from './places.ts'
import {
  countAddresses,
  countCells,
  countPrefixes,
  deleteAddress,
  deleteExpired,
  deletePrefix,
  findAddress,
  findAddresses,
  findAround,
  findPrefix,
  insertAddresses,
  insertPrefix,
  listPrefixes,
  listTaken,
  lockTrees,
  updateFreeFrom,
  updatePrefix,
  type PrefixRecord,
  type Range,
} from './store.ts'

const mostSubnets = 2_000

const familyOf = (row: Pick<PrefixRecord, 'first'>): Family => (row.first.includes(':') ? 6 : 4)
const subnetOf = (row: PrefixRecord): Subnet => subnetAt(familyOf(row), readAddress(row.first)?.value ?? 0n, row.prefix_length)
const rangeOf = (space: string, { family, first, last }: Pick<Subnet, 'family' | 'first' | 'last'>): Range => ({
  space,
  first: addressText(family, first),
  last: addressText(family, last),
})

function readCidr(text: string): Subnet {
  const { subnet, fault } = readSubnet(text)
  if (subnet === undefined) throw invalidField('cidr', fault)
  return subnet
}

type PlaceFault = (code: 'unknownVlan' | 'unknownLocation') => never
async function columnsOf(
  tenancy: Tenancy,
  { kind, name, vlanId, locationId, note }: { kind: PrefixRecord['kind']; name: string; vlanId: string; locationId: string; note: string },
  fault: PlaceFault,
) {
  if (vlanId !== '' && (await findVlan(tenancy, vlanId)) === undefined) fault('unknownVlan')
  if (locationId !== '' && !(await listLocations(tenancy)).some(({ id }) => id === locationId)) fault('unknownLocation')
  return { kind, name, vlan_id: vlanId === '' ? null : vlanId, location_id: locationId === '' ? null : locationId, note }
}

/** The address that somebody means in a subnet, in its one spelling. */
function readWithin(row: PrefixRecord, text: string): string | undefined {
  const address = readAddress(text)
  const subnet = subnetOf(row)
  const within = address !== undefined && holds(subnet, { family: address.family, first: address.value, last: address.value })
  return within ? addressText(address.family, address.value) : undefined
}

/** The first free addresses: the gaps between those that are known. */
async function findFree(tenancy: Tenancy, row: PrefixRecord, count: number): Promise<string[]> {
  const subnet = subnetOf(row)
  const { first, last } = usable(subnet)
  const free: string[] = []
  const known = row.free_from === null ? undefined : readAddress(row.free_from)?.value
  let at = known !== undefined && known > first ? known : first
  // The first few are enough where the beginning is known; a subnet with many taken ones in front is read in larger parts.
  for (let batch = 64; at <= last && free.length < count; batch = Math.min(4_096, batch * 8)) {
    const taken = await listTaken(tenancy, rangeOf(row.space, subnet), addressText(subnet.family, at), batch)
    const values = taken.map((text) => readAddress(text)?.value ?? 0n)
    for (const value of [...values, ...(taken.length < batch ? [last + 1n] : [])])
      for (; at <= value && free.length < count; at += 1n) if (at < value && at <= last) free.push(addressText(subnet.family, at))
  }
  return free
}

export default serve(
  networks,
  {
    ...places,

    async subnets(_input, { tenancy }) {
      const rows = await listPrefixes(tenancy)
      const vlans = new Map((await listVlans(tenancy)).map(({ id, vid, name }) => [id, `${vid} ${name}`]))
      const locations = new Map(inTree(await listLocations(tenancy)).map(({ id, path }) => [id, path]))
      const depths = new Map<string, number>()
      const subnets = []
      for (const row of rows) {
        const subnet = subnetOf(row)
        const depth = row.parent_id === null ? 0 : (depths.get(row.parent_id) ?? 0) + 1
        depths.set(row.id, depth)
        const { first, last } = usable(subnet)
        subnets.push({
          id: row.id,
          space: row.space,
          cidr: subnet.text,
          family: subnet.family,
          prefixLength: row.prefix_length,
          kind: row.kind,
          name: row.name,
          depth,
          parentId: row.parent_id ?? '',
          vlanId: row.vlan_id ?? '',
          locationId: row.location_id ?? '',
          vlan: vlans.get(row.vlan_id ?? '') ?? '',
          location: locations.get(row.location_id ?? '') ?? '',
          note: row.note,
          ...(await countAddresses(tenancy, rangeOf(row.space, subnet))),
          size: Math.min(Number(last - first + 1n), Number.MAX_SAFE_INTEGER),
          version: row.version,
        })
      }
      return { subnets, spaces: [...new Set(rows.map(({ space }) => space))] }
    },

    async addSubnet({ space, cidr, ...draft }, { tenancy, emit, fault }) {
      const subnet = readCidr(cidr)
      await lockTrees(tenancy)
      if ((await countPrefixes(tenancy)) >= mostSubnets) fault('tooMany')
      const values = await columnsOf(tenancy, draft, fault)
      const range = rangeOf(space, subnet)
      const around = await findAround(tenancy, range)
      const id = randomUUID()
      await insertPrefix(tenancy, { id, ...range, prefix_length: subnet.prefixLength, parent_id: around?.id ?? null, ...values })
      emit('subnetAdded', { subnetId: id, cidr: subnet.text, space }, id)
      return { id }
    },

    async changeSubnet({ id, version, ...draft }, { tenancy, emit, fault }) {
      await lockTrees(tenancy)
      const row = (await findPrefix(tenancy, id)) ?? fault('missing')
      if (version !== undefined && version !== row.version) fault('conflict')
      await updatePrefix(tenancy, id, await columnsOf(tenancy, draft, fault))
      emit('subnetChanged', { subnetId: id, cidr: subnetOf(row).text }, id)
      return {}
    },

    async removeSubnet({ id }, { tenancy, emit, fault }) {
      await lockTrees(tenancy)
      const row = (await findPrefix(tenancy, id)) ?? fault('missing')
      const subnet = subnetOf(row)
      const { used, unknown } = await countAddresses(tenancy, rangeOf(row.space, subnet))
      if (row.parent_id === null && used + unknown > 0) fault('holdsAddresses', { params: { count: used + unknown } })
      await deletePrefix(tenancy, id, row.parent_id)
      emit('subnetRemoved', { subnetId: id, cidr: subnet.text }, id)
      return {}
    },

    async splitSubnet({ id, prefixLength }, { tenancy, emit, fault }) {
      await lockTrees(tenancy)
      const row = (await findPrefix(tenancy, id)) ?? fault('missing')
      const subnet = subnetOf(row)
      const most = Math.min(bitsOf(subnet.family), subnet.prefixLength + 8)
      if (prefixLength <= subnet.prefixLength || prefixLength > most)
        fault('wrongLength', { params: { from: subnet.prefixLength + 1, to: most } })
      const known = new Set((await listPrefixes(tenancy)).filter(({ space }) => space === row.space).map((one) => subnetOf(one).text))
      let made = 0
      for (let at = subnet.first; at <= subnet.last; at = subnetAt(subnet.family, at, prefixLength).last + 1n) {
        const part = subnetAt(subnet.family, at, prefixLength)
        if (known.has(part.text)) continue
        if (known.size + made >= mostSubnets) fault('tooMany')
        const range = rangeOf(row.space, part)
        const around = await findAround(tenancy, range)
        const draft = { kind: 'network' as const, name: '', vlan_id: null, location_id: row.location_id, note: '' }
        await insertPrefix(tenancy, { id: randomUUID(), ...range, prefix_length: prefixLength, parent_id: around?.id ?? null, ...draft })
        made += 1
      }
      emit('subnetSplit', { subnetId: id, cidr: subnet.text, made }, id)
      return { made }
    },

    async subnetMap({ space, cidr }, { tenancy, fault }) {
      const subnet = readCidr(cidr)
      const range = rangeOf(space, subnet)
      if ((await findAround(tenancy, range)) === undefined) fault('missing')
      const length = cellLength(subnet)
      const counts = Map.groupBy(await countCells(tenancy, range, length), ({ cell }) => cell)
      const cells = []
      for (let at = subnet.first; at <= subnet.last; at = subnetAt(subnet.family, at, length).last + 1n) {
        const from = addressText(subnet.family, at)
        const here = counts.get(from) ?? []
        const of = (shown: string) => here.find((one) => one.shown === shown)?.count ?? 0
        cells.push({
          from,
          prefixLength: length,
          used: of('used'),
          silent: of('silent'),
          reserved: of('reserved'),
          seen: of('unknown'),
          conflict: of('conflict'),
          name: here[0]?.name ?? '',
        })
      }
      return { cidr: subnet.text, cellLength: length, cells }
    },

    async searchAddresses({ subnetId, ...question }, { tenancy, fault }) {
      const row = (await findPrefix(tenancy, subnetId)) ?? fault('missing')
      const { rows, total } = await findAddresses(tenancy, rangeOf(row.space, subnetOf(row)), question)
      const names = await findDeviceNames(
        tenancy,
        rows.flatMap(({ device_id }) => device_id ?? []),
      )
      return {
        rows: rows.map((one) => ({
          address: one.address,
          state: one.state,
          shown: one.shown,
          name: one.name,
          mac: one.mac,
          deviceId: one.device_id ?? '',
          device: names.get(one.device_id ?? '') ?? '',
          note: one.note,
          ...(one.seen_at === null ? {} : { seenAt: one.seen_at.toISOString() }),
          seenMac: one.seen_mac,
        })),
        total: Math.min(total, countedUpTo),
        more: total > countedUpTo,
      }
    },

    async saveAddress({ subnetId, address: typed, mac: typedMac, deviceId, state, name, note }, { tenancy, emit, fault }) {
      await lockTrees(tenancy)
      const row = (await findPrefix(tenancy, subnetId)) ?? fault('missing')
      const address = readWithin(row, typed) ?? fault('outside')
      const value = readAddress(address)?.value ?? 0n
      const { first, last } = usable(subnetOf(row))
      if (row.kind === 'network' && (value < first || value > last)) fault('broadcast')
      const mac = typedMac === '' ? { value: '' } : readIdentifier('eui48', typedMac)
      if (mac.value === undefined) throw invalidField('mac', mac.fault)
      const names = await findDeviceNames(tenancy, deviceId === '' ? [] : [deviceId])
      if (deviceId !== '' && !names.has(deviceId)) fault('unknownDevice')
      const known = await findAddress(tenancy, row.space, address)
      if (known !== undefined && known.device_id !== null && deviceId !== '' && known.device_id !== deviceId) {
        const other = await findDeviceNames(tenancy, [known.device_id])
        // One that is gone has it no more.
        if (other.size > 0) fault('otherDevice', { params: { name: other.get(known.device_id) ?? '' } })
      }
      const values = { state, name: name === '' ? (names.get(deviceId) ?? '') : name, mac: mac.value, note }
      await insertAddresses(tenancy, [{ space: row.space, address, ...values, device_id: deviceId === '' ? null : deviceId }])
      emit('addressSaved', { subnetId, address, name: values.name }, subnetId)
      return {}
    },

    async removeAddress({ subnetId, address: typed }, { tenancy, emit, fault }) {
      await lockTrees(tenancy)
      const row = (await findPrefix(tenancy, subnetId)) ?? fault('missing')
      const address = readWithin(row, typed) ?? fault('outside')
      if ((await findAddress(tenancy, row.space, address)) === undefined) fault('missing')
      await deleteAddress(tenancy, row.space, address)
      emit('addressFreed', { subnetId, address }, subnetId)
      return {}
    },

    async nextFreeAddress({ subnetId, count, name, deviceId }, { tenancy, emit, fault, now }) {
      await lockTrees(tenancy)
      // Before the subnet is read, because what ends now moves where its free ones begin.
      await deleteExpired(tenancy)
      const row = (await findPrefix(tenancy, subnetId)) ?? fault('missing')
      const names = await findDeviceNames(tenancy, deviceId === '' ? [] : [deviceId])
      if (deviceId !== '' && !names.has(deviceId)) fault('unknownDevice')
      const addresses = await findFree(tenancy, row, count)
      if (addresses.length < count) fault('full', { params: { cidr: subnetOf(row).text } })
      // For a device it is taken for good; else it waits for somebody to write who has it.
      const values =
        deviceId === ''
          ? { state: 'reserved' as const, device_id: null, reserved_until: new Date(now.getTime() + reservationMinutes * 60_000) }
          : { state: 'used' as const, device_id: deviceId, reserved_until: null }
      const last = addresses.at(-1)
      if (last !== undefined) await updateFreeFrom(tenancy, row.id, last)
      await insertAddresses(
        tenancy,
        addresses.map((address) => ({
          space: row.space,
          address,
          name: name === '' ? (names.get(deviceId) ?? '') : name,
          mac: '',
          note: '',
          ...values,
        })),
      )
      emit('addressesTaken', { subnetId, addresses }, subnetId)
      return { addresses }
    },

    async nextFreeSubnet({ id, prefixLength }, { tenancy, fault }) {
      const row = (await findPrefix(tenancy, id)) ?? fault('missing')
      const subnet = subnetOf(row)
      const most = bitsOf(subnet.family)
      if (prefixLength <= subnet.prefixLength || prefixLength > most)
        fault('wrongLength', { params: { from: subnet.prefixLength + 1, to: most } })
      const inside = (await listPrefixes(tenancy)).filter((one) => one.parent_id === id).map(subnetOf)
      for (let at = subnet.first; at <= subnet.last;) {
        const part = subnetAt(subnet.family, at, prefixLength)
        const hit = inside.find((one) => one.first <= part.last && one.last >= part.first)
        if (hit === undefined) return { cidr: part.text }
        at = (hit.last > part.last ? subnetAt(subnet.family, hit.last, prefixLength).last : part.last) + 1n
      }
      return fault('full', { params: { cidr: subnet.text } })
    },
  },
  {
    jobs: {
      reservations: {
        inTenancy: ({ house, tenantId }) =>
          withTenancy(house, tenantId, async (tenancy) => {
            await lockTrees(tenancy)
            await deleteExpired(tenancy)
          }),
      },
    },
  },
)
