import { findTenancy } from '#areas/tenancy/service.ts'
import { jobName } from '#core/contract/contract.ts'
import type { Database } from '#core/server/database.ts'
import { readRuns } from '#core/server/job-runs.ts'
import { findJob } from '#core/server/jobs.ts'
import { serve, type Viewer } from '#core/server/serve.ts'
import { jobs } from '../contract.ts'

/** A person of the management tenancy, wherever that person works at the moment. */
const runsTheInstallation = async (db: Database, { homeTenantId }: Viewer): Promise<boolean> =>
  (await findTenancy(db, homeTenantId))?.kind === 'management'

export default serve(jobs, {
  async search({ page, size, text }, { db, viewer, house, fault }) {
    if (!(await runsTheInstallation(db, viewer))) fault('notYours')
    const runs = new Map((await readRuns(house.database)).map((run) => [run.name, run]))
    const found = house.jobs
      .map(({ job }) => ({ ...job, name: jobName(job) }))
      .filter(({ name, title }) => `${title} ${name}`.toLowerCase().includes(text.toLowerCase()))
      .toSorted((a, b) => a.title.localeCompare(b.title))
    const rows = found.slice((page - 1) * size, page * size).map(({ name, title, every }) => {
      const run = runs.get(name)
      if (run === undefined) return { name, title, every, error: '' }
      const { outcome, startedAt, endedAt, error, tenancies, failed } = run
      return {
        name,
        title,
        every,
        outcome,
        startedAt: startedAt.toISOString(),
        ...(endedAt === undefined ? {} : { endedAt: endedAt.toISOString() }),
        error,
        ...(tenancies === undefined ? {} : { tenancies, failed: failed ?? 0 }),
      }
    })
    return { rows, total: found.length }
  },

  async wake({ name }, { db, viewer, house, emit, afterCommit, fault }) {
    if (!(await runsTheInstallation(db, viewer))) fault('notYours')
    const job = findJob(house, name) ?? fault('missing')
    emit('woken', { name }, name)
    afterCommit(() => house.wake(job))
    return {}
  },
})
