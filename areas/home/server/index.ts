// The home page gathers what rooms offer and keeps nothing of its own.

import { satisfies } from '#core/contract/permissions.ts'
import { databaseVersion } from '#core/server/database.ts'
import { serve } from '#core/server/serve.ts'
import { firstSteps, workWaiting } from '#core/server/slots.ts'
import { home } from '../contract.ts'
import { listDocuments, readDocument, readLicences } from './about.ts'

export default serve(home, {
  async firstRun(_input, { db, viewer, now, house }) {
    const steps = []
    for (const { step, isDone } of house.offers(firstSteps)) steps.push({ step, done: await isDone(db, viewer.tenantId, now) })
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
})
