// What rooms above ask of devices: their names, the endpoints at an address, and what these were seen to serve.

import type { Tenancy } from '#core/server/tenancy.ts'
import { findDevices } from './server/store.ts'

export { plantDevices } from './server/imports.ts'
export { claimMany } from './server/claims.ts'
export { findEndpointsAt, insertSeen, updateShould } from './server/endpoint-store.ts'

/** The names of those of these that there are. */
export const findDeviceNames = async (tenancy: Tenancy, ids: readonly string[]): Promise<Map<string, string>> =>
  new Map((await findDevices(tenancy, ids)).map(({ id, name }) => [id, name]))
