// The anonymous session of a request, for rooms above whose pages people without an account open by the same address.

import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { readTenantSecret } from '#core/server/secrets.ts'
import type { RequestFacts } from '#core/server/serve.ts'
import { portalCookie } from './rules.ts'
import { findSessionEnd } from './server/store.ts'

/** `hash` names the session and opens nothing. */
export type AnonymousSession = { tenantId: string; hash: string; expiresAt: Date }

/** Finds the session by its cookie; undefined where there is none that holds. Call it outside of a transaction. */
export async function findAnonymousSession(
  house: House,
  { cookies }: Pick<RequestFacts, 'cookies'>,
  now: Date,
): Promise<AnonymousSession | undefined> {
  const secret = readTenantSecret('', cookies[portalCookie] ?? '')
  if (secret === undefined) return undefined
  const expiresAt = await inTenant(house.database, secret.tenantId, (db) => findSessionEnd(db, secret.tenantId, secret.hash, now))
  return expiresAt === undefined ? undefined : { ...secret, expiresAt }
}
