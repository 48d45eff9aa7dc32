// The calls about systems that manage devices, which the house asks for them.

import * as z from 'zod'
import { Id, Instant, Line, pageOf, PageQuery } from '#core/contract/shapes.ts'

const draft = {
  name: Line(80),
  /** Of the list of devices: `https://graph.example/v1.0/deviceManagement/managedDevices`. */
  url: Line(1_000),
  /** Certificates that are trusted besides the public ones, PEM. */
  roots: z.string().max(20_000).default(''),
  /** The type of devices that the system has no word for. */
  deviceType: Line(60),
  active: z.boolean().default(true),
}

const faults = {
  nameTaken: { status: 409, says: 'A system has this name already', field: 'name', constraint: 'mdm_sources_by_name' },
  refused: { status: 400, says: 'The address cannot be reached from here: {reason}', field: 'url' },
  unknownType: { status: 400, says: 'There is no such device type', field: 'deviceType' },
} as const

export const sourceCalls = {
  searchSources: {
    does: 'Lists the systems that manage devices, each with its last reading.',
    method: 'POST',
    path: '/api2/Devices-v1/SearchDeviceSources',
    needs: 'deviceEdit',
    reads: true,
    input: PageQuery,
    output: pageOf(
      z.object({
        id: Id,
        ...draft,
        state: z.enum(['new', 'done', 'failed']),
        says: z.string(),
        seen: z.number().int(),
        syncedAt: Instant.optional(),
        version: z.number().int(),
      }),
    ),
  },
  addSource: {
    does: 'Connects a system that manages devices; answers its id. It is read every hour. The token is never read back.',
    title: 'Add a device management system',
    method: 'POST',
    path: '/api2/Devices-v1/DeviceSource',
    needs: 'deviceEdit',
    input: z.object({ ...draft, token: Line(4_000) }),
    output: z.object({ id: Id }),
    done: 'The system was added',
    failed: 'The system was not added',
    faults,
    ownTransactions: true,
  },
  changeSource: {
    does: 'Replaces how a system that manages devices is reached; answers nothing. Another address takes the token anew.',
    title: 'Change a device management system',
    method: 'PUT',
    path: '/api2/Devices-v1/DeviceSource',
    needs: 'deviceEdit',
    input: z.object({ id: Id, version: z.number().int().optional(), ...draft, token: Line(4_000).optional() }),
    output: z.object({}),
    done: 'The system was changed',
    failed: 'The system was not changed',
    faults: { ...faults, tokenNeeded: { status: 400, says: 'Enter the token: it is not sent to another address', field: 'token' } },
    ownTransactions: true,
  },
  removeSource: {
    does: 'Disconnects a system that manages devices; its devices stay. Answers nothing.',
    title: 'Delete a device management system',
    method: 'DELETE',
    path: '/api2/Devices-v1/DeviceSource',
    needs: 'deviceEdit',
    input: z.object({ id: Id }),
    output: z.object({}),
    done: 'The system was deleted',
    failed: 'The system was not deleted',
  },
  syncSource: {
    does: 'Reads a system that manages devices now; answers how many devices it has and what became of them.',
    title: 'Read a device management system',
    method: 'POST',
    path: '/api2/Devices-v1/SyncDeviceSource',
    needs: 'deviceEdit',
    input: z.object({ id: Id }),
    output: z.object({ seen: z.number().int(), added: z.number().int(), changed: z.number().int(), refused: z.number().int() }),
    done: 'The devices were read',
    failed: 'The devices were not read',
    faults: { unreachable: { status: 502, says: 'The system did not answer as it should: {reason}' } },
    ownTransactions: true,
  },
} as const

export const sourceEvents = {
  sourceAdded: { says: 'Added a device management system', body: z.object({ sourceId: Id, name: z.string() }) },
  sourceChanged: { says: 'Changed a device management system', body: z.object({ sourceId: Id, name: z.string() }) },
  sourceRemoved: { says: 'Deleted a device management system', body: z.object({ sourceId: Id, name: z.string() }) },
  synced: {
    says: 'Read devices from a device management system',
    body: z.object({ sourceId: Id, name: z.string(), seen: z.number().int(), added: z.number().int(), changed: z.number().int() }),
  },
} as const
