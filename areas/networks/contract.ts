import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery, Paragraph, sortedBy } from '#core/contract/shapes.ts'
import { placeCalls, placeEvents } from './place-calls.ts'
import { addressStates, mostAtOnce, subnetKinds } from './rules.ts'

const OptionalId = z.union([z.literal(''), Id]).default('')
const Space = z.union([z.literal(''), Line(40)]).default('')

const SubnetDraft = z.object({
  /** Two spaces may have the same addresses and never meet; the first one has no name. */
  space: Space,
  cidr: Line(60),
  kind: z.enum(subnetKinds).default('network'),
  name: OptionalLine(120),
  vlanId: OptionalId,
  locationId: OptionalId,
  note: Paragraph(500).default(''),
})

const Subnet = z.object({
  id: Id,
  space: z.string(),
  cidr: z.string(),
  family: z.union([z.literal(4), z.literal(6)]),
  prefixLength: z.number().int(),
  kind: z.enum(subnetKinds),
  name: z.string(),
  /** How many stand above it. */
  depth: z.number().int(),
  parentId: z.string(),
  vlanId: z.string(),
  locationId: z.string(),
  vlan: z.string(),
  location: z.string(),
  note: z.string(),
  /** Addresses in it and in those below it: given out, seen by nobody's doing, and how many there can be (of huge ones 2^53). */
  used: z.number().int(),
  unknown: z.number().int(),
  size: z.number(),
  version: z.number().int(),
})

const Address = z.object({
  address: z.string(),
  state: z.enum(addressStates),
  /** What it is on the map. */
  shown: z.enum(['free', 'used', 'silent', 'reserved', 'unknown', 'conflict']),
  name: z.string(),
  mac: z.string(),
  deviceId: z.string(),
  device: z.string(),
  note: z.string(),
  seenAt: Instant.optional(),
  seenMac: z.string(),
})

const outside = { status: 400, says: 'No subnet of this space holds the address', field: 'address' } as const
const placeFaults = {
  unknownVlan: { status: 400, says: 'There is no such network', field: 'vlanId' },
  unknownLocation: { status: 400, says: 'There is no such location', field: 'locationId' },
} as const
const taken = {
  status: 409,
  says: 'This subnet stands here already',
  field: 'cidr',
  constraint: 'ip_prefixes_by_range',
} as const

