import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { importCalls, noOptions } from '#core/contract/import-calls.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery, Paragraph, SelectionShape, sortedBy } from '#core/contract/shapes.ts'
import { deviceStatuses, identifierKinds, mostEndpoints, mostIdentifiers, protocols, sourceKinds } from './rules.ts'
import { sourceCalls, sourceEvents } from './source-calls.ts'

const Status = z.enum(deviceStatuses)
const Named = z.object({ id: Id, name: z.string() })
const OptionalId = z.union([z.literal(''), Id]).default('')

const IdentifierDraft = z.object({ kind: z.enum(identifierKinds), value: Line(253) })
const EndpointDraft = z.object({
  /** Of one that there is already, so that what is known of it stays. */
  id: Id.optional(),
  name: OptionalLine(120),
  mac: OptionalLine(60),
  address: OptionalLine(60),
  port: z.number().int().min(1).max(65_535).default(443),
  protocol: z.enum(protocols).default('tls'),
  serverName: OptionalLine(253),
})

const DeviceDraft = z.object({
  name: Line(120),
  hostname: OptionalLine(253),
  type: Line(60),
  status: Status.default('active'),
  ownerId: OptionalId,
  organisationId: OptionalId,
  note: Paragraph(500).default(''),
  identifiers: z.array(IdentifierDraft).max(mostIdentifiers, `Use at most ${mostIdentifiers}`).default([]),
  endpoints: z.array(EndpointDraft).max(mostEndpoints, `Use at most ${mostEndpoints}`).default([]),
})

const DeviceRow = z.object({
  id: Id,
  name: z.string(),
  type: z.string(),
  hostname: z.string(),
  serial: z.string(),
  status: Status,
  owner: z.string(),
  organisation: z.string(),
  source: z.enum(sourceKinds),
  seenAt: Instant.optional(),
  /** Another device claims something that this one is known by. */
  conflict: z.boolean(),
})

const Endpoint = z.object({
  id: Id,
  name: z.string(),
  mac: z.string(),
  address: z.string(),
  port: z.number().int(),
  protocol: z.enum(protocols),
  serverName: z.string(),
})

const Claim = z.object({ kind: z.enum(identifierKinds), value: z.string(), sources: z.array(z.enum(sourceKinds)), shared: z.boolean() })

const DeviceFilter = z.object({
  type: z.array(z.string().max(60)).max(50).optional(),
  status: z.array(Status).optional(),
  source: z.array(z.enum(sourceKinds)).optional(),
  ownerId: Id.optional(),
  organisationId: Id.optional(),
  conflict: z.boolean().optional(),
})

/** The question of the list, by which a selection of all is meant too. */
const DeviceQuery = PageQuery.extend({ sort: sortedBy('name', 'type', 'status', 'seenAt', 'addedAt'), ...DeviceFilter.shape })

const ConflictRow = z.object({
  id: Id,
  kind: z.enum(identifierKinds),
  value: z.string(),
  state: z.enum(['open', 'merged', 'apart', 'undone']),
  foundAt: Instant,
  decidedAt: Instant.optional(),
  decidedBy: z.string(),
  kept: Named.optional(),
  devices: z.array(DeviceRow),
})

const draftFaults = {
  unknownType: { status: 400, says: 'There is no such device type', field: 'type' },
  unknownOwner: { status: 400, says: 'There is no such person', field: 'ownerId' },
  unknownOrganisation: { status: 400, says: 'There is no such organisation', field: 'organisationId' },
} as const

