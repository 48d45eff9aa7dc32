// What a program tells of a device: a client of SCIM, a system that manages devices. It is known by the program's own key, so that it is one device however
// often it is told. What a person wrote of a device is not overwritten by a program.

import { randomUUID } from 'node:crypto'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { DeviceStatus, SourceKind } from '../rules.ts'
import { insertSourceKey, lockSourceKey, type Identifier } from './claim-store.ts'
import { claimMany, type Emitting } from './claims.ts'
import { findDevice, insertDevices, updateDevices, updateSeen } from './store.ts'

export type Told = {
  source: SourceKind
  /** Which client or system of its kind it is. */
  by: string
  /** What that one calls the device. */
  key: string
  name: string
  hostname: string
  type: string
  status: DeviceStatus
  identifiers: readonly Identifier[]
  seenAt?: Date | undefined
}

export async function learnDevice(
  tenancy: Tenancy,
  emit: Emitting,
  told: Told,
): Promise<{ id: string; effect: 'added' | 'changed' | 'same' }> {
  const { source, by, key, name, hostname, type, status, identifiers, seenAt } = told
  const knownId = await lockSourceKey(tenancy, by, key)
  const known = knownId === undefined ? undefined : await findDevice(tenancy, knownId)
  if (known === undefined) {
    const id = randomUUID()
    await insertDevices(tenancy, [
      {
        id,
        source,
        name,
        hostname,
        type,
        status,
        owner_user_id: null,
        organisation_id: null,
        note: '',
        serial: '',
        ...(seenAt === undefined ? {} : { seen_at: seenAt }),
      },
    ])
    await insertSourceKey(tenancy, by, key, id)
    emit('added', { deviceId: id, name, source }, id)
    await claimMany(tenancy, emit, [{ deviceId: id, source, identifiers }])
    return { id, effect: 'added' }
  }
  await claimMany(tenancy, emit, [{ deviceId: known.id, source, identifiers }])
  if (seenAt !== undefined && (known.seen_at === null || known.seen_at < seenAt)) await updateSeen(tenancy, known.id, seenAt)
  const values = { name, hostname, type, status }
  const fields = Object.entries(values).flatMap(([field, value]) => (Reflect.get(known, field) === value ? [] : [field]))
  if (known.source !== source || fields.length === 0) return { id: known.id, effect: 'same' }
  await updateDevices(tenancy, [known.id], values)
  emit('changed', { deviceId: known.id, name, fields }, known.id)
  return { id: known.id, effect: 'changed' }
}