export const networks = contract({
  area: 'networks',
  title: 'Networks and addresses',
  screens: {
    ipam: {
      path: '/identity/device/ipam',
      needs: 'deviceIpam',
      title: 'IP addresses',
      menu: { group: 'devices', entry: 'addresses' },
      also: 'IPAM, subnets, IP address management, free address',
    },
    networks: {
      path: '/config/networks',
      needs: 'configureTeSA',
      title: 'Networks',
      menu: { group: 'devices', entry: 'networks' },
      also: 'VLAN',
    },
    locations: {
      path: '/config/locations/:id?',
      needs: 'configureTeSA',
      title: 'Locations',
      menu: { group: 'devices', entry: 'locations', tab: 'Locations', place: 10 },
      also: 'sites, buildings, rooms, racks',
    },
    visitorLocations: {
      path: '/config/vms/locations',
      needs: 'configureTeSA',
      title: 'Locations that receive visitors',
      menu: { group: 'devices', entry: 'locations', tab: 'Visitors', place: 20 },
      also: 'VMS, visitor management, reception desk',
    },
  },
  calls: {
    ...placeCalls,
    subnets: {
      does: 'Answers all subnets of the tenancy in the order of the tree, with how many of their addresses are used.',
      method: 'GET',
      path: '/api2/Devices-v1/Subnets',
      needs: 'deviceIpam',
      input: z.object({}),
      output: z.object({ subnets: z.array(Subnet), spaces: z.array(z.string()) }),
    },
    addSubnet: {
      does: 'Adds a subnet; those that lie in it stand below it from then on. Answers its id.',
      title: 'Add a subnet',
      method: 'POST',
      path: '/api2/Devices-v1/Subnet',
      needs: 'deviceIpam',
      input: SubnetDraft,
      output: z.object({ id: Id }),
      done: 'The subnet was added',
      failed: 'The subnet was not added',
      faults: { ...placeFaults, taken, tooMany: { status: 409, says: 'A tenancy has at most 2,000 subnets' } },
    },
    changeSubnet: {
      does: 'Replaces what is written of a subnet; its addresses stay as they are. Answers nothing.',
      title: 'Change a subnet',
      method: 'PUT',
      path: '/api2/Devices-v1/Subnet',
      needs: 'deviceIpam',
      input: SubnetDraft.omit({ space: true, cidr: true }).extend({ id: Id, version: z.number().int().optional() }),
      output: z.object({}),
      done: 'The subnet was changed',
      failed: 'The subnet was not changed',
      faults: placeFaults,
    },
    removeSubnet: {
      does: 'Deletes a subnet; subnets and addresses in it go to the one above it. One at the top that holds addresses stays.',
      title: 'Delete a subnet',
      method: 'DELETE',
      path: '/api2/Devices-v1/Subnet',
      needs: 'deviceIpam',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The subnet was deleted',
      failed: 'The subnet was not deleted',
      faults: { holdsAddresses: { status: 409, says: 'The subnet holds {count} addresses, and nothing stands above it to take them' } },
    },
    splitSubnet: {
      does: 'Divides a subnet into equal ones of a length, at most 256; those that are there stay. Answers how many were made.',
      title: 'Split a subnet',
      method: 'POST',
      path: '/api2/Devices-v1/SplitSubnet',
      needs: 'deviceIpam',
      input: z.object({ id: Id, prefixLength: z.number().int().min(1).max(128) }),
      output: z.object({ made: z.number().int() }),
      done: 'The subnet was split',
      failed: 'The subnet was not split',
      faults: {
        wrongLength: { status: 400, says: 'Use a length from {from} to {to}', field: 'prefixLength' },
        tooMany: { status: 409, says: 'A tenancy has at most 2,000 subnets' },
      },
    },
    subnetMap: {
      does: 'Draws a subnet in at most 256 cells, each an address or an equal part, with what is used, silent, reserved and unknown there.',
      method: 'GET',
      path: '/api2/Devices-v1/SubnetMap',
      needs: 'deviceIpam',
      input: z.object({ space: Space, cidr: Line(60) }),
      output: z.object({
        cidr: z.string(),
        cellLength: z.number().int(),
        cells: z.array(
          z.object({
            from: z.string(),
            prefixLength: z.number().int(),
            used: z.number().int(),
            silent: z.number().int(),
            reserved: z.number().int(),
            seen: z.number().int(),
            conflict: z.number().int(),
            name: z.string(),
          }),
        ),
      }),
    },
    searchAddresses: {
      does: 'Lists the known addresses of a subnet by text and state, in their order.',
      method: 'POST',
      path: '/api2/Devices-v1/SearchSubnetIPs',
      needs: 'deviceIpam',
      reads: true,
      input: PageQuery.extend({
        sort: sortedBy('address', 'name', 'seenAt'),
        subnetId: Id,
        shown: z.array(z.enum(['used', 'silent', 'reserved', 'unknown', 'conflict'])).optional(),
      }),
      output: pageOf(Address),
    },
    saveAddress: {
      does: 'Writes who an address of a subnet belongs to; answers nothing. What was seen there stays.',
      title: 'Change an address',
      method: 'PUT',
      path: '/api2/Devices-v1/Address',
      needs: 'deviceIpam',
      input: z.object({
        subnetId: Id,
        address: Line(60),
        state: z.enum(['used', 'reserved', 'gateway', 'dhcp']).default('used'),
        name: OptionalLine(120),
        mac: OptionalLine(60),
        deviceId: OptionalId,
        note: Paragraph(500).default(''),
      }),
      output: z.object({}),
      done: 'The address was saved',
      failed: 'The address was not saved',
      faults: {
        outside,
        broadcast: {
          status: 400,
          says: 'This is the address of the network itself, or the one for all in it: no device has it',
          field: 'address',
        },
        otherDevice: { status: 409, says: 'The address belongs to another device: {name}', field: 'deviceId' },
        unknownDevice: { status: 400, says: 'There is no such device', field: 'deviceId' },
      },
    },
    removeAddress: {
      does: 'Gives an address free; answers nothing.',
      title: 'Free an address',
      method: 'DELETE',
      path: '/api2/Devices-v1/Address',
      needs: 'deviceIpam',
      input: z.object({ subnetId: Id, address: Line(60) }),
      output: z.object({}),
      done: 'The address is free',
      failed: 'The address was not given free',
      faults: { outside },
    },
    nextFreeAddress: {
      does: 'Reserves the next free addresses of a subnet, of which two callers never get the same; a reservation ends after 15 minutes unless it is used.',
      title: 'Take the next free address',
      method: 'POST',
      path: '/api2/Devices-v1/NextFreeAddress',
      needs: 'deviceIpam',
      input: z.object({
        subnetId: Id,
        count: z.number().int().min(1).max(mostAtOnce, `Take at most ${mostAtOnce} at once`).default(1),
        name: OptionalLine(120),
        deviceId: OptionalId,
      }),
      output: z.object({ addresses: z.array(z.string()) }),
      failed: 'No address was taken',
      faults: {
        full: { status: 409, says: 'No free address in {cidr}' },
        unknownDevice: { status: 400, says: 'There is no such device', field: 'deviceId' },
      },
    },
    nextFreeSubnet: {
      does: 'Says which is the first subnet of a length in another that no subnet overlaps; it is not taken by that.',
      method: 'POST',
      path: '/api2/Devices-v1/NextFreeSubnet',
      needs: 'deviceIpam',
      reads: true,
      input: z.object({ id: Id, prefixLength: z.number().int().min(1).max(128) }),
      output: z.object({ cidr: z.string() }),
      faults: {
        full: { status: 409, says: 'No free subnet of this length in {cidr}' },
        wrongLength: { status: 400, says: 'Use a length from {from} to {to}', field: 'prefixLength' },
      },
    },
  },
  jobs: {
    reservations: { title: 'End reservations of addresses that nobody used', every: '*/5 * * * *' },
  },
  events: {
    subnetAdded: { says: 'Added a subnet', body: z.object({ subnetId: Id, cidr: z.string(), space: z.string() }) },
    subnetChanged: { says: 'Changed a subnet', body: z.object({ subnetId: Id, cidr: z.string() }) },
    subnetRemoved: { says: 'Deleted a subnet', body: z.object({ subnetId: Id, cidr: z.string() }) },
    subnetSplit: { says: 'Split a subnet', body: z.object({ subnetId: Id, cidr: z.string(), made: z.number().int() }) },
    addressSaved: { says: 'Changed an address', body: z.object({ subnetId: Id, address: z.string(), name: z.string() }) },
    addressFreed: { says: 'Gave an address free', body: z.object({ subnetId: Id, address: z.string() }) },
    addressesTaken: { says: 'Took free addresses', body: z.object({ subnetId: Id, addresses: z.array(z.string()) }) },
    ...placeEvents,
  },
})
