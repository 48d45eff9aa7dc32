// Locations, what they receive visitors with, and VLANs.

import { randomUUID } from 'node:crypto'
import type { Handlers } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { networks } from '../contract.ts'
import { locationKinds, mostLevels } from '../rules.ts'
import {
  deleteLocation,
  deleteVlan,
  findVlan,
  insertLocation,
  insertVlan,
  listLocations,
  listVlans,
  pageOfVlans,
  updateLocation,
  updateVlan,
  type LocationRecord,
} from './place-store.ts'
import { countOf, lockTrees } from './store.ts'

const mostLocations = 5_000

type Placed = LocationRecord & { depth: number; path: string }

/** In the order of the tree, each with the names above it. */
export function inTree(rows: readonly LocationRecord[]): Placed[] {
  const children = Map.groupBy(rows, ({ parent_id }) => parent_id ?? '')
  const below = (id: string, depth: number, above: string): Placed[] =>
    (children.get(id) ?? []).flatMap((row) => {
      const path = above === '' ? row.name : `${above} › ${row.name}`
      return [{ ...row, depth, path }, ...below(row.id, depth + 1, path)]
    })
  return below('', 0, '')
}

type Draft = { name: string; kind: LocationRecord['kind']; parentId: string; code: string; timeZone: string; contact: string; note: string }
const columnsOf = ({ name, kind, parentId, code, timeZone, contact, note }: Draft) => ({
  name,
  kind,
  parent_id: parentId === '' ? null : parentId,
  code,
  time_zone: timeZone,
  contact,
  note,
})

const isLarger = (one: LocationRecord['kind'], other: LocationRecord['kind']): boolean =>
  locationKinds.indexOf(one) < locationKinds.indexOf(other)

/** What is wrong with a location standing below another. */
function placeFault(
  rows: readonly LocationRecord[],
  id: string | undefined,
  { parentId, kind }: Pick<Draft, 'parentId' | 'kind'>,
): 'unknownParent' | 'cycle' | 'tooDeep' | 'larger' | undefined {
  if (rows.some((row) => id !== undefined && row.parent_id === id && isLarger(row.kind, kind))) return 'larger'
  if (parentId === '') return undefined
  const tree = inTree(rows)
  const parent = tree.find((row) => row.id === parentId)
  if (parent === undefined) return 'unknownParent'
  const from = id === undefined ? -1 : tree.findIndex((row) => row.id === id)
  const own = tree[from]
  const after = own === undefined ? -1 : tree.findIndex((row, at) => at > from && row.depth <= own.depth)
  const subtree = own === undefined ? [] : tree.slice(from, after < 0 ? tree.length : after)
  if (subtree.includes(parent)) return 'cycle'
  if (isLarger(kind, parent.kind)) return 'larger'
  const height = own === undefined ? 0 : Math.max(...subtree.map((row) => row.depth)) - own.depth
  return parent.depth + 2 + height > mostLevels ? 'tooDeep' : undefined
}

const exists = async (tenancy: Tenancy, locationId: string) =>
  locationId === '' || (await listLocations(tenancy)).some(({ id }) => id === locationId)

type Places = Pick<
  Handlers<typeof networks>,
  | 'locations'
  | 'addLocation'
  | 'changeLocation'
  | 'removeLocation'
  | 'visitorLocations'
  | 'setVisitorLocation'
  | 'searchNetworks'
  | 'addNetwork'
  | 'changeNetwork'
  | 'removeNetwork'
>

