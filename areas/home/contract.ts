import * as z from 'zod'
import { StatusName } from '#areas/certificates/shapes.ts'
import { deeds } from '#areas/revocation/rules.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant } from '#core/contract/shapes.ts'
import { firstSteps } from './rules.ts'

/** Exact up to 10,000; `more` says that there are more. */
const Count = z.object({ count: z.number().int(), more: z.boolean() })
/** A stretch of time as the inventory's filters take it. */
const Span = z.object({ from: Instant, until: Instant, span: z.string() })

export const home = contract({
  area: 'home',
  title: 'Home',
  screens: {
    home: { path: '/home', needs: 'signedIn', title: 'Home', menu: { group: 'home' } },
    about: { path: '/about', needs: 'signedIn', title: 'About' },
    api: { path: '/about/api', needs: 'signedIn', title: 'API reference' },
  },
  calls: {
    firstRun: {
      does: 'Answers the steps with which a new tenancy begins, and which are done.',
      method: 'GET',
      path: '/api2/Monitoring-v1/HomeFirstRun',
      needs: 'signedIn',
      input: z.object({}),
      output: z.object({ steps: z.array(z.object({ step: z.enum(firstSteps), done: z.boolean() })) }),
    },
    certificates: {
      does: 'Counts the certificates of the tenancy by status, those that end soon, and those issued day by day.',
      method: 'GET',
      path: '/api2/Monitoring-v1/HomeCertificates',
      needs: 'certView',
      input: z.object({}),
      output: z.object({
        statuses: z.array(Count.extend({ status: StatusName })),
        /** What ends in each of the next weeks, the revoked left out. */
        ending: z.array(Span.extend(Count.shape)),
        /** What was issued and revoked in each of the last weeks. */
        history: z.array(Span.extend({ issued: Count, revoked: Count })),
      }),
    },
    waiting: {
      does: 'Counts what waits for the caller: approvals, revocations and authorities.',
      method: 'GET',
      path: '/api2/Monitoring-v1/HomeWaiting',
      needs: 'signedIn',
      input: z.object({}),
      /** What waits for this person, where the person may see it. */
      output: z.object({
        approvals: z.number().int().optional(),
        /** By what was asked for. */ revocations: z.record(z.enum(deeds), z.number().int()).optional(),
        /** Authorities whose health is not in order. */ authorities: z.number().int().optional(),
      }),
    },
    activity: {
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
            outcome: z.enum(['done', 'refused', 'failed']),
            /** So often in a row; `at` is of the newest. */ times: z.number().int(),
          }),
        ),
      }),
    },
    lists: {
      does: 'Answers the newest revocation list of each authority with its entries, and whether another is due.',
      method: 'GET',
      path: '/api2/Monitoring-v1/HomeRevocationLists',
      needs: 'certRevokeView',
      input: z.object({}),
      output: z.object({
        lists: z.array(
          z.object({
            caId: Id,
            caName: z.string(),
            number: z.number().int().optional(),
            thisUpdate: Instant.optional(),
            nextUpdate: Instant.optional(),
            entries: z.number().int(),
            due: z.boolean(),
          }),
        ),
      }),
    },
    about: {
      does: 'Answers the version, what it runs on, and the licences of what it is made of.',
      method: 'GET',
      path: '/api2/Monitoring-v1/About',
      needs: 'signedIn',
      input: z.object({}),
      output: z.object({
        version: z.string(),
        runtime: z.string(),
        database: z.string(),
        licences: z.array(z.object({ name: z.string(), version: z.string(), licence: z.string() })),
      }),
      failed: 'The version could not be read',
    },
    documentation: {
      does: 'Lists the documents that come with the product.',
      method: 'GET',
      path: '/documentation/files',
      needs: 'signedIn',
      input: z.object({}),
      output: z.object({ files: z.array(z.object({ name: z.string(), title: z.string() })) }),
      failed: 'The documentation could not be listed',
    },
    document: {
      does: 'Answers one of the documents that come with the product.',
      method: 'GET',
      path: '/documentation/files/:name',
      needs: 'signedIn',
      input: z.object({ name: z.string().max(100) }),
      output: z.object({ name: z.string(), title: z.string(), text: z.string() }),
      failed: 'The document could not be read',
    },
  },
})
