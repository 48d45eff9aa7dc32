// The audit log as people see it: the events of their own tenancy, and the proofs that nobody changed one.

import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, PageQuery, pageOf } from '#core/contract/shapes.ts'

export const outcomes = ['done', 'refused', 'failed'] as const

const Filters = {
  area: z.string().max(60).default(''),
  name: z.string().max(60).default(''),
  /** Area and name in one: `roles.added`. */
  event: z.string().max(121).default(''),
  outcome: z.enum(['', ...outcomes]).default(''),
  actor: z.string().max(200).default(''),
  about: z.string().max(200).default(''),
  from: z.union([z.literal(''), Instant]).default(''),
  to: z.union([z.literal(''), Instant]).default(''),
}
export const EventFilters = z.object({ ...Filters, text: z.string().max(200).default('') })

export const AuditEvent = z.object({
  id: Id,
  at: Instant,
  actor: z.string(),
  actorId: Id.optional(),
  address: z.string(),
  area: z.string(),
  name: z.string(),
  outcome: z.enum(outcomes),
  about: z.string(),
  /** What that is called now, and its page where the viewer may open it; absent where nobody knows. */
  named: z.object({ name: z.string(), detail: z.string().optional(), path: z.string().optional() }).optional(),
  /** Of what belongs to a request: who asked, where that is somebody else, and who agreed. */
  askedBy: z.string().optional(),
  agreedBy: z.array(z.string()).optional(),
  /** The JSON text as it is hashed. */
  body: z.string(),
  requestId: z.string(),
  /** Its place in the log; absent for the moment between the commit and the numbering. */
  sequence: z.number().int().optional(),
})
export type AuditEvent = z.infer<typeof AuditEvent>

/** What a typed text was searched for, beside the text itself. */
const Sought = z.object({
  /** Events, as `area.name`, that are called so. */
  events: z.array(z.string()),
  /** How many things and people that are called so their events were looked for of, and whether there are more. */
  things: z.number().int(),
  moreThings: z.boolean(),
  /** In so many of the newest events, that the other filters leave, the text was looked for itself. */
  newest: z.number().int(),
})

const Counts = z.record(z.string(), z.number().int())

/** Base64 of 32 bytes. */
const Hash = z.string()

const Checkpoint = z.object({ size: z.number().int(), at: Instant, note: z.string() })

export const audit = contract({
  area: 'audit',
  title: 'Audit',
  screens: {
    dashboard: {
      path: '/auditing/dashboard',
      needs: 'audit',
      also: 'who changed, who did, history, log, trail, what happened',
      title: 'Audit',
      menu: { group: 'operate', entry: 'audit', tab: 'Log', place: 10 },
    },
  },
  calls: {
    recent: {
      does: 'Answers the latest events of the tenancy.',
      method: 'GET',
      path: '/api2/Monitoring-v1/HomeActivity',
      needs: 'audit',
      input: z.object({}),
      output: z.object({
        rows: z.array(
          z.object({
            id: Id,
            at: Instant,
            actor: z.string(),
            area: z.string(),
            name: z.string(),
            outcome: z.enum(outcomes),
            /** So often in a row; `at` is of the newest. */ times: z.number().int(),
          }),
        ),
      }),
    },
    search: {
      does: 'Searches the audit log of the tenancy and answers a page of events, newest first unless told otherwise, with counts by area, outcome, event and person.',
      method: 'POST',
      path: '/api2/Monitoring-v1/SearchAuditEvents',
      needs: 'audit',
      reads: true,
      packed: true,
      input: PageQuery.extend({ ...Filters, sort: z.enum(['at']).default('at'), direction: z.enum(['asc', 'desc']).default('desc') }),
      /** How many events each area, outcome, event and person has under the other filters, counted up to 10,000; of events and persons the fifty with the most. */
      output: pageOf(AuditEvent).extend({
        facets: z.object({ area: Counts, outcome: Counts, event: Counts, actor: Counts }),
        sought: Sought.optional(),
      }),
      failed: 'The audit log could not be searched',
    },
    event: {
      does: 'Answers one event of the audit log with its whole body.',
      method: 'GET',
      path: '/api2/Monitoring-v1/AuditEvent',
      needs: 'audit',
      input: z.object({ eventId: Id }),
      output: AuditEvent,
      failed: 'The event could not be read',
    },
    status: {
      does: 'Answers the newest signed checkpoint of the audit log, the key that verifies it, how many events have no number yet, and how the last verification went.',
      method: 'GET',
      path: '/api2/Monitoring-v1/AuditStatus',
      needs: 'audit',
      input: z.object({}),
      output: z.object({
        /** The key that verifies the checkpoints, as C2SP signed-note writes it: name+key id+Base64. */
        verifierKey: z.string(),
        checkpoint: Checkpoint.optional(),
        /** Events of this tenancy that have no number yet. */
        waiting: z.number().int(),
        verification: z.object({ at: Instant, intact: z.boolean(), rows: z.number().int(), message: z.string() }).optional(),
      }),
      failed: 'The state of the audit log could not be read',
    },
    proof: {
      does: 'Proves that an event is in the log: answers its leaf and the path to the root of a signed checkpoint.',
      method: 'GET',
      path: '/api2/Monitoring-v1/AuditProof',
      needs: 'audit',
      input: z.object({ eventId: Id }),
      output: z.object({
        /** The text whose UTF-8 bytes were hashed, by RFC 8785. */
        leaf: z.string(),
        leafHash: Hash,
        index: z.number().int(),
        size: z.number().int(),
        root: Hash,
        /** RFC 6962 2.1.1, nearest sibling first. */
        path: z.array(Hash),
        checkpoint: z.string(),
        verifierKey: z.string(),
      }),
      failed: 'The proof could not be made',
      faults: { unsigned: { status: 409, says: 'No checkpoint covers this event yet. Try again in a second' } },
    },
    consistency: {
      does: 'Proves that the log has only grown since a checkpoint of so many events: answers both sizes and the path between them.',
      method: 'GET',
      path: '/api2/Monitoring-v1/AuditConsistency',
      needs: 'audit',
      input: z.object({ first: z.number().int().min(0) }),
      output: z.object({
        first: z.number().int(),
        second: z.number().int(),
        path: z.array(Hash),
        checkpoint: z.string(),
        verifierKey: z.string(),
      }),
      failed: 'The proof could not be made',
      faults: {
        shorter: {
          status: 409,
          says: 'The log is shorter than {first} events. If a checkpoint of that size is genuine, the log was rolled back',
        },
      },
    },
  },
  endpoints: {
    exportAuditEvents: { method: 'GET', path: '/api2/Monitoring-v1/ExportAuditEvents', needs: 'audit' },
  },
  jobs: {
    verify: { title: 'Verify the audit log', every: '23 3 * * *' },
  },
  events: {
    exported: { says: 'Exported the audit log', body: z.object({ filters: EventFilters }) },
  },
})
