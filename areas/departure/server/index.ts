import { requireFreshProof, requireProofBesidesSignIn } from '#areas/sessions/proof.ts'
import { endTenancy, findTenancy, keepTenancy, managedBy, type Tenancy as TenancyFacts } from '#areas/tenancy/service.ts'
import { visitTenant } from '#core/server/database.ts'
import { doneEvent, timeOrderedId, writeEvents } from '#core/server/events.ts'
import { serve } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { departure } from '../contract.ts'
import { exportDays, waitingDays } from '../rules.ts'
import { exportedTables, giveOut, holdsAll, makeExports, namesOf } from './export.ts'
import { removeDue } from './remove.ts'
import { deleteExports, findNewestExport, findRunningExport, insertExport } from './store.ts'

const day = 86_400_000

/** When a tenancy is removed that is deleted now. */
const endOf = (now: Date): Date => new Date(now.getTime() + waitingDays * day)

const staysBecause = (tenancy: TenancyFacts, managed: readonly TenancyFacts[]): string =>
  tenancy.kind === 'management'
    ? 'The management tenancy cannot be deleted: it manages the others.'
    : managed.length > 0
      ? 'A tenancy that manages others cannot be deleted before them.'
      : ''

export default serve(
  departure,
  {
    async read(_input, { db, tenancy, viewer, now, fault }) {
      const own = (await findTenancy(db, viewer.tenantId)) ?? fault('missing')
      const managed = await managedBy(db, viewer.tenantId)
      const newest = await findNewestExport(tenancy)
      const manager = own.managedBy === undefined ? undefined : await findTenancy(db, own.managedBy)
      const ending = viewer.tenantId === viewer.homeTenantId ? managed.flatMap((one) => (one.endsAt === undefined ? [] : [one])) : []
      return {
        name: own.name,
        stays: staysBecause(own, managed),
        waitingDays,
        wouldEndAt: endOf(now).toISOString(),
        manager: manager?.name ?? '',
        ...(newest === undefined
          ? {}
          : {
              export: {
                id: newest.id,
                state: newest.state,
                askedBy: newest.asked_name,
                mine: newest.asked_by === viewer.userId,
                askedAt: newest.asked_at.toISOString(),
                tables: newest.tables,
                tablesDone: newest.tables_done,
                rows: newest.rows,
                bytes: newest.bytes,
                until: new Date(newest.asked_at.getTime() + exportDays * day).toISOString(),
              },
            }),
        ending: ending.map(({ id, name, endsAt = new Date(0), endAskedBy, removingAt }) => ({
          id,
          name,
          endsAt: endsAt.toISOString(),
          askedBy: endAskedBy,
          removing: removingAt !== undefined,
        })),
      }
    },

    async export(_input, { db, tenancy, viewer, now, house, emit, fault, afterCommit }) {
      await requireFreshProof(house, db, viewer, now)
      if (!holdsAll(viewer)) fault('notAll')
      if ((await findRunningExport(tenancy)) !== undefined) fault('running')
      // One is kept: many of some gigabytes each would fill the database of all.
      await deleteExports(tenancy, now)
      const id = timeOrderedId(now)
      const names = namesOf(await exportedTables(db))
      await insertExport(tenancy, {
        id,
        state: 'running',
        asked_by: viewer.userId,
        asked_name: actorOf(viewer),
        asked_at: now,
        tables: names.length,
        tables_done: 0,
        table_names: names,
        after: null,
        rows: 0,
        bytes: 0,
      })
      emit('exportAsked', { exportId: id }, viewer.tenantId)
      afterCommit(() => house.wake(departure.jobs.exports))
      return { id }
    },

    async remove({ name }, { db, viewer, now, house, request, emit, fault }) {
      await requireProofBesidesSignIn(house, db, viewer, now)
      if (!holdsAll(viewer)) fault('notAll')
      const own = (await findTenancy(db, viewer.tenantId)) ?? fault('missing')
      if (name !== own.name) fault('otherName')
      if (staysBecause(own, await managedBy(db, viewer.tenantId)) !== '') fault('stays')
      const endsAt = endOf(now)
      if (!(await endTenancy(db, own.id, { at: endsAt, askedBy: actorOf(viewer) }))) fault('stays')
      const body = { tenancyId: own.id, name: own.name, endsAt: endsAt.toISOString() }
      emit('deleted', body, own.id)
      // Those who may keep it find it in their own log, too: the tenancy's goes with it.
      const manager = own.managedBy
      if (manager !== undefined) {
        const by = { userId: viewer.userId, name: actorOf(viewer), address: request.address, requestId: request.id }
        const event = doneEvent(now, by, { area: departure.area, name: 'deleted', body, about: own.id })
        await visitTenant(db, { home: viewer.tenantId, tenantId: manager }, () => writeEvents(db, manager, [event]))
      }
      return { endsAt: endsAt.toISOString() }
    },

    async keep({ id }, { db, viewer, now, house, emit, fault }) {
      await requireFreshProof(house, db, viewer, now)
      const found = await findTenancy(db, id)
      if (found?.managedBy !== viewer.homeTenantId || found.endsAt === undefined) return fault('missing')
      if (!(await keepTenancy(db, id))) fault('removing')
      emit('kept', { tenancyId: id, name: found.name }, id)
      return {}
    },
  },
  {
    endpoints: { file: { handle: giveOut } },
    jobs: {
      exports: { inTenancy: makeExports },
      removals: { inHouse: removeDue },
    },
  },
)
