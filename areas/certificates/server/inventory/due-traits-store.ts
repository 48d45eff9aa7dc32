// Job: finds out what kind of certificates those are that were here before migration 0016, or come from a backup of before. A few at a time, each in a commit of
// its own, so that it goes on where it was interrupted; nothing is left for it to do after that.

import { sql } from 'kysely'
import { inTenant, type Database } from '#core/server/database.ts'
import type { TakeTurn } from '#core/server/serve.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { unreadableTraits } from '../../traits.ts'
import { tables } from '../store.ts'
import { traitsOfExternal, traitsOfIssued } from './traits-of.ts'

const batchSize = 500

export const findDueTraits: TakeTurn = async ({ house, tenantId }) => {
  if (await inTenant(house.database, tenantId, (db) => findSome(db, tenantId, house.now()))) return 'more'
}

/** False where none is left. */
async function findSome(db: Database, tenantId: string, now: Date): Promise<boolean> {
  const some = await tables(db)
    .selectFrom('certificates')
    .select(['id', 'ca_id', 'request_id', 'certificate'])
    .where('tenant_id', '=', tenantId)
    .where('traits', '=', 0)
    .orderBy('id')
    .limit(batchSize)
    .forUpdate()
    .execute()
  if (some.length === 0) return false
  const requestIds = some.flatMap(({ request_id: id }) => id ?? [])
  const requests =
    requestIds.length === 0
      ? []
      : await tables(db)
          .selectFrom('certificate_requests')
          .select(['id', 'renews', 'plan', 'findings', 'public_key'])
          .where('tenant_id', '=', tenantId)
          .where('id', 'in', requestIds)
          .execute()
  const byId = new Map(requests.map((request) => [request.id, request]))
  const found = some.map(({ ca_id: caId, request_id: requestId, certificate }) => {
    try {
      return caId === null
        ? traitsOfExternal(parseCertificate(certificate), 'uploaded', now)
        : traitsOfIssued(byId.get(requestId ?? ''), certificate)
    } catch {
      // Bytes that today's reader refuses stay, and are not read again each minute.
      return unreadableTraits
    }
  })
  await sql`
    update certificates set traits = each.traits from unnest(${some.map(({ id }) => id)}::uuid[], ${found}::bigint[]) as each (id, traits)
    where certificates.tenant_id = ${tenantId} and certificates.id = each.id`.execute(db)
  return true
}
