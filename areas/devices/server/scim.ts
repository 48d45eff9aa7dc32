// Devices by SCIM 2.0 (RFC 7644) with the device schema of RFC 9944. A client authenticates with a token of the house, and sees the devices that it brought.
// A device has the id of the client's own record, so that it keeps its address when two devices are merged.

import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { to } from '#core/contract/paths.ts'
import { commonFault } from '#core/server/fault.ts'
import type { TenantWork } from '#core/server/house.ts'
import type { EndpointAnswer, EndpointHandler, EndpointRequest, Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { readStorableJson } from '#standards/json/read.ts'
import { deviceSchemas } from '#standards/scim/device-schemas.ts'
import { devices } from '../contract.ts'
import { readHostname } from '../rules.ts'
import {
  countSourceKeys,
  deleteSourceKey,
  findSourceKeys,
  listClaims,
  lockSourceKey,
  lockTold,
  updateTold,
  type ClaimRecord,
} from './claim-store.ts'
import { claimMany } from './claims.ts'
import { learnDevice } from './learning.ts'
import { readable } from './saving.ts'
import { findDevice, findDevices, listTypes, updateDevices, type DeviceRecord } from './store.ts'

const { core, ethernet, easyConnect, zigbee, bluetooth } = deviceSchemas

const Text = z.string().trim().max(253)
const Extension = z.object({ deviceMacAddress: Text.optional(), serialNumber: Text.optional(), deviceEui64Address: Text.optional() })
const Device = z.object({
  schemas: z.array(z.string().max(200)).min(1).max(20),
  externalId: Text.optional(),
  displayName: z.string().trim().max(120).optional(),
  active: z.boolean().default(true),
  [ethernet]: Extension.optional(),
  [easyConnect]: Extension.optional(),
  [zigbee]: Extension.optional(),
  [bluetooth]: Extension.optional(),
})
type Told = z.output<typeof Device>
/** Of a device too, and not kept: the server's own (RFC 7643 3.1), and what nothing here is made of. */
const leftOut: ReadonlySet<string> = new Set(['id', 'meta', 'groups', 'mudUrl'])

/** The first attribute that would be lost without a word. */
function strangeAttribute(body: unknown): string | undefined {
  const names = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : []
  return names.find((name) => !Object.hasOwn(Device.shape, name) && !leftOut.has(name))
}

/** Where an attribute belongs that stands at the top. */
const homes: Readonly<Record<string, string>> = {
  serialnumber: easyConnect,
  devicemacaddress: ethernet,
  deviceeui64address: zigbee,
}

const Operation = z.object({
  op: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['add', 'replace'])),
  path: z.enum(['active', 'displayName']).optional(),
  value: z.unknown(),
})
const Patch = z.object({ schemas: z.array(z.string()).max(5).optional(), Operations: z.array(Operation).min(1).max(20) })
const Changed = z.object({ active: z.boolean().optional(), displayName: z.string().trim().min(1).max(120).optional() })

/** RFC 7644 3.12: an error of the protocol, in its own shape. */
const refusal = (status: number, detail: string, scimType?: string): EndpointAnswer => ({
  status,
  headers: { 'content-type': 'application/scim+json' },
  body: JSON.stringify({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    detail,
    ...(scimType === undefined ? {} : { scimType }),
  }),
})
const answer = (status: number, value: unknown): EndpointAnswer => ({
  status,
  headers: { 'content-type': 'application/scim+json' },
  body: JSON.stringify(value),
})
const notFound = () => refusal(404, 'There is no such device')

/** The client is the person or the program whose token it has. */
const clientOf = ({ userId }: Viewer): string => `scim ${userId}`

