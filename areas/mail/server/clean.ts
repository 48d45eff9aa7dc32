// Mail that was sent, or failed for good, is readable for a while and then deleted: a letter names people and holds links to their accounts.

import type { TakeTurn } from '#core/server/serve.ts'
import { mail } from '../contract.ts'
import { retentionDays } from '../rules.ts'
import { deleteEnded } from './store.ts'

const mailsOfATurn = 1_000

/** Job. How many it were stands in the audit log. */
export const deleteOld: TakeTurn = ({ house, tenantId }) =>
  house.work(tenantId, { name: 'Mail' }, async ({ tenancy, emitFor }) => {
    const before = new Date(tenancy.now.getTime() - retentionDays * 86_400_000)
    const deleted = await deleteEnded(tenancy, before, mailsOfATurn)
    if (deleted.length === 0) return
    const failed = deleted.filter((status) => status === 'failed').length
    emitFor(mail)('deleted', { sent: deleted.length - failed, failed })
    if (deleted.length === mailsOfATurn) return 'more'
  })
