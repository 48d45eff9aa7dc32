import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Instant, PageQuery, pageOf } from '#core/contract/shapes.ts'

const faults = {
  notYours: { status: 403, says: 'Jobs belong to the whole installation: only people of its management tenancy see them' },
} as const

export const jobs = contract({
  area: 'jobs',
  title: 'Jobs',
  also: 'schedule, task, cron',
  screens: {
    list: {
      path: '/monitor/jobs',
      needs: 'infrastructureConfig',
      title: 'Jobs',
      menu: { group: 'operate', entry: 'jobs', tab: 'Jobs', place: 10, management: true },
    },
  },
  calls: {
    search: {
      does: 'Lists the recurring jobs of the installation with how their last run went; in the management tenancy only.',
      method: 'POST',
      path: '/api2/Monitoring-v1/SearchJobs',
      needs: 'infrastructureConfig',
      reads: true,
      input: PageQuery,
      output: pageOf(
        z.object({
          name: z.string(),
          title: z.string(),
          /** A cron expression, in UTC. */
          every: z.string(),
          /** Of the last run; absent before the first. `lost`: servers ended in the middle of it again and again. */
          outcome: z.enum(['running', 'done', 'failed', 'lost']).optional(),
          startedAt: Instant.optional(),
          endedAt: Instant.optional(),
          error: z.string(),
          /** In how many tenancies it ran and failed; absent of a job for the installation as a whole. */
          tenancies: z.number().int().optional(),
          failed: z.number().int().optional(),
        }),
      ),
      failed: 'The jobs could not be read',
      faults,
    },
    wake: {
      does: 'Runs a job now; answers at once and does not wait for its end.',
      title: 'Start a job',
      method: 'POST',
      path: '/api2/Monitoring-v1/RunJob',
      needs: 'infrastructureConfig',
      input: z.object({ name: z.string().max(100) }),
      output: z.object({}),
      done: 'The job runs now',
      failed: 'The job was not started',
      faults,
    },
  },
  events: { woken: { says: 'Started a job', body: z.object({ name: z.string() }) } },
})