const scimOf = (key: string, row: DeviceRecord, claims: readonly ClaimRecord[]) => {
  const first = (kind: ClaimRecord['kind']) => claims.find((claim) => claim.kind === kind)?.value
  const [serial, mac] = [first('serial'), first('eui48')]
  return {
    schemas: [core, ...(serial === undefined ? [] : [easyConnect]), ...(mac === undefined ? [] : [ethernet])],
    id: key,
    displayName: row.name,
    active: row.status === 'active',
    ...(serial === undefined ? {} : { [easyConnect]: { serialNumber: serial } }),
    ...(mac === undefined ? {} : { [ethernet]: { deviceMacAddress: mac } }),
    meta: { resourceType: 'Device', location: to(devices.endpoints.scimRead, { id: key }), version: `W/"${row.version}"` },
  }
}

const readBody = async (request: EndpointRequest): Promise<unknown> => readStorableJson(Buffer.from(await request.body()).toString('utf8'))

type Work = TenantWork & { viewer: Viewer; key: string; request: EndpointRequest; body: unknown }
const bodies: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])
const idShape = z.uuid().toLowerCase()

/** One transaction in the client's tenancy, with its events. */
const inWork =
  (action: (work: Work) => Promise<EndpointAnswer>): EndpointHandler['handle'] =>
  async (request) => {
    const { viewer, house, facts, params, method } = request
    if (viewer === undefined) throw commonFault('not_logged_in')
    const key = idShape.safeParse(params['id'] ?? randomUUID()).data
    if (key === undefined) return notFound()
    // Read before the transaction: who sends slowly holds no connection to the database.
    const body = bodies.has(method) ? await readBody(request) : undefined
    return house.work(viewer.tenantId, { userId: viewer.userId, name: actorOf(viewer), address: facts.address }, (work) =>
      action({ ...work, viewer, key, request, body }),
    )
  }

async function show({ tenancy, viewer, key }: Work): Promise<Record<string, unknown> | undefined> {
  const id = await lockSourceKey(tenancy, clientOf(viewer), key)
  const row = id === undefined ? undefined : await findDevice(tenancy, id)
  return row && scimOf(key, row, await listClaims(tenancy, [row.id]))
}

async function take(work: Work, status: number): Promise<EndpointAnswer> {
  const { tenancy, emitFor, viewer, key } = work
  const body = Device.safeParse(work.body)
  if (!body.success || !body.data.schemas.includes(core)) {
    const issue = body.error?.issues[0]
    return refusal(400, issue === undefined ? `The schemas must name ${core}` : `${issue.path.join('.')}: ${issue.message}`, 'invalidValue')
  }
  const strange = strangeAttribute(work.body)
  const home = strange === undefined ? undefined : homes[strange.toLowerCase()]
  if (strange !== undefined)
    return refusal(
      400,
      `${strange.slice(0, 200)}: a device has no such attribute here${home === undefined ? '' : `. Send it below "${home}"`}`,
      'invalidSyntax',
    )
  const told: Told = body.data
  const parts = [told[ethernet], told[easyConnect], told[bluetooth]].flatMap((part) => part ?? [])
  const wanted = [
    ...parts.map(({ deviceMacAddress }) => ['eui48', deviceMacAddress] as const),
    ...parts.map(({ serialNumber }) => ['serial', serialNumber] as const),
    ['eui64', told[zigbee]?.deviceEui64Address] as const,
  ]
  const identifiers = readable(wanted)
  if (identifiers.length < wanted.filter(([, value]) => value !== undefined).length)
    return refusal(400, 'An identifier of the device has another form than it should have', 'invalidValue')
  const types = await listTypes(tenancy)
  const name = told.displayName ?? told.externalId ?? identifiers[0]?.value ?? key
  await learnDevice(tenancy, emitFor(devices), {
    source: 'scim',
    by: clientOf(viewer),
    key,
    name,
    hostname: name.includes('.') ? (readHostname(name).value ?? '') : '',
    type: types.includes('Network') ? 'Network' : (types[0] ?? 'Other'),
    status: told.active ? 'active' : 'stored',
    identifiers,
  })
  return answer(status, await show(work))
}

