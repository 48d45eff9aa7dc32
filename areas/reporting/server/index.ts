import { reportOn } from '#areas/certificates/service.ts'
import { invalidField } from '#core/server/fault.ts'
import { serve } from '#core/server/serve.ts'
import { say } from '#standards/say/say.ts'
import { reporting } from '../contract.ts'
import { mostGroups, periodOf } from '../rules.ts'

const counted = ['issued', 'revoked', 'ended', 'valid'] as const

export default serve(reporting, {
  async certificates({ by, first, last }, { db, viewer, now }) {
    const period = periodOf(first, last)
    if (period === undefined) throw invalidField('last', say`The last day must not be before the first, nor more than ten years after it`)
    const found = await reportOn(db, viewer.tenantId, { by, ...period }, now, mostGroups + 1)
    const rows = found.slice(0, mostGroups)
    const sum = (name: (typeof counted)[number]) => rows.reduce((total, row) => total + row[name], 0)
    return {
      rows,
      totals: { issued: sum('issued'), revoked: sum('revoked'), ended: sum('ended'), valid: sum('valid') },
      more: found.length > rows.length,
    }
  },
})
