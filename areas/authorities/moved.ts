// Authorities keep the address they were made with, in their certificates and in what they go on issuing. Whoever starts the server at another one is told.

import { inTenant } from '#core/server/database.ts'
import { forEachTenancy } from '#core/server/each.ts'
import type { House } from '#core/server/house.ts'
import { allOfTenancy, type AuthorityInTree } from './service.ts'

/** The address in its certificates, where the server is set to another now and somebody may still ask there. */
export const movedFrom = ({ address, status }: Pick<AuthorityInTree, 'address' | 'status'>, pkiUrl: string): string | undefined =>
  status === 'ActiveCert' && address !== pkiUrl ? address : undefined

/** What is said at start; undefined where all are at this address. */
export async function movedSentence(house: House): Promise<string | undefined> {
  const { pkiUrl } = house.settings
  const found: string[] = []
  // Told and no more: a tenancy that cannot be read keeps no server from starting, and no other's authorities from being told of.
  await forEachTenancy(house, async (tenantId) => {
    const all = await inTenant(house.database, tenantId, (db) => allOfTenancy(db, tenantId, house.now()))
    found.push(...all.flatMap((authority) => movedFrom(authority, pkiUrl) ?? []))
  }).catch((error: unknown) => house.log.warn({ error }, 'the addresses of the authorities of a tenancy could not be read'))
  if (found.length === 0) return undefined
  const [whose, they] = found.length === 1 ? ['one authority', 'It goes'] : [`${found.length} authorities`, 'They go']
  const old = [...new Set(found)].join(', ')
  return `The certificates of ${whose} name ${old} for revocation lists and OCSP, and this server is set to ${pkiUrl} (CHANCERY_PKI_URL). ${they} on naming ${old}, also in what is issued from now on: keep it reaching this server, or nobody can tell whether those certificates are revoked.`
}
