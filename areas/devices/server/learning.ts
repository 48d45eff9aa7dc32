// What a program tells of a device: a client of SCIM, a system that manages devices. It is known by the program's own key, so that it is one device however
// often it is told. What a person wrote of a device is not overwritten by a program.

import { randomUUID } from 'node:crypto'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { DeviceStatus, SourceKind } from '../rules.ts'
import { insertSourceKey, lockTold, updateTold, type Identifier, type ToldValues } from './claim-store.ts'
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
  const found = await lockTold(tenancy, by, key)
  const known = found && (await findDevice(tenancy, found.deviceId))
  const values = { name, hostname, type, status }
  const toldBy = `${by} ${key}`
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
    await insertSourceKey(tenancy, { source: by, key, device_id: id, told: values })
    emit('added', { deviceId: id, name, source }, id)
    await claimMany(tenancy, emit, [{ deviceId: id, source, toldBy, identifiers }])
    return { id, effect: 'added' }
  }
  await claimMany(tenancy, emit, [{ deviceId: known.id, source, toldBy, identifiers }])
  if (seenAt !== undefined && (known.seen_at === null || known.seen_at < seenAt)) await updateSeen(tenancy, known.id, seenAt)
  const news = newsOf(values, found?.told)
  if (found?.told === undefined || Object.keys(news).length > 0) await updateTold(tenancy, by, key, values)
  // Only what the source says otherwise than before is written: the rest may be the word of a person.
  const fields = Object.entries(news).flatMap(([field, value]) => (Reflect.get(known, field) === value ? [] : [field]))
  if (known.source !== source || fields.length === 0) return { id: known.id, effect: 'same' }
  await updateDevices(tenancy, [known.id], news)
  emit('changed', { deviceId: known.id, name: news.name ?? known.name, fields }, known.id)
  return { id: known.id, effect: 'changed' }
}

/** What is said otherwise than the last time. Nothing where it is not known what was said: a person may have written since. */
function newsOf(values: ToldValues, before: ToldValues | undefined): Partial<ToldValues> {
  if (before === undefined) return {}
  return {
    ...(values.name === before.name ? {} : { name: values.name }),
    ...(values.hostname === before.hostname ? {} : { hostname: values.hostname }),
    ...(values.type === before.type ? {} : { type: values.type }),
    ...(values.status === before.status ? {} : { status: values.status }),
  }
}
