// Reset links: made for a person, bound to the address and the password of that moment.

import { createHash } from 'node:crypto'
import { codeIsSet } from '#areas/sessions/codes.ts'
import { countStrongFactors } from '#areas/sessions/proof.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { storedHash } from '#areas/users/passwords.ts'
import { emailKey, findPerson, type Person } from '#areas/users/service.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { readTenantSecret } from '#core/server/secrets.ts'
import { findLink } from './store.ts'

/** What a link of this person is bound to; undefined where the person has no password that could be forgotten. */
export async function boundTo(db: Database, person: Person): Promise<string | undefined> {
  const hash = person.enabled && person.activated ? await storedHash(db, person.tenantId, person.id) : undefined
  return hash === undefined
    ? undefined
    : createHash('sha256')
        .update(`${emailKey(person.emailAddress)} ${hash}`)
        .digest('base64url')
}

/**
 * Whether only a passkey protects the account besides the password: after the password alone, sign-in would offer a new code, so that a mail would
 * stand in for the passkey. Where a code is set, sign-in asks for it as before.
 */
export async function isHeldByPasskey(house: House, db: Database, { tenantId, id: userId }: Person): Promise<boolean> {
  return !(await codeIsSet(db, tenantId, userId)) && (await countStrongFactors(house, db, { tenantId, userId })) > 0
}

export type Secret = { tenantId: string; hash: string }

/** What a link says of itself; undefined where no such tenancy exists, so that an invented one is recorded nowhere. */
export async function readLink(db: Database, token: string): Promise<Secret | undefined> {
  const link = readTenantSecret('', token)
  return link && (await findTenancy(db, link.tenantId)) === undefined ? undefined : link
}

/** The person whose password a link resets now. The tenancy is entered. */
export async function findByLink(house: House, db: Database, { tenantId, hash }: Secret, now: Date): Promise<Person | undefined> {
  const link = await findLink(db, tenantId, hash, now)
  const person = link && (await findPerson(db, tenantId, link.user_id))
  if (link === undefined || person === undefined || (await boundTo(db, person)) !== link.bound_to) return undefined
  return (await isHeldByPasskey(house, db, person)) ? undefined : person
}
