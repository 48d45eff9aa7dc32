// How the certificates stand, for the pictures of the home page: each number is what the list behind it counts.

import type { OutputOf } from '#core/contract/contract.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { certificates } from '../../contract.ts'
import { certificateStatuses } from '../../rules.ts'
import { countByStatus, countCertificates } from '../../service.ts'
import { spanText, weeksAhead, weeksBack, weeksShown, type Span } from '../../weeks.ts'

const capped = (counted: number) => ({ count: Math.min(counted, countedUpTo), more: counted > countedUpTo })
const shownSpan = (span: Span) => ({ from: span.from.toISOString(), until: span.until.toISOString(), span: spanText(span) })

export async function countPictures(db: Database, tenantId: string, now: Date): Promise<OutputOf<typeof certificates.calls.pictures>> {
  const count = async (filter: Parameters<typeof countCertificates>[2]) => capped(await countCertificates(db, tenantId, filter, now))
  const byStatus = await countByStatus(db, tenantId, now)
  const statuses = certificateStatuses.map((status) => ({ status, count: byStatus[status], more: false }))
  const ending = []
  for (const span of weeksAhead(now, weeksShown)) ending.push({ ...shownSpan(span), ...(await count({ ends: spanText(span) })) })
  const history = []
  for (const span of weeksBack(now, weeksShown))
    history.push({
      ...shownSpan(span),
      issued: await count({ issued: spanText(span) }),
      revoked: await count({ revoked: spanText(span) }),
    })
  return { statuses, ending, history }
}
