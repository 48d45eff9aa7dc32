import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant } from '#core/contract/shapes.ts'
import { mostOfPage, mostOffset } from './rules.ts'

/** Bad values of paging are read as the nearest good ones, as the specification's clients send them unchecked. */
const clamped = (least: number, most: number, usual: number) =>
  z
    .string()
    .max(40)
    .optional()
    .transform((text) => {
      const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
      return Number.isNaN(value) ? usual : Math.min(most, Math.max(least, Math.trunc(value)))
    })

const WorkItem = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  link: z.string(),
  requestedBy: z.string().optional(),
  since: Instant,
  due: Instant.optional(),
  /** Each is a call of the room that offers the item, which looks at everything again. A reason goes into the field that is named. */
  actions: z.array(
    z.object({
      name: z.string(),
      call: z.string(),
      input: z.record(z.string(), z.unknown()),
      reasonField: z.string().optional(),
      needsReason: z.boolean(),
    }),
  ),
})

const transactionStates = ['waiting', 'done', 'failed', 'denied'] as const

const Transaction = z.object({
  transactionId: z.string(),
  kind: z.string(),
  title: z.string(),
  status: z.enum(transactionStates),
  startedAt: Instant,
  endedAt: Instant.optional(),
  by: z.string(),
  link: z.string().optional(),
  steps: z.array(z.object({ at: Instant, what: z.string(), by: z.string(), outcome: z.enum(['done', 'refused', 'failed']) })),
})

export const workflow = contract({
  area: 'workflow',
  title: 'My work',
  screens: {
    work: {
      path: '/workflow',
      needs: 'workflow',
      title: 'My work',
      also: 'waiting for me, to do, tasks, inbox',
      menu: { group: 'home', entry: 'work', tab: 'Waiting for me', place: 10 },
    },
    transactions: {
      path: '/transactionHistory',
      needs: 'workflow',
      title: 'Transactions',
      also: 'history, what became of, done by me',
      menu: { group: 'home', entry: 'work', tab: 'Transactions', place: 20 },
    },
    place: { path: '/transactionHistory/csrCheckRedirector/:ca/:id', needs: 'workflow', title: 'Request', parent: 'transactions' },
  },
  calls: {
    items: {
      does: 'Answers what waits for the caller, of every kind, the oldest first, each with what can be done about it. A kind that cannot be read has the count -1.',
      method: 'GET',
      path: '/workflowItems',
      needs: 'workflow',
      ownTransactions: true,
      input: z.object({}),
      output: z.object({
        workflowItems: z.array(WorkItem),
        counts: z.array(z.object({ kind: z.string(), count: z.number().int() })),
      }),
      failed: 'What waits for you could not be read',
    },
    transactions: {
      does: 'Answers what was begun here and what has become of it, the newest first, each with its steps. The offset goes before the page number.',
      method: 'GET',
      path: '/transaction-history',
      needs: 'workflow',
      input: z.object({
        'paging[pageNumber]': clamped(1, mostOffset, 1),
        'paging[offset]': clamped(0, mostOffset, -1),
        'paging[limit]': clamped(1, mostOfPage, 10),
        kind: z.string().max(60).optional(),
        /** Begun by the caller. */
        own: z.enum(['true', 'false']).optional(),
        /** Among the newest 500. */
        status: z.enum(transactionStates).optional(),
        from: Instant.optional(),
        until: Instant.optional(),
      }),
      output: z.object({
        transactions: z.array(Transaction),
        total: z.number().int(),
        more: z.boolean(),
        kinds: z.array(z.string()),
      }),
      failed: 'The transactions could not be read',
    },
    /** For the redirector: only pages of this console. */
    place: {
      does: 'Answers the page where the request of an authority stands for the caller: its certificate, or the request. None where there is no such pair.',
      method: 'GET',
      path: '/api2/IDM-v1/RequestPlace',
      needs: 'workflow',
      input: z.object({ ca: z.string().max(200), id: z.string().max(200) }),
      output: z.object({ path: z.string().optional(), requestId: Id.optional() }),
      failed: 'The request could not be found',
    },
  },
})
