import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { mostGroups, reportGroups, type ReportGroup } from './rules.ts'

const Day = z.iso.date('Enter a day')
const Count = z.number().int()

export const reporting = contract({
  area: 'reporting',
  title: 'Reports',
  screens: {
    certificates: {
      path: '/reporting/certificate',
      needs: 'certificateReport',
      title: 'Certificate report',
      also: 'statistics, figures',
      menu: { group: 'reports', entry: 'certificates' },
    },
  },
  calls: {
    certificates: {
      does: 'Counts the certificates issued, revoked, ended and valid in a period, by template, authority or another group; answers a row for each.',
      method: 'POST',
      path: '/api2/Monitoring-v1/CertificateReport',
      needs: 'certificateReport',
      reads: true,
      input: z.object({
        by: z.enum(Object.keys(reportGroups) as [ReportGroup, ...ReportGroup[]]).default('authority'),
        /** Both belong to the period; UTC. */ first: Day,
        last: Day,
      }),
      /** At most 500 groups, those with most issued first; the totals are of all that are shown. */
      output: z.object({
        rows: z
          .array(z.object({ key: z.string(), label: z.string(), issued: Count, revoked: Count, ended: Count, valid: Count }))
          .max(mostGroups),
        totals: z.object({ issued: Count, revoked: Count, ended: Count, valid: Count }),
        more: z.boolean(),
      }),
      failed: 'The report could not be made',
    },
  },
})
