import * as z from 'zod'
import { departurePath } from '#areas/tenancy/rules.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line } from '#core/contract/shapes.ts'
import { exportStates } from './rules.ts'

const ExportShape = z.object({
  id: Id,
  state: z.enum(exportStates),
  askedBy: z.string(),
  /** Whether the viewer asked for it and so may fetch it. */
  mine: z.boolean(),
  askedAt: Instant,
  tables: z.number().int(),
  tablesDone: z.number().int(),
  rows: z.number().int(),
  bytes: z.number().int(),
  /** When it is forgotten. */
  until: Instant,
})

const Ending = z.object({ id: Id, name: z.string(), endsAt: Instant, askedBy: z.string(), removing: z.boolean() })

export const departure = contract({
  area: 'departure',
  title: 'Export and deletion of tenancies',
  screens: {
    config: {
      path: departurePath,
      needs: 'tenancyConfig',
      title: 'Export and deletion',
      also: 'delete tenancy, take data out, leave',
      menu: { group: 'settings', entry: 'tenancy', tab: 'Export and deletion', place: 30 },
    },
  },
  calls: {
    read: {
      does: 'Says whether the tenancy can be deleted, how far its export is, and which managed tenancies will be deleted.',
      method: 'GET',
      path: '/api2/IDM-v1/TenancyDeparture',
      needs: 'tenancyConfig',
      input: z.object({}),
      output: z.object({
        name: z.string(),
        /** In words why it cannot be deleted; empty where it can. */
        stays: z.string(),
        waitingDays: z.number().int(),
        /** When it would be removed, were it deleted now. */
        wouldEndAt: Instant,
        /** The name of the tenancy that manages this one and can keep it; empty where none does. */
        manager: z.string(),
        export: ExportShape.optional(),
        ending: z.array(Ending),
      }),
    },
    export: {
      does: 'Begins to put everything of the tenancy into one file; answers its id. Keys, secrets and sealed fields stay out.',
      title: 'Export the tenancy',
      method: 'POST',
      path: '/api2/IDM-v1/ExportTenancy',
      needs: 'tenancyConfig',
      tokens: 'never',
      input: z.object({}),
      output: z.object({ id: Id }),
      done: 'The export was begun',
      failed: 'The export was not begun',
      faults: {
        running: { status: 409, says: 'An export is being made already' },
        notAll: { status: 403, says: 'The file holds everything, so only who holds every permission may ask for it' },
      },
    },
    remove: {
      does: 'Deletes the tenancy: nobody works in it from now on, and after the waiting time it is removed with all it holds. Answers when.',
      title: 'Delete the tenancy',
      method: 'POST',
      path: '/api2/IDM-v1/DeleteTenancy',
      needs: 'tenancyConfig',
      tokens: 'never',
      input: z.object({ name: Line(100) }),
      output: z.object({ endsAt: Instant }),
      failed: 'The tenancy was not deleted',
      faults: {
        otherName: { status: 400, says: 'Type the name of the tenancy as it is written', field: 'name' },
        stays: { status: 409, says: 'This tenancy cannot be deleted' },
        notAll: { status: 403, says: 'Everything goes, so only who holds every permission may delete it' },
      },
    },
    keep: {
      does: 'Keeps a managed tenancy that was deleted, while its waiting time lasts; answers nothing.',
      title: 'Keep a deleted tenancy',
      method: 'POST',
      path: '/api2/IDM-v1/KeepTenancy',
      needs: 'tenancyConfig',
      tokens: 'never',
      home: true,
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The tenancy is kept',
      failed: 'The tenancy was not kept',
      faults: { removing: { status: 409, says: 'Its removal has begun, so nothing of it can be kept' } },
    },
  },
  endpoints: {
    file: { method: 'GET', path: '/api2/IDM-v1/TenancyExport', needs: 'tenancyConfig' },
  },
  jobs: {
    exports: { title: 'Make exports of tenancies', every: '*/5 * * * *' },
    removals: { title: 'Remove deleted tenancies', every: '*/5 * * * *' },
  },
  events: {
    exportAsked: { says: 'Asked for an export of the tenancy', body: z.object({ exportId: Id }) },
    exported: {
      says: 'Exported the tenancy',
      body: z.object({ exportId: Id, tables: z.number().int(), rows: z.number().int(), bytes: z.number().int() }),
    },
    exportFailed: { says: 'The export of the tenancy failed', body: z.object({ exportId: Id, reason: z.string() }) },
    grantsRemoved: {
      says: 'Removed what was kept here about a tenancy that is gone',
      body: z.object({ tenancyId: Id, name: z.string(), rows: z.number().int() }),
    },
    fetched: { says: 'Fetched the export of the tenancy', body: z.object({ exportId: Id }) },
    deleted: { says: 'Deleted a tenancy', body: z.object({ tenancyId: Id, name: z.string(), endsAt: Instant }) },
    kept: { says: 'Kept a deleted tenancy', body: z.object({ tenancyId: Id, name: z.string() }) },
    /** The certificate of deletion, in the log of the managing tenancy; rows by table, as far as there were any. */
    removed: {
      says: 'Removed a tenancy with all it held',
      body: z.object({
        tenancyId: Id,
        name: z.string(),
        askedBy: z.string(),
        removedAt: Instant,
        rows: z.record(z.string(), z.number().int()),
      }),
    },
  },
})
