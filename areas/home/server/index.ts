// The home page gathers what rooms offer and keeps nothing of its own.

import { setTimeout as wait } from 'node:timers/promises'
import { passesDoor } from '#core/contract/access.ts'
import { satisfies } from '#core/contract/permissions.ts'
import { databaseVersion, inTenant } from '#core/server/database.ts'
import { commonFault, Fault } from '#core/server/fault.ts'
import { homeAnswers } from '#core/server/home-answers.ts'
import type { House } from '#core/server/house.ts'
import { serve, type Handlers } from '#core/server/serve.ts'
import { changeSigns, firstSteps, workWaiting } from '#core/server/slots.ts'
import { home } from '../contract.ts'
import { listDocuments, readDocument, readLicences } from './about.ts'

/** How soon a change is told; while nothing has changed nothing is read. */
const followMilliseconds = 2_000

const handlers: Handlers<typeof home> = {
  async page(_input, context) {
    const answers = []
    for (const { call, input, handle } of context.house.offers(homeAnswers)) {
      if (!passesDoor(context.viewer, call)) continue
      // What a room cannot answer, its card asks by itself, and says why not.
      const answer = await handle(call.input.parse(input), context).catch((error: unknown) => {
        if (error instanceof Fault) return undefined
        throw error
      })
      if (answer !== undefined) answers.push({ area: call.area, name: call.name, input, answer: call.output.parse(answer) })
    }
    return { answers }
  },

  async firstRun(_input, { db, viewer, now, house }) {
    const steps = []
    for (const { step, isDone, path: pathOf } of house.offers(firstSteps)) {
      const path = await pathOf?.(db, viewer.tenantId, now)
      steps.push({ step, done: await isDone(db, viewer.tenantId, now), ...(path === undefined ? {} : { path }) })
    }
    return { steps }
  },

  async waiting(_input, { db, viewer, house }) {
    const counts: Record<string, number> = {}
    for (const { needs, count } of house.offers(workWaiting))
      if (satisfies(viewer.permission.api, needs)) Object.assign(counts, await count(db, viewer))
    return { counts }
  },

  async about(_input, { db, house }) {
    return {
      version: house.version,
      runtime: `Node ${process.versions.node}, OpenSSL ${process.versions.openssl}`,
      database: `PostgreSQL ${await databaseVersion(db)}`,
      licences: readLicences(),
    }
  },

  documentation: async () => ({ files: listDocuments() }),

  document: async ({ name }, { fault }) => readDocument(name) ?? fault('missing'),
}

export default serve(home, handlers, {
  atHome: { firstRun: [{}], waiting: [{}] },
  streams: {
    async *changes(_input, { viewer, house, signal }) {
      if (viewer === undefined) throw commonFault('not_logged_in')
      let since = house.cache.version()
      let sign = await signOf(house, viewer.tenantId)
      while (!signal.aborted) {
        await wait(followMilliseconds, undefined, { signal }).catch(() => {})
        if (signal.aborted || house.cache.isCurrent(since)) continue
        since = house.cache.version()
        const next = await signOf(house, viewer.tenantId)
        if (next !== sign) yield { at: house.now().toISOString() }
        sign = next
      }
    },
  },
})

const signOf = (house: House, tenantId: string): Promise<string> =>
  inTenant(house.database, tenantId, async (db) => {
    const signs = []
    for (const sign of house.offers(changeSigns)) signs.push(await sign({ db, tenantId, now: house.now() }))
    return signs.join()
  })
