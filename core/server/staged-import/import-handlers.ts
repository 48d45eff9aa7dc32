// The handlers of `importCalls` (core/contract/import-calls.ts). A room adds what it asks before a step, and drives the import by a job of its own.

import type { Job } from '#core/contract/contract.ts'
import { commonFault } from '../fault.ts'
import type { House } from '../house.ts'
import type { Viewer } from '../serve.ts'
import type { Tenancy } from '../tenancy.ts'
import { actorOf } from '../visiting.ts'
import type { ImportColumns, ImportKind } from './kinds.ts'
import {
  cancelImport,
  checkImport,
  countImport,
  faultyRows,
  latestImports,
  othersIn,
  prepareImport,
  readImport,
  startImport,
  undoImport,
  undoUntil,
} from './staged-import.ts'

type Asked = { viewer: Viewer; house: House; tenancy: Tenancy; now: Date; afterCommit(work: () => void): void }
type Named = { importId: string }

export function importHandlers<C extends ImportColumns, Undo>(
  kind: ImportKind<C, Undo>,
  drive: Job,
  /** What a room asks besides. */
  before: { start?(named: Named, asked: Asked): Promise<void>; undo?(named: Named, asked: Asked): Promise<void> } = {},
) {
  const by = (viewer: Viewer) => {
    needAll(kind, viewer)
    const { View, Menu, api } = viewer.permission
    return { userId: viewer.userId, name: actorOf(viewer), granted: { View, Menu, api, narrowed: viewer.narrowed === true } }
  }
  return {
    async prepareImport({ fileName, file }: { fileName: string; file: string }, { viewer, house }: Pick<Asked, 'viewer' | 'house'>) {
      needAll(kind, viewer)
      const { id, mapping, rows, headers, sample, encoding, delimiter, repeated } = await prepareImport(house, kind, {
        tenantId: viewer.tenantId,
        actor: { userId: viewer.userId, name: actorOf(viewer) },
        fileName,
        bytes: Buffer.from(file, 'base64'),
      })
      return { importId: id, rows, headers, mapping: { ...mapping }, sample, encoding, delimiter, repeated }
    },

    async checkImport(
      { importId, mapping, options }: Named & { mapping?: Record<string, number> | undefined; options?: object | undefined },
      { tenancy, viewer, house, afterCommit }: Asked,
    ) {
      await checkImport(tenancy, { kind, importId, mapping, options, by: by(viewer) })
      afterCommit(() => house.wake(drive))
      return {}
    },

    async readImport({ importId }: Named, { tenancy, viewer, now }: Asked) {
      needAll(kind, viewer)
      const record = await readImport(tenancy, { kind, importId })
      const { effects, undone: _, ...counts } = await countImport(tenancy, { importId })
      const rows = await faultyRows(tenancy, { kind, importId, after: 0, most: 100 })
      const until = undoUntil(record, now)
      const becomes = await othersIn(tenancy, { kind, record, most: 100 })
      return {
        becomes: [...becomes],
        status: record.status,
        own: record.acting_id === viewer.userId,
        ...(record.stopped === '' ? {} : { stopped: record.stopped }),
        rows: record.rows,
        position: Math.min(record.position, record.rows),
        ...counts,
        fresh: effects['new'] ?? 0,
        changed: effects['changed'] ?? 0,
        same: effects['same'] ?? 0,
        ...(until === undefined ? {} : { undoUntil: until.toISOString() }),
        faults: rows.flatMap(({ number, cells, faults }) =>
          faults.map(({ column, says }) => ({
            row: number,
            column: kind.columns[column]?.label ?? '',
            value: cells[record.mapping[column] ?? -1] ?? '',
            says,
          })),
        ),
      }
    },

    async listImports(_input: object, { tenancy, viewer, now }: Asked) {
      needAll(kind, viewer)
      const rows = []
      for (const record of await latestImports(tenancy, kind)) {
        const { applied, faulty, failed } = await countImport(tenancy, { importId: record.id })
        const until = undoUntil(record, now)
        rows.push({
          importId: record.id,
          fileName: record.file_name,
          by: record.actor,
          at: record.created_at.toISOString(),
          status: record.status,
          applied,
          faulty: faulty + failed,
          ...(until === undefined ? {} : { undoUntil: until.toISOString() }),
        })
      }
      return rows
    },

    async startImport({ importId, skipFaulty }: Named & { skipFaulty: boolean }, asked: Asked) {
      const acting = by(asked.viewer)
      await before.start?.({ importId }, asked)
      await startImport(asked.tenancy, { kind, importId, skipFaulty, by: acting })
      asked.afterCommit(() => asked.house.wake(drive))
      return {}
    },

    async cancelImport({ importId }: Named, { tenancy, viewer }: Asked) {
      needAll(kind, viewer)
      await cancelImport(tenancy, { kind, importId })
      return {}
    },

    async undoImport({ importId }: Named, asked: Asked) {
      const acting = by(asked.viewer)
      await before.undo?.({ importId }, asked)
      await undoImport(asked.tenancy, { kind, importId, by: acting })
      asked.afterCommit(() => asked.house.wake(drive))
      return {}
    },
  }
}

/** An import, also another's, is open to those alone who may do by hand what it does. */
export function needAll({ needs }: Pick<ImportKind, 'needs'>, { permission }: Pick<Viewer, 'permission'>): void {
  for (const name of needs) if (!permission.api.includes(name)) throw commonFault('denied', { params: { permission: name } })
}