export const devices = contract({
  area: 'devices',
  title: 'Devices',
  screens: {
    add: { path: '/identity/device/add', needs: 'deviceAdd', title: 'New device', parent: 'deviceList' },
    clone: { path: '/identity/device/clone/:id', needs: 'deviceAdd', title: 'Clone device', parent: 'view' },
    batch: { path: '/identity/device/batch', needs: 'deviceAdd', title: 'Import devices', parent: 'deviceList', button: 'Import' },
    view: { path: '/identity/device/view/:id', needs: 'deviceView', title: 'Device', parent: 'deviceList' },
    edit: { path: '/identity/device/edit/:id', needs: 'deviceEdit', title: 'Edit device', parent: 'view' },
    conflicts: {
      path: '/identity/device/conflicts',
      needs: 'deviceView',
      title: 'Device conflicts',
      menu: { group: 'devices', entry: 'devices', tab: 'Conflicts', place: 20 },
      also: 'duplicates, merge, same serial number',
    },
    sources: {
      path: '/identity/device/sources',
      needs: 'deviceEdit',
      title: 'Device management systems',
      menu: { group: 'devices', entry: 'devices', tab: 'Sources', place: 30 },
      also: 'MDM, Intune, SCIM, synchronise devices',
    },
    types: {
      path: '/identity/device/types',
      needs: 'deviceEdit',
      title: 'Device types',
      menu: { group: 'devices', entry: 'devices', tab: 'Types', place: 40 },
    },
  },
  records: {
    device: {
      singular: 'Device',
      plural: 'Devices',
      needs: 'deviceView',
      place: 27,
      list: {
        menu: { group: 'devices', entry: 'devices', tab: 'List', place: 10, more: [{ tab: 'Mobile', query: '?type=Mobile' }] },
        also: 'computers, servers, mobiles, serial number, MAC address',
      },
    },
  },
  calls: {
    ...importCalls('Device', 'deviceAdd', noOptions),
    ...sourceCalls,
    uploadStats: {
      does: 'Answers how many rows of an import of devices were new, changed, as before, faulty or failed, in one table of numbers.',
      method: 'GET',
      path: '/api2/Devices-v1/DeviceUpload',
      needs: 'deviceAdd',
      input: z.object({ importId: Id }),
      output: z.object({
        csvUploadStats: z.object({
          rows: z.number().int(),
          ok: z.number().int(),
          created: z.number().int(),
          updated: z.number().int(),
          unchanged: z.number().int(),
          skipped: z.number().int(),
          failed: z.number().int(),
        }),
      }),
    },
    search: {
      does: 'Lists devices by text, type, status, source, owner, organisation, or because another device claims the same identifier.',
      method: 'POST',
      path: '/api2/Devices-v1/SearchDevices',
      needs: 'deviceView',
      reads: true,
      packed: true,
      input: DeviceQuery,
      output: pageOf(DeviceRow).extend({
        facets: z.object({ type: z.record(z.string(), z.number()), status: z.record(z.string(), z.number()) }),
      }),
    },
    read: {
      does: 'Answers one device with what it is known by, who said so, its owner and its organisation.',
      method: 'GET',
      path: '/api2/Devices-v1/Device',
      needs: 'deviceView',
      input: z.object({ id: Id }),
      output: DeviceRow.extend({
        ownerId: z.string(),
        organisationId: z.string(),
        note: z.string(),
        claims: z.array(Claim),
        addedAt: Instant,
        modifiedAt: Instant,
        version: z.number().int(),
        /** The device that this one was merged into. */
        mergedInto: Named.optional(),
      }),
    },
    endpoints: {
      does: 'Answers the endpoints of a device, and for each the certificates that it should serve and was seen to serve.',
      method: 'GET',
      path: '/api2/Devices-v1/DeviceEndpoints',
      needs: 'deviceView',
      input: z.object({ id: Id }),
      output: z.object({
        deviceEndpoints: z.array(Endpoint),
        /** By the id of the endpoint. */
        deviceCertsEndpointMap: z.record(
          z.string(),
          z.array(
            z.object({
              fingerprint: z.string(),
              should: z.boolean(),
              seenFirst: Instant.optional(),
              seenLast: Instant.optional(),
              certificateId: Id.optional(),
              name: z.string(),
              notAfter: Instant.optional(),
            }),
          ),
        ),
      }),
    },
    certificates: {
      does: 'Answers the certificates of a device: those issued in its name, and those that its endpoints serve or should serve.',
      method: 'GET',
      path: '/api2/Devices-v1/DeviceCertificates',
      needs: 'deviceView',
      input: z.object({ id: Id }),
      output: z.array(
        z.object({ id: Id, name: z.string(), issuer: z.string(), status: z.string(), notBefore: Instant, notAfter: Instant }),
      ),
    },
    add: {
      does: 'Adds a device with its identifiers and endpoints; answers its id. What another device is known by becomes a conflict to decide.',
      title: 'Add a device',
      method: 'POST',
      path: '/api2/Devices-v1/Device',
      needs: 'deviceAdd',
      input: DeviceDraft,
      output: z.object({ id: Id, conflicts: z.number().int() }),
      done: 'The device was added',
      failed: 'The device was not added',
      faults: draftFaults,
    },
    change: {
      does: 'Replaces what people wrote of a device, its identifiers and endpoints; what other sources say of it stays. Answers how many conflicts that makes.',
      title: 'Change a device',
      method: 'PUT',
      path: '/api2/Devices-v1/Device',
      needs: 'deviceEdit',
      /** Refuses the change where another one was made since the version that was read. */
      input: DeviceDraft.extend({ id: Id, version: z.number().int().optional() }),
      output: z.object({ conflicts: z.number().int() }),
      done: 'The device was changed',
      failed: 'The device was not changed',
      faults: draftFaults,
    },
    changeMany: {
      does: 'Gives many devices another status, owner or organisation; answers how many it changed.',
      title: 'Change devices',
      method: 'POST',
      path: '/api2/Devices-v1/ChangeDevices',
      needs: 'deviceEdit',
      input: SelectionShape.extend({
        query: DeviceQuery.prefault({}),
        status: Status.optional(),
        ownerId: OptionalId.optional(),
        organisationId: OptionalId.optional(),
      }),
      output: z.object({ changed: z.number().int() }),
      failed: 'The devices were not changed',
      faults: draftFaults,
    },
    dependants: {
      does: 'Counts what hangs on a device by kind: certificates that still run, endpoints, and conflicts to decide.',
      method: 'GET',
      path: '/api2/Devices-v1/DeviceDependants',
      needs: 'deviceView',
      input: z.object({ id: Id }),
      output: z.object({ certificates: z.number().int(), endpoints: z.number().int(), conflicts: z.number().int(), blocks: z.boolean() }),
    },
    remove: {
      does: 'Deletes a device that has no certificate that still runs; answers nothing. Retire the others instead.',
      title: 'Delete a device',
      method: 'DELETE',
      path: '/api2/Devices-v1/Device',
      needs: 'deviceEdit',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The device was deleted',
      failed: 'The device was not deleted',
      faults: {
        hasCertificates: { status: 409, says: 'The device has certificates that still run. Retire it instead, or revoke them first' },
      },
    },
    identifierInUse: {
      does: 'Says how an identifier is written, whether it can be one, and which devices are known by it.',
      method: 'GET',
      path: '/api2/Devices-v1/DeviceIdentifierInUse',
      needs: 'deviceView',
      input: z.object({ kind: z.enum(identifierKinds), value: z.string().max(300) }),
      output: z.object({ value: z.string(), fault: z.string().optional(), devices: z.array(Named) }),
    },
    types: {
      does: 'Answers the types that a device can have in this tenancy.',
      method: 'GET',
      path: '/api2/Devices-v1/DeviceTypes',
      needs: 'deviceView',
      input: z.object({}),
      output: z.object({ deviceTypes: z.array(z.object({ name: z.string(), devices: z.number().int(), fixed: z.boolean() })) }),
    },
    addType: {
      does: 'Adds a type of device; answers nothing.',
      title: 'Add a device type',
      method: 'PUT',
      path: '/api2/Devices-v1/DeviceType',
      needs: 'deviceEdit',
      input: z.object({ name: Line(60) }),
      output: z.object({}),
      done: 'The device type was added',
      failed: 'The device type was not added',
      faults: { tooMany: { status: 409, says: 'A tenancy has at most 50 device types' } },
    },
    removeType: {
      does: 'Deletes a type that no device has; answers nothing.',
      title: 'Delete a device type',
      method: 'DELETE',
      path: '/api2/Devices-v1/DeviceType',
      needs: 'deviceEdit',
      input: z.object({ name: Line(60) }),
      output: z.object({}),
      done: 'The device type was deleted',
      failed: 'The device type was not deleted',
      faults: {
        inUse: { status: 409, says: 'Devices have this type' },
        fixed: { status: 409, says: 'The type Mobile stays, because the first view of the list names it' },
      },
    },
    conflicts: {
      does: 'Lists identifiers that more than one device claims, with these devices; the decided ones where asked.',
      method: 'POST',
      path: '/api2/Devices-v1/SearchDeviceConflicts',
      needs: 'deviceView',
      reads: true,
      input: PageQuery.extend({ state: z.array(z.enum(['open', 'merged', 'apart', 'undone'])).optional() }),
      output: pageOf(ConflictRow),
    },
    merge: {
      does: 'Decides a conflict: the other devices are the same one as the kept, which takes over what they are known by; answers nothing.',
      title: 'Merge devices',
      method: 'POST',
      path: '/api2/Devices-v1/MergeDevices',
      needs: 'deviceEdit',
      input: z.object({ conflictId: Id, keepId: Id }),
      output: z.object({}),
      done: 'The devices were merged',
      failed: 'The devices were not merged',
      faults: {
        decided: { status: 409, says: 'Somebody has decided this conflict meanwhile' },
        notInIt: { status: 400, says: 'This device is not part of the conflict', field: 'keepId' },
      },
    },
    keepApart: {
      does: 'Decides a conflict: the devices are different ones that share an identifier; answers nothing.',
      title: 'Keep devices apart',
      method: 'POST',
      path: '/api2/Devices-v1/KeepDevicesApart',
      needs: 'deviceEdit',
      input: z.object({ conflictId: Id }),
      output: z.object({}),
      done: 'The devices stay apart',
      failed: 'The conflict was not decided',
      faults: { decided: { status: 409, says: 'Somebody has decided this conflict meanwhile' } },
    },
    undoMerge: {
      does: 'Takes a merge back: each device is there again with what it was known by; answers nothing.',
      title: 'Undo a merge of devices',
      method: 'POST',
      path: '/api2/Devices-v1/UndoMergeDevices',
      needs: 'deviceEdit',
      input: z.object({ conflictId: Id }),
      output: z.object({}),
      done: 'The merge was taken back',
      failed: 'The merge was not taken back',
      faults: { notMerged: { status: 409, says: 'These devices are not merged' } },
    },
  },
  jobs: {
    imports: { title: 'Go on with imports of devices', every: '*/5 * * * *' },
    sync: { title: 'Read devices from device management systems', every: '17 * * * *' },
  },
  endpoints: {
    export: { method: 'GET', path: '/api2/Devices-v1/ExportDevices', needs: 'deviceView' },
    scimList: { method: 'GET', path: '/scim/v2/Devices', needs: 'deviceView' },
    scimRead: { method: 'GET', path: '/scim/v2/Devices/:id', needs: 'deviceView' },
    scimAdd: { method: 'POST', path: '/scim/v2/Devices', needs: 'deviceAdd', title: 'Add a device by SCIM' },
    scimReplace: { method: 'PUT', path: '/scim/v2/Devices/:id', needs: 'deviceEdit', title: 'Replace a device by SCIM' },
    scimChange: { method: 'PATCH', path: '/scim/v2/Devices/:id', needs: 'deviceEdit', title: 'Change a device by SCIM' },
    scimRemove: { method: 'DELETE', path: '/scim/v2/Devices/:id', needs: 'deviceEdit', title: 'Delete a device by SCIM' },
  },
  events: {
    added: { says: 'Added a device', body: z.object({ deviceId: Id, name: z.string(), source: z.string() }) },
    changed: { says: 'Changed a device', body: z.object({ deviceId: Id, name: z.string(), fields: z.array(z.string()) }) },
    removed: { says: 'Deleted a device', body: z.object({ deviceId: Id, name: z.string() }) },
    changedMany: { says: 'Changed devices', body: z.object({ devices: z.number().int(), fields: z.array(z.string()) }) },
    conflictFound: { says: 'Found a conflict of devices', body: z.object({ conflictId: Id, kind: z.string(), value: z.string() }) },
    merged: { says: 'Merged devices', body: z.object({ conflictId: Id, keptId: Id, droppedIds: z.array(Id) }) },
    keptApart: { says: 'Kept devices apart', body: z.object({ conflictId: Id, deviceIds: z.array(Id) }) },
    mergeUndone: { says: 'Took back a merge of devices', body: z.object({ conflictId: Id, deviceIds: z.array(Id) }) },
    typeAdded: { says: 'Added a device type', body: z.object({ name: z.string() }) },
    typeRemoved: { says: 'Deleted a device type', body: z.object({ name: z.string() }) },
    exported: { says: 'Exported the devices', body: z.object({ rows: z.number().int() }) },
    ...sourceEvents,
  },
})