export const scim: Record<'scimList' | 'scimRead' | 'scimAdd' | 'scimReplace' | 'scimChange' | 'scimRemove', EndpointHandler> = {
  scimList: {
    handle: inWork(async ({ tenancy, viewer, request: { url } }) => {
      if (url.searchParams.has('filter')) return refusal(400, 'Filters are not supported', 'invalidFilter')
      const startIndex = Math.max(1, Number.parseInt(url.searchParams.get('startIndex') ?? '1', 10) || 1)
      const count = Math.min(200, Math.max(0, Number.parseInt(url.searchParams.get('count') ?? '100', 10) || 0))
      const { rows, total } = await findSourceKeys(tenancy, clientOf(viewer), { offset: Math.min(startIndex - 1, 1_000_000), most: count })
      const ids = rows.map(({ device_id }) => device_id)
      const known = new Map((await findDevices(tenancy, ids)).map((one) => [one.id, one]))
      const claims = Map.groupBy(await listClaims(tenancy, ids), ({ device_id }) => device_id)
      return answer(200, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
        totalResults: total,
        startIndex,
        itemsPerPage: rows.length,
        Resources: rows.flatMap(({ key, device_id }) => {
          const row = known.get(device_id)
          return row === undefined ? [] : [scimOf(key, row, claims.get(device_id) ?? [])]
        }),
      })
    }),
  },
  scimRead: {
    handle: inWork(async (work) => {
      const shown = await show(work)
      return shown === undefined ? notFound() : answer(200, shown)
    }),
  },
  scimAdd: { handle: inWork((work) => take(work, 201)) },
  scimReplace: {
    handle: inWork(async (work) => ((await show(work)) === undefined ? notFound() : take(work, 200))),
  },
  scimChange: {
    handle: inWork(async (work) => {
      const { tenancy, emitFor, viewer, key, body } = work
      const found = await lockTold(tenancy, clientOf(viewer), key)
      const row = found && (await findDevice(tenancy, found.deviceId))
      if (row === undefined) return notFound()
      const patch = Patch.safeParse(body)
      if (!patch.success) return refusal(400, 'Only active and displayName can be added or replaced', 'invalidPath')
      const said = patch.data.Operations.map(({ path, value }) => Changed.safeParse(path === undefined ? value : { [path]: value }))
      if (said.some(({ success }) => !success)) return refusal(400, 'A value has another form than it should have', 'invalidValue')
      const { active, displayName } = Object.assign({}, ...said.map(({ data }) => data)) as z.output<typeof Changed>
      const values = {
        ...(displayName === undefined ? {} : { name: displayName }),
        ...(active === undefined ? {} : { status: active ? ('active' as const) : ('stored' as const) }),
      }
      // What a person has brought is not changed by a program that knows it too.
      if (row.source === 'scim' && Object.keys(values).length > 0) {
        await updateDevices(tenancy, [row.id], values)
        const { name, hostname, type, status } = row
        await updateTold(tenancy, clientOf(viewer), key, { ...(found?.told ?? { name, hostname, type, status }), ...values })
        emitFor(devices)('changed', { deviceId: row.id, name: displayName ?? row.name, fields: Object.keys(values) }, row.id)
      }
      return answer(200, await show(work))
    }),
  },
  scimRemove: {
    handle: inWork(async ({ tenancy, emitFor, viewer, key }) => {
      const id = await lockSourceKey(tenancy, clientOf(viewer), key)
      const row = id === undefined ? undefined : await findDevice(tenancy, id)
      if (row === undefined) return notFound()
      // The record stays with what happened to it; the client knows it no more.
      await deleteSourceKey(tenancy, clientOf(viewer), key)
      await claimMany(tenancy, emitFor(devices), [
        { deviceId: row.id, source: 'scim', toldBy: `${clientOf(viewer)} ${key}`, identifiers: [] },
      ])
      // Another program that knows it too, after a merge, says whether it is still there.
      if (row.source === 'scim' && (await countSourceKeys(tenancy, row.id)) === 0) {
        await updateDevices(tenancy, [row.id], { status: 'retired' })
        emitFor(devices)('changed', { deviceId: row.id, name: row.name, fields: ['status'] }, row.id)
      }
      return { status: 204, body: '' }
    }),
  },
}
