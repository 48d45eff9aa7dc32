import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Instant } from '#core/contract/shapes.ts'

export const home = contract({
  area: 'home',
  title: 'Home',
  screens: {
    home: { path: '/home', needs: 'signedIn', title: 'Home', menu: { group: 'home', entry: 'home' }, asks: 'page' },
    about: { path: '/about', needs: 'signedIn', title: 'About', parent: 'home' },
    documentation: {
      path: '/documentation',
      needs: 'signedIn',
      title: 'Documentation',
      also: 'manual, handbook, guide',
      menu: { group: 'support', entry: 'news', tab: 'Documentation', place: 20 },
    },
    api: { path: '/about/api', needs: 'signedIn', title: 'API reference', parent: 'about' },
  },
  calls: {
    page: {
      does: 'Answers what the cards of the home page read, each by its call and input, as far as the caller may read it.',
      method: 'GET',
      path: '/api2/Monitoring-v1/HomePage',
      needs: 'signedIn',
      input: z.object({}),
      output: z.object({
        answers: z.array(z.object({ area: z.string(), name: z.string(), input: z.unknown(), answer: z.unknown() })),
      }),
      failed: 'The home page could not be read',
      packed: true,
    },
    firstRun: {
      does: 'Answers the steps with which a new tenancy begins, and which are done.',
      method: 'GET',
      path: '/api2/Monitoring-v1/HomeFirstRun',
      needs: 'signedIn',
      input: z.object({}),
      /** `path`: where a step that has begun goes on. */
      output: z.object({ steps: z.array(z.object({ step: z.string(), done: z.boolean(), path: z.string().optional() })) }),
    },
    waiting: {
      does: 'Counts what waits for the caller, by kind: approvals, revocations, authorities that need attention.',
      method: 'GET',
      path: '/api2/Monitoring-v1/HomeWaiting',
      needs: 'signedIn',
      input: z.object({}),
      /** How much of each kind waits for this person, where the person may see it. */
      output: z.object({ counts: z.record(z.string(), z.number().int()) }),
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
  streams: {
    changes: {
      path: '/stream/home',
      needs: 'signedIn',
      input: z.object({}),
      /** Since then something is new in the tenancy. */
      event: z.object({ at: Instant }),
      failed: 'The home page could not be followed',
    },
  },
})
