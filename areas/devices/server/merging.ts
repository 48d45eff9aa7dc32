// The queue of conflicts: merge, keep apart, take a merge back. Nothing is deleted by a merge, so that it can be undone as it was.

import type { Handlers } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import type { devices } from '../contract.ts'
import { findClaimants, listClaims, lockClaims, updateBack, updateHolder } from './claim-store.ts'
import { openConflicts, settleConflicts, writeSerials } from './claims.ts'
import { findConflicts, lockConflict, updateConflict } from './conflict-store.ts'
import { updateEndpointBack, updateEndpointHolder } from './endpoint-store.ts'
import { presentRows } from './presenter.ts'
import { findDevices, findMerged, lockDevice, updateDevices } from './store.ts'

export const merging: Pick<Handlers<typeof devices>, 'conflicts' | 'merge' | 'keepApart' | 'undoMerge'> = {
  async conflicts({ state = [], ...page }, { tenancy }) {
    const { rows, total } = await findConflicts(tenancy, state, page)
    const found = await findDevices(
      tenancy,
      rows.flatMap(({ device_ids, kept_id }) => [...device_ids, ...(kept_id === null ? [] : [kept_id])]),
    )
    const shown = new Map((await presentRows(tenancy, found)).map((row) => [row.id, row]))
    return {
      rows: rows.map((row) => {
        const kept = row.kept_id === null ? undefined : shown.get(row.kept_id)
        return {
          id: row.id,
          kind: row.kind,
          value: row.value,
          state: row.state,
          foundAt: row.found_at.toISOString(),
          decidedBy: row.decided_by,
          ...(row.decided_at === null ? {} : { decidedAt: row.decided_at.toISOString() }),
          ...(kept === undefined ? {} : { kept: { id: kept.id, name: kept.name } }),
          devices: row.device_ids.flatMap((id) => shown.get(id) ?? []),
        }
      }),
      total,
    }
  },

  async merge({ conflictId, keepId }, { tenancy, viewer, emit, fault, now }) {
    await lockClaims(tenancy)
    const conflict = (await lockConflict(tenancy, conflictId)) ?? fault('missing')
    if (conflict.state !== 'open') fault('decided')
    const ids = [...new Set((await findClaimants(tenancy, [conflict])).map(({ device_id }) => device_id))]
    if (!ids.includes(keepId)) fault('notInIt')
    const dropped = ids.filter((id) => id !== keepId)
    for (const id of ids) await lockDevice(tenancy, id)
    for (const id of dropped) {
      await updateHolder(tenancy, id, keepId)
      await updateEndpointHolder(tenancy, id, keepId)
    }
    await updateDevices(tenancy, dropped, { merged_into: keepId })
    await updateConflict(tenancy, conflictId, {
      state: 'merged',
      kept_id: keepId,
      device_ids: ids,
      decided_at: now,
      decided_by: actorOf(viewer),
    })
    await settleConflicts(tenancy, ids)
    await writeSerials(tenancy, [keepId])
    emit('merged', { conflictId, keptId: keepId, droppedIds: dropped }, keepId)
    return {}
  },

  async keepApart({ conflictId }, { tenancy, viewer, emit, fault, now }) {
    const conflict = (await lockConflict(tenancy, conflictId)) ?? fault('missing')
    if (conflict.state !== 'open') fault('decided')
    await updateConflict(tenancy, conflictId, { state: 'apart', decided_at: now, decided_by: actorOf(viewer) })
    emit('keptApart', { conflictId, deviceIds: conflict.device_ids }, conflictId)
    return {}
  },

  async undoMerge({ conflictId }, { tenancy, viewer, emit, fault, now }) {
    await lockClaims(tenancy)
    const conflict = (await lockConflict(tenancy, conflictId)) ?? fault('missing')
    if (conflict.state !== 'merged' || conflict.kept_id === null) fault('notMerged')
    const keptId = conflict.kept_id ?? ''
    const kept = await lockDevice(tenancy, keptId)
    if (kept === undefined || kept.merged_into !== null) fault('notMerged')
    const dropped = (await findDevices(tenancy, conflict.device_ids)).filter(({ merged_into }) => merged_into === keptId)
    const staying = (await findMerged(tenancy, keptId)).flatMap(({ id }) => (dropped.some((one) => one.id === id) ? [] : [id]))
    for (const { id } of dropped) {
      await updateBack(tenancy, keptId, id, staying)
      await updateEndpointBack(tenancy, keptId, id)
    }
    const droppedIds = dropped.map(({ id }) => id)
    await updateDevices(tenancy, droppedIds, { merged_into: null })
    // Who takes a merge back says that these are different devices, so the queue does not ask again.
    await updateConflict(tenancy, conflictId, { state: 'apart', kept_id: null, decided_at: now, decided_by: actorOf(viewer) })
    await openConflicts(tenancy, emit, await listClaims(tenancy, [keptId, ...droppedIds]))
    await writeSerials(tenancy, [keptId, ...droppedIds])
    emit('mergeUndone', { conflictId, deviceIds: [keptId, ...droppedIds] }, keptId)
    return {}
  },
}
