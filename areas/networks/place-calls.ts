// The calls about locations and VLANs.

import * as z from 'zod'
import { Id, Line, OptionalLine, pageOf, PageQuery, Paragraph } from '#core/contract/shapes.ts'
import { say } from '#standards/say/say.ts'
import { locationKinds, mostLevels } from './rules.ts'

const OptionalId = z.union([z.literal(''), Id]).default('')
const version = z.number().int().optional()

const timeZones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])
const LocationDraft = z.object({
  name: Line(120),
  kind: z.enum(locationKinds),
  parentId: OptionalId,
  code: OptionalLine(40),
  timeZone: z.union([z.literal(''), Line(60).refine((zone) => timeZones.has(zone), 'Enter a time zone such as Europe/Berlin')]).default(''),
  contact: OptionalLine(254),
  note: Paragraph(500).default(''),
})
const locationFaults = {
  nameTaken: { status: 409, says: 'A location with this name stands there already', field: 'name', constraint: 'locations_by_name' },
  unknownParent: { status: 400, says: 'There is no such location', field: 'parentId' },
  cycle: { status: 409, says: 'A location cannot stand below itself', field: 'parentId' },
  larger: { status: 400, says: 'Below a location stands nothing larger: region, site, building, floor, room, rack', field: 'kind' },
  tooDeep: { status: 409, says: say`The tree has at most ${mostLevels} levels`, field: 'parentId' },
} as const

const VlanDraft = z.object({
  group: OptionalLine(60),
  vid: z.number().int().min(1, 'Use a number from 1 to 4094').max(4094, 'Use a number from 1 to 4094'),
  name: Line(120),
  locationId: OptionalId,
  note: Paragraph(500).default(''),
})
const vlanFaults = {
  vidTaken: { status: 409, says: 'A network of this group has this number already', field: 'vid', constraint: 'vlans_by_vid' },
  unknownLocation: { status: 400, says: 'There is no such location', field: 'locationId' },
} as const

const VisitorPlace = z.object({
  receives: z.boolean(),
  desk: OptionalLine(120),
  hours: OptionalLine(120),
  passTypes: z.array(Line(60)).max(20).default([]),
  printer: OptionalLine(120),
  accessGroup: OptionalLine(120),
})

export const placeCalls = {
  locations: {
    does: 'Answers all locations in the order of the tree, with how many subnets and networks are there.',
    method: 'GET',
    path: '/api2/Devices-v1/Locations',
    needs: 'configureTeSA',
    input: z.object({}),
    output: z.object({
      locations: z.array(
        LocationDraft.extend({
          id: Id,
          parentId: z.string(),
          timeZone: z.string(),
          depth: z.number().int(),
          path: z.string(),
          subnets: z.number().int(),
          vlans: z.number().int(),
          version: z.number().int(),
        }),
      ),
    }),
  },
  addLocation: {
    does: 'Adds a location at the top or below another; answers its id.',
    title: 'Add a location',
    method: 'POST',
    path: '/api2/Devices-v1/Location',
    needs: 'configureTeSA',
    input: LocationDraft,
    output: z.object({ id: Id }),
    done: 'The location was added',
    failed: 'The location was not added',
    faults: { ...locationFaults, tooMany: { status: 409, says: 'A tenancy has at most 5,000 locations' } },
  },
  changeLocation: {
    does: 'Replaces what is known of a location, also what it stands below; answers nothing.',
    title: 'Change a location',
    method: 'PUT',
    path: '/api2/Devices-v1/Location',
    needs: 'configureTeSA',
    input: LocationDraft.extend({ id: Id, version }),
    output: z.object({}),
    done: 'The location was changed',
    failed: 'The location was not changed',
    faults: locationFaults,
  },
  removeLocation: {
    does: 'Deletes a location at which nothing is and below which none stands; answers nothing.',
    title: 'Delete a location',
    method: 'DELETE',
    path: '/api2/Devices-v1/Location',
    needs: 'configureTeSA',
    input: z.object({ id: Id }),
    output: z.object({}),
    done: 'The location was deleted',
    failed: 'The location was not deleted',
    faults: {
      inUse: { status: 409, says: 'Something is still there. Locations below: {locations}, subnets: {subnets}, networks: {vlans}' },
    },
  },
  visitorLocations: {
    does: 'Lists the locations with whether they receive visitors, at which desk, when, and what is handed out.',
    method: 'GET',
    path: '/api2/Devices-v1/VisitorLocations',
    needs: 'configureTeSA',
    input: z.object({}),
    output: z.object({
      locations: z.array(VisitorPlace.extend({ id: Id, name: z.string(), path: z.string(), version: z.number().int() })),
    }),
  },
  setVisitorLocation: {
    does: 'Says whether a location receives visitors, at which desk, when, and what is handed out; answers nothing.',
    title: 'Change how a location receives visitors',
    method: 'PUT',
    path: '/api2/Devices-v1/VisitorLocation',
    needs: 'configureTeSA',
    input: VisitorPlace.extend({ id: Id, version }),
    output: z.object({}),
    done: 'The location was changed',
    failed: 'The location was not changed',
  },
  searchNetworks: {
    does: 'Lists the VLANs by text, with their location and how many subnets they have.',
    method: 'POST',
    path: '/api2/Devices-v1/SearchNetworks',
    needs: 'configureTeSA',
    reads: true,
    input: PageQuery,
    output: pageOf(
      z.object({
        id: Id,
        group: z.string(),
        vid: z.number().int(),
        name: z.string(),
        locationId: z.string(),
        location: z.string(),
        note: z.string(),
        subnets: z.number().int(),
        version: z.number().int(),
      }),
    ),
  },
  addNetwork: {
    does: 'Adds a VLAN with its number, which its group has once; answers its id.',
    title: 'Add a network',
    method: 'POST',
    path: '/api2/Devices-v1/Network',
    needs: 'configureTeSA',
    input: VlanDraft,
    output: z.object({ id: Id }),
    done: 'The network was added',
    failed: 'The network was not added',
    faults: vlanFaults,
  },
  changeNetwork: {
    does: 'Replaces what is known of a VLAN; answers nothing.',
    title: 'Change a network',
    method: 'PUT',
    path: '/api2/Devices-v1/Network',
    needs: 'configureTeSA',
    input: VlanDraft.extend({ id: Id, version }),
    output: z.object({}),
    done: 'The network was changed',
    failed: 'The network was not changed',
    faults: vlanFaults,
  },
  removeNetwork: {
    does: 'Deletes a VLAN that no subnet has; answers nothing.',
    title: 'Delete a network',
    method: 'DELETE',
    path: '/api2/Devices-v1/Network',
    needs: 'configureTeSA',
    input: z.object({ id: Id }),
    output: z.object({}),
    done: 'The network was deleted',
    failed: 'The network was not deleted',
    faults: { inUse: { status: 409, says: '{count} subnets are in this network' } },
  },
} as const

export const placeEvents = {
  locationAdded: { says: 'Added a location', body: z.object({ locationId: Id, name: z.string() }) },
  locationChanged: { says: 'Changed a location', body: z.object({ locationId: Id, name: z.string() }) },
  locationRemoved: { says: 'Deleted a location', body: z.object({ locationId: Id, name: z.string() }) },
  networkAdded: { says: 'Added a network', body: z.object({ networkId: Id, name: z.string() }) },
  networkChanged: { says: 'Changed a network', body: z.object({ networkId: Id, name: z.string() }) },
  networkRemoved: { says: 'Deleted a network', body: z.object({ networkId: Id, name: z.string() }) },
} as const
