// What other rooms may ask about domains.

import { randomBytes, randomUUID } from 'node:crypto'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { nextCheck, readDomain, withParents } from './rules.ts'
import { findProofs, insertDomain, listNames, listProvedNames } from './server/store.ts'

/**
 * The tenancy that has proved control of the domain now, by its own name or by one above it that stands for all names below. For who is not signed in
 * yet: single sign-on and registration find the tenancy of an e-mail address by it.
 */
export async function tenancyOfDomain(db: Database, domain: string): Promise<string | undefined> {
  const name = readDomain(domain)
  if (name === undefined) return undefined
  const proofs = await findProofs(db, withParents(name))
  const nearest = proofs.toSorted((one, other) => other.name.length - one.name.length)
  return nearest.find((proof) => proof.name === name || proof.includes_subdomains)?.tenant_id
}

/** Whether this tenancy has proved control of the domain now. Unproved, lapsed and another tenancy's alike are false. */
export const isDomainProved = async ({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, domain: string): Promise<boolean> =>
  (await tenancyOfDomain(db, domain)) === tenantId

/** The domains of which this tenancy has proved control now, by name. */
export const listProvedDomains = ({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>): Promise<string[]> => listProvedNames(db, tenantId)

/** The domains in the list of this tenancy, proved or not. */
export const listDomainNames = (tenancy: Tenancy): Promise<string[]> => listNames(tenancy)

/** Puts a domain that was read by `readDomain` into the list of the tenancy, to be proved by its people; answers its id. */
export async function claimDomain(tenancy: Tenancy, name: string): Promise<string> {
  const id = randomUUID()
  await insertDomain(tenancy, { id, name, token: randomBytes(20).toString('hex'), next_check_at: nextCheck('claimed', 0, tenancy.now) })
  return id
}
