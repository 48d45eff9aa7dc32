// What devices are known by. Two devices that claim the same make one conflict, which a person decides; nothing is taken from a device silently.

import { randomUUID } from 'node:crypto'
import type { Emit } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { devices } from '../contract.ts'
import type { SourceKind } from '../rules.ts'
import { deleteClaims, findClaimants, insertClaims, listClaims, lockClaims, type Identifier } from './claim-store.ts'
import { deleteConflict, findOfIdentifier, insertConflict, listOpen, updateConflict } from './conflict-store.ts'
import { findDevices, updateSerials } from './store.ts'

export type Emitting = Emit<typeof devices>
export type Claiming = {
  deviceId: string
  source: SourceKind
  /** Of programs: which one, and its own key of the device. */
  toldBy?: string
  identifiers: readonly Identifier[]
}

/** Both are the word of a person, so the later one replaces the earlier. */
const replacedBy = (source: SourceKind): SourceKind[] => (source === 'typed' || source === 'csv' ? ['typed', 'csv'] : [source])

/** Replaces what a source says that devices are known by. Answers how many conflicts are open now about these. */
export async function claimMany(tenancy: Tenancy, emit: Emitting, claimings: readonly Claiming[]): Promise<number> {
  if (claimings.length === 0) return 0
  await lockClaims(tenancy)
  const deviceIds = claimings.map(({ deviceId }) => deviceId)
  const before = await listClaims(tenancy, deviceIds)
  for (const { deviceId, source, toldBy = '', identifiers } of claimings) {
    const said = before.filter(
      (claim) => claim.device_id === deviceId && replacedBy(source).includes(claim.source) && claim.told_by === toldBy,
    )
    const stays = (claim: Identifier) => identifiers.some(({ kind, value }) => kind === claim.kind && value === claim.value)
    // What stays is not written anew: a merge can be taken back by where it came from.
    await deleteClaims(
      tenancy,
      said.filter((claim) => !stays(claim)),
    )
  }
  await insertClaims(
    tenancy,
    claimings.flatMap(({ deviceId, source, toldBy = '', identifiers }) =>
      identifiers.map((one) => ({ ...one, device_id: deviceId, source, told_by: toldBy })),
    ),
  )
  const opened = await openConflicts(
    tenancy,
    emit,
    claimings.flatMap(({ identifiers }) => identifiers),
  )
  if (before.length > 0) await settleConflicts(tenancy, deviceIds)
  await writeSerials(tenancy, deviceIds)
  return opened
}

const keyOf = ({ kind, value }: Identifier): string => `${kind} ${value}`

/** Opens a conflict for each of these that more than one device claims, unless a person has said that these are different devices. */
export async function openConflicts(tenancy: Tenancy, emit: Emitting, identifiers: readonly Identifier[]): Promise<number> {
  const claimants = Map.groupBy(await findClaimants(tenancy, identifiers), keyOf)
  let open = 0
  for (const rows of claimants.values()) {
    const [{ kind, value } = { kind: 'serial' as const, value: '' }] = rows
    const ids = [...new Set(rows.map(({ device_id }) => device_id))]
    if (ids.length < 2) continue
    const known = await findOfIdentifier(tenancy, { kind, value })
    // A person has said that these are different devices.
    if (known?.state === 'apart' && ids.every((id) => known.device_ids.includes(id))) continue
    open += 1
    if (known?.state === 'open') {
      await updateConflict(tenancy, known.id, { device_ids: ids })
      continue
    }
    const id = randomUUID()
    await insertConflict(tenancy, { id, kind, value, device_ids: ids })
    emit('conflictFound', { conflictId: id, kind, value }, id)
  }
  return open
}

/** Ends the open conflicts of these devices that nobody claims twice any more. */
export async function settleConflicts(tenancy: Tenancy, deviceIds: readonly string[]): Promise<void> {
  const open = await listOpen(tenancy, deviceIds)
  const claimants = Map.groupBy(await findClaimants(tenancy, open), keyOf)
  for (const conflict of open) {
    const ids = [...new Set((claimants.get(keyOf(conflict)) ?? []).map(({ device_id }) => device_id))]
    if (ids.length < 2) await deleteConflict(tenancy, conflict.id)
    else await updateConflict(tenancy, conflict.id, { device_ids: ids })
  }
}

/** Writes the serial number that the lists show: of several the one that was told first. */
export async function writeSerials(tenancy: Tenancy, deviceIds: readonly string[]): Promise<void> {
  const claims = Map.groupBy(
    (await listClaims(tenancy, deviceIds)).filter(({ kind }) => kind === 'serial'),
    ({ device_id }) => device_id,
  )
  const wrong = (await findDevices(tenancy, deviceIds)).flatMap(({ id, serial }) => {
    const [first] = (claims.get(id) ?? []).toSorted((a, b) => a.added_at.getTime() - b.added_at.getTime())
    return (first?.value ?? '') === serial ? [] : [{ id, serial: first?.value ?? '' }]
  })
  await updateSerials(tenancy, wrong)
}
