// Makes the account of somebody who registered, with the roles that the settings say.

import { domainOfAddress } from '#areas/domains/rules.ts'
import { isDomainProved } from '#areas/domains/service.ts'
import { findRoles, setRoles, type Role } from '#areas/roles/service.ts'
import { usernameFault } from '#areas/users/rules.ts'
import { addPerson, findUsername, makeActivation } from '#areas/users/service.ts'
import { isNameOfOthers, signInNameFor } from '#areas/users/sign-in-names.ts'
import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { findSettings, type RegistrationRecord } from './store.ts'

/** Those of the settings that are there still. */
export const rolesOfSettings = async (tenancy: Tenancy): Promise<Role[]> =>
  findRoles(tenancy.db, tenancy.tenantId, (await findSettings(tenancy)).role_ids)

/**
 * The address itself where the tenancy has proved its domain, else a name of the tenancy's own: a name that is taken elsewhere would tell that
 * somebody has it.
 */
async function usernameFor(tenancy: Tenancy, emailAddress: string): Promise<string> {
  const { db, tenantId } = tenancy
  const name = emailAddress.toLowerCase()
  const domain = domainOfAddress(name)
  const own = domain !== undefined && (await isDomainProved(tenancy, domain))
  if (
    own &&
    usernameFault(name) === undefined &&
    !(await isNameOfOthers(db, tenantId, name)) &&
    (await findUsername(db, name)) === undefined
  )
    return name
  return signInNameFor(db, tenantId, name.slice(0, name.lastIndexOf('@')))
}

export type Made = { userId: string; username: string; token: string; roles: string[] }

/** Throws where somebody of the tenancy has the address: the constraint `users_by_email`. Undefined where the name was taken at the same moment. */
export async function makeAccount(
  house: Pick<House, 'offers'>,
  tenancy: Tenancy,
  registration: RegistrationRecord,
  roles: readonly Role[],
): Promise<Made | undefined> {
  const { db, tenantId, now } = tenancy
  const { given_name: givenName, family_name: familyName, email_address: emailAddress } = registration
  const username = await usernameFor(tenancy, emailAddress)
  const userId = await addPerson(db, tenantId, { username, givenName, familyName, emailAddress, origin: 'registration' }, now)
  if (userId === undefined) return undefined
  await setRoles(
    db,
    tenantId,
    userId,
    roles.map(({ id }) => id),
  )
  const { token } = await makeActivation(house, tenancy, userId)
  return { userId, username, token, roles: roles.map(({ name }) => name) }
}