export const places: Places = {
  async locations(_input, { tenancy }) {
    const subnets = await countOf(tenancy, 'location_id')
    const vlans = Map.groupBy(await listVlans(tenancy), ({ location_id }) => location_id)
    return {
      locations: inTree(await listLocations(tenancy)).map((row) => ({
        id: row.id,
        name: row.name,
        kind: row.kind,
        parentId: row.parent_id ?? '',
        code: row.code,
        timeZone: row.time_zone,
        contact: row.contact,
        note: row.note,
        depth: row.depth,
        path: row.path,
        subnets: subnets.get(row.id) ?? 0,
        vlans: vlans.get(row.id)?.length ?? 0,
        version: row.version,
      })),
    }
  },

  async addLocation(draft, { tenancy, emit, fault }) {
    await lockTrees(tenancy)
    const rows = await listLocations(tenancy)
    if (rows.length >= mostLocations) fault('tooMany')
    const wrong = placeFault(rows, undefined, draft)
    if (wrong !== undefined) fault(wrong)
    const id = randomUUID()
    await insertLocation(tenancy, id, columnsOf(draft))
    emit('locationAdded', { locationId: id, name: draft.name }, id)
    return { id }
  },

  async changeLocation({ id, version, ...draft }, { tenancy, emit, fault }) {
    await lockTrees(tenancy)
    const rows = await listLocations(tenancy)
    const row = rows.find((one) => one.id === id) ?? fault('missing')
    if (version !== undefined && version !== row.version) fault('conflict')
    const wrong = placeFault(rows, id, draft)
    if (wrong !== undefined) fault(wrong)
    await updateLocation(tenancy, id, columnsOf(draft))
    emit('locationChanged', { locationId: id, name: draft.name }, id)
    return {}
  },

  async removeLocation({ id }, { tenancy, emit, fault }) {
    await lockTrees(tenancy)
    const rows = await listLocations(tenancy)
    const row = rows.find((one) => one.id === id) ?? fault('missing')
    const locations = rows.filter(({ parent_id }) => parent_id === id).length
    const subnets = (await countOf(tenancy, 'location_id')).get(id) ?? 0
    const vlans = (await listVlans(tenancy)).filter(({ location_id }) => location_id === id).length
    if (locations + subnets + vlans > 0) fault('inUse', { params: { locations, subnets, vlans } })
    await deleteLocation(tenancy, id)
    emit('locationRemoved', { locationId: id, name: row.name }, id)
    return {}
  },

  async visitorLocations(_input, { tenancy }) {
    return {
      locations: inTree(await listLocations(tenancy)).map((row) => ({
        id: row.id,
        name: row.name,
        path: row.path,
        receives: row.receives,
        desk: row.desk,
        hours: row.hours,
        passTypes: row.pass_types,
        printer: row.printer,
        accessGroup: row.access_group,
        version: row.version,
      })),
    }
  },

  async setVisitorLocation({ id, version, receives, desk, hours, passTypes, printer, accessGroup }, { tenancy, emit, fault }) {
    await lockTrees(tenancy)
    const row = (await listLocations(tenancy)).find((one) => one.id === id) ?? fault('missing')
    if (version !== undefined && version !== row.version) fault('conflict')
    await updateLocation(tenancy, id, { receives, desk, hours, pass_types: passTypes, printer, access_group: accessGroup })
    emit('locationChanged', { locationId: id, name: row.name }, id)
    return {}
  },

  async searchNetworks({ text, ...page }, { tenancy }) {
    const { rows, total } = await pageOfVlans(tenancy, text.trim(), page)
    const subnets = await countOf(tenancy, 'vlan_id')
    const paths = new Map(inTree(await listLocations(tenancy)).map(({ id, path }) => [id, path]))
    return {
      rows: rows.map((row) => ({
        id: row.id,
        group: row.group_name,
        vid: row.vid,
        name: row.name,
        locationId: row.location_id ?? '',
        location: paths.get(row.location_id ?? '') ?? '',
        note: row.note,
        subnets: subnets.get(row.id) ?? 0,
        version: row.version,
      })),
      total,
    }
  },

  async addNetwork({ group, locationId, ...draft }, { tenancy, emit, fault }) {
    await lockTrees(tenancy)
    if (!(await exists(tenancy, locationId))) fault('unknownLocation')
    const id = randomUUID()
    await insertVlan(tenancy, id, { ...draft, group_name: group, location_id: locationId === '' ? null : locationId })
    emit('networkAdded', { networkId: id, name: draft.name }, id)
    return { id }
  },

  async changeNetwork({ id, version, group, locationId, ...draft }, { tenancy, emit, fault }) {
    await lockTrees(tenancy)
    const row = (await findVlan(tenancy, id)) ?? fault('missing')
    if (version !== undefined && version !== row.version) fault('conflict')
    if (!(await exists(tenancy, locationId))) fault('unknownLocation')
    await updateVlan(tenancy, id, { ...draft, group_name: group, location_id: locationId === '' ? null : locationId })
    emit('networkChanged', { networkId: id, name: draft.name }, id)
    return {}
  },

  async removeNetwork({ id }, { tenancy, emit, fault }) {
    await lockTrees(tenancy)
    const row = (await findVlan(tenancy, id)) ?? fault('missing')
    const count = (await countOf(tenancy, 'vlan_id')).get(id) ?? 0
    if (count > 0) fault('inUse', { params: { count } })
    await deleteVlan(tenancy, id)
    emit('networkRemoved', { networkId: id, name: row.name }, id)
    return {}
  },
}
