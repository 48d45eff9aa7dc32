// What other rooms may ask of the people: finding them, counting their sign-ins, and activating an account.

import type { RawBuilder } from 'kysely'
import { withdrawMail } from '#areas/mail/service.ts'
import { powerNames } from '#areas/roles/power.ts'
import { holdersOf, idsOfMembers } from '#areas/roles/service.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { makeTenantSecret, readTenantSecret } from '#core/server/secrets.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { Origin } from './creation.ts'
import { activationDays } from './rules.ts'
import {
  activateWaiting,
  activeAmong,
  countSignIn,
  countUsers,
  deleteHash,
  findByEmailKeys,
  findOpenLink,
  findUsernameRow,
  findUserRow,
  findUserRows,
  holdUserRow,
  indexUser,
  insertUser,
  listUsersAfter,
  newestUsers,
  openLinks,
  pageOfUsers,
  replaceLink,
  takeLink,
  takeUsername,
  updateUser,
  type ActivationLink,
  type UserFilter,
  type UserRecord,
} from './server/store.ts'

export type Person = {
  id: string
  tenantId: string
  username: string
  givenName: string
  familyName: string
  emailAddress: string
  telephoneNumber: string
  title: string
  locality: string
  organisation: string
  /** Empty where the person has no account in a Windows domain. */
  securityIdentifier: string
  enabled: boolean
  activated: boolean
  failedLogins: number
  lastSuccessfulLogin: Date | undefined
  lastFailedLogin: Date | undefined
  createdAt: Date
  modifiedAt: Date
  enabledAt: Date | undefined
  disabledAt: Date | undefined
}

const fromRow = (row: UserRecord & { tenancy_stays?: boolean }): Person => ({
  id: row.id,
  tenantId: row.tenant_id,
  username: row.username,
  givenName: row.given_name,
  familyName: row.family_name,
  emailAddress: row.email_address,
  telephoneNumber: row.telephone_number,
  title: row.title,
  locality: row.locality,
  organisation: row.organisation,
  securityIdentifier: row.security_identifier,
  enabled: row.enabled && row.tenancy_stays !== false,
  activated: row.activated_at !== null,
  failedLogins: row.failed_logins,
  lastSuccessfulLogin: row.last_successful_login ?? undefined,
  lastFailedLogin: row.last_failed_login ?? undefined,
  createdAt: row.created_at,
  modifiedAt: row.modified_at,
  enabledAt: row.enabled_at ?? undefined,
  disabledAt: row.disabled_at ?? undefined,
})

export const fullName = (person: Pick<Person, 'givenName' | 'familyName'>): string => `${person.givenName} ${person.familyName}`

export async function findPerson(db: Database, tenantId: string, id: string): Promise<Person | undefined> {
  const row = await findUserRow(db, tenantId, id)
  return row && fromRow(row)
}

/** The same, held until the transaction ends: what is given to a person, and what takes everything from them, come one after the other. */
export async function holdPerson(db: Database, tenantId: string, id: string): Promise<Person | undefined> {
  const row = await holdUserRow(db, tenantId, id)
  return row && fromRow(row)
}

export async function findPeople(db: Database, tenantId: string, ids: readonly string[]): Promise<Person[]> {
  return (await findUserRows(db, tenantId, ids)).map(fromRow)
}

/** So many are written to, or counted: more need not read the same letter. */
const mostAddressed = 200

/** Those whom a permission reaches: they hold it and can sign in. Without those named. */
export async function peopleWhoMay(
  db: Database,
  tenantId: string,
  permission: string,
  but: readonly (string | null | undefined)[] = [],
): Promise<Person[]> {
  const holders = await holdersOf(db, tenantId, permission)
  return (
    await activeAmong(
      db,
      tenantId,
      holders.filter((id) => !but.includes(id)),
      mostAddressed,
    )
  ).map(fromRow)
}

const everybody = { text: '', status: undefined, among: [] }

/** The people whose names, username or address begin with what was typed. */
export async function searchPeople(db: Database, tenantId: string, text: string, most: number): Promise<Person[]> {
  return (await pageOfUsers(db, tenantId, { ...everybody, text }, { page: 1, size: most, sort: 'name', direction: 'asc' })).map(fromRow)
}

/** Questions over accounts for those who look for people by what a program asks. */
export { comparing, idsComparing, type ComparableColumn, type Comparison } from './server/store.ts'

/** How many were added in each week from `since` on, by the week's number, the first 0. */
export { countByMailDomain, countByWeek as countPeopleByWeek } from './server/store.ts'

/** Who was added last, the latest first. */
/** A page of those among some people: `among` is a question whose answer are ids. */
export async function pageOfPeople(
  db: Database,
  tenantId: string,
  { text, among }: { text: string; among: RawBuilder<string> },
  { page, size, direction }: { page: number; size: number; direction: 'asc' | 'desc' },
): Promise<{ people: Person[]; total: number }> {
  const filter = { text, status: undefined, among: [among] }
  const rows = await pageOfUsers(db, tenantId, filter, { page, size, direction, sort: 'name' })
  return { people: rows.map(fromRow), total: await countUsers(db, tenantId, filter) }
}

export const newestPeople = async (db: Database, tenantId: string, most: number): Promise<{ person: Person; createdAt: Date }[]> =>
  (await newestUsers(db, tenantId, most)).map((row) => ({ person: fromRow(row), createdAt: row.created_at }))

export const countPeople = (db: Database, tenantId: string): Promise<number> => countUsers(db, tenantId, everybody)

/** Which tenancy a username belongs to. Read before anybody is signed in. */
export async function findUsername(db: Database, username: string): Promise<{ tenantId: string; userId: string } | undefined> {
  const row = await findUsernameRow(db, username)
  return row && { tenantId: row.tenant_id, userId: row.user_id }
}

export type NewPerson = Pick<Person, 'username' | 'givenName' | 'familyName' | 'emailAddress'> &
  Partial<Pick<Person, 'telephoneNumber' | 'title' | 'locality' | 'organisation' | 'securityIdentifier'>> & { origin: Origin }

export const emailKey = (address: string): string => address.toLowerCase()

/** The people who have one of these addresses, given by `emailKey`. */
export const findByEmail = async (db: Database, tenantId: string, keys: readonly string[]): Promise<Person[]> =>
  (await findByEmailKeys(db, tenantId, keys)).map(fromRow)

/** Undefined where the username is taken. Throws where somebody of the tenancy has the e-mail address: the constraint `users_by_email`. */
export async function addPerson(db: Database, tenantId: string, draft: NewPerson, now: Date): Promise<string | undefined> {
  const id = timeOrderedId(now)
  if (!(await takeUsername(db, tenantId, id, draft.username))) return undefined
  const row: UserRecord = {
    tenant_id: tenantId,
    id,
    username: draft.username,
    given_name: draft.givenName,
    family_name: draft.familyName,
    email_address: draft.emailAddress,
    // Programs bring people without an address; any number of them may have none.
    email_key: draft.emailAddress === '' ? null : emailKey(draft.emailAddress),
    telephone_number: draft.telephoneNumber ?? '',
    title: draft.title ?? '',
    locality: draft.locality ?? '',
    organisation: draft.organisation ?? '',
    security_identifier: draft.securityIdentifier ?? '',
    enabled: true,
    activated_at: null,
    failed_logins: 0,
    last_successful_login: null,
    last_failed_login: null,
    created_at: now,
    modified_at: now,
    enabled_at: now,
    disabled_at: null,
    origin: draft.origin,
  }
  await insertUser(db, row)
  await indexUser(db, row)
  return id
}

type Asked = Pick<House, 'offers'>

/** Makes the person's only valid activation link; what was there before is void. */
export async function makeActivation(house: Asked, tenancy: Tenancy, userId: string): Promise<{ token: string; expiresAt: Date }> {
  const { db, tenantId, now } = tenancy
  const { text, hash } = makeTenantSecret('', tenantId)
  await withdrawMail(tenancy, userId, 'account', 'A newer link has taken the place of the one in it')
  const expiresAt = new Date(now.getTime() + activationDays * 86_400_000)
  await replaceLink(db, {
    tenant_id: tenantId,
    token_hash: hash,
    user_id: userId,
    expires_at: expiresAt,
    held: await powerNames(house, tenancy, userId),
    email_key: emailKey((await findUserRow(db, tenantId, userId))?.email_address ?? ''),
  })
  return { token: text, expiresAt }
}

/** Whether the person has another address or holds more now than when the link was made: who knew the link then shall not have it. */
async function isOutgrown(house: Asked, tenancy: Tenancy, link: Pick<ActivationLink, 'user_id' | 'held' | 'email_key'>): Promise<boolean> {
  const { db, tenantId } = tenancy
  const address = (await findUserRow(db, tenantId, link.user_id))?.email_address ?? ''
  if (link.email_key !== null && link.email_key !== emailKey(address)) return true
  if (link.held === null) return false
  const held = new Set(link.held)
  return (await powerNames(house, tenancy, link.user_id)).some((grant) => !held.has(grant))
}

/** The people who have an activation link that is still good in time. */
export async function invitedAmong(db: Database, tenantId: string, ids: readonly string[], now: Date): Promise<Person[]> {
  const links = await openLinks(db, tenantId, ids, now)
  const people = await findPeople(
    db,
    tenantId,
    links.map((link) => link.user_id),
  )
  return people.filter((person) => person.enabled && !person.activated)
}

/** Those among them whose link is void because they have another address or hold more than when it was made. */
export async function outgrownAmong(house: Asked, tenancy: Tenancy, ids: readonly string[]): Promise<Person[]> {
  const { db, tenantId, now } = tenancy
  const outgrown: Person[] = []
  for (const person of await invitedAmong(db, tenantId, ids, now)) {
    const [link] = await openLinks(db, tenantId, [person.id], now)
    if (link !== undefined && (await isOutgrown(house, tenancy, link))) outgrown.push(person)
  }
  return outgrown
}

export const readActivationToken = (token: string) => readTenantSecret('', token)

/** The person that a valid link is for. */
export async function findActivation(house: Asked, tenancy: Tenancy, hash: string): Promise<Person | undefined> {
  const { db, tenantId, now } = tenancy
  const link = await findOpenLink(db, tenantId, hash, now)
  if (link === undefined || (await isOutgrown(house, tenancy, link))) return undefined
  const person = await findPerson(db, tenantId, link.user_id)
  // A link does not lead into an account that is active already.
  return person?.enabled === true && !person.activated ? person : undefined
}

/** Uses the link up. False where another request was faster. */
export async function useActivation(house: Asked, tenancy: Tenancy, hash: string, userId: string): Promise<boolean> {
  const { db, tenantId, now } = tenancy
  const used = await takeLink(db, tenantId, hash)
  if (used?.user_id !== userId || (await isOutgrown(house, tenancy, used))) return false
  await withdrawMail(tenancy, userId, 'account', 'The link in it was used')
  return activateWaiting(db, tenantId, userId, now)
}

export const activateDirectly = (db: Database, tenantId: string, userId: string, now: Date): Promise<void> =>
  updateUser(db, tenantId, userId, { activated_at: now })

export { countSignIn as noteSignIn }

/** The first of those whom a list of people means, by the same filter as the list. */
export const selectPeople = async (
  db: Database,
  tenantId: string,
  { text, status, roleId }: { text: string; status?: 'active' | 'invited' | 'disabled' | undefined; roleId?: string | undefined },
  most: number,
): Promise<Person[]> =>
  (
    await pageOfUsers(
      db,
      tenantId,
      { text, status, among: roleId === undefined ? [] : [idsOfMembers(tenantId, roleId)] },
      { page: 1, size: most, sort: 'name', direction: 'asc' },
    )
  ).map(fromRow)

/** The people of a filter after one of an id, by their ids: for what goes through all of them. */
export const listPeopleAfter = async (
  db: Database,
  tenantId: string,
  filter: UserFilter,
  after: string | undefined,
  most: number,
): Promise<Person[]> => (await listUsersAfter(db, tenantId, filter, after, most)).map(fromRow)

/** Which of these names belong to people of the tenancy, by the name in small letters. */
export { findOwnUsernames } from './server/store.ts'

export type AccountFields = Pick<
  Person,
  'givenName' | 'familyName' | 'emailAddress' | 'telephoneNumber' | 'title' | 'locality' | 'organisation' | 'securityIdentifier'
>

/** Changes what an account says of its person, but the username and the roles. Throws where somebody else has the e-mail address. */
export async function changeAccount({ db, tenantId, now }: Tenancy, person: Person, changes: Partial<AccountFields>): Promise<void> {
  const after = { ...person, ...changes }
  const record = {
    given_name: after.givenName,
    family_name: after.familyName,
    email_address: after.emailAddress,
    telephone_number: after.telephoneNumber,
    title: after.title,
    locality: after.locality,
    organisation: after.organisation,
    security_identifier: after.securityIdentifier,
  }
  await updateUser(db, tenantId, person.id, {
    ...record,
    ...(after.emailAddress === person.emailAddress ? {} : { email_key: after.emailAddress === '' ? null : emailKey(after.emailAddress) }),
    modified_at: now,
  })
  await indexUser(db, { tenant_id: tenantId, id: person.id, username: person.username, ...record })
}

/** Enables or disables an account; whether the last administrator stays is the caller's to see to. */
export async function setAccountEnabled({ db, tenantId, now }: Tenancy, id: string, enabled: boolean): Promise<void> {
  await updateUser(db, tenantId, id, { enabled, modified_at: now, ...(enabled ? { enabled_at: now } : { disabled_at: now }) })
}

/** What is kept of people beside the account; `attributes.ts` says what there is. */
export { findAttributes, updateAttributes } from './server/attribute-store.ts'

/** The password is void and the account waits to be activated anew; it is enabled again if it was not. */
export async function reopenAccount(db: Database, tenantId: string, userId: string): Promise<void> {
  await holdUserRow(db, tenantId, userId)
  await deleteHash(db, tenantId, userId)
  await updateUser(db, tenantId, userId, { activated_at: null, enabled: true, disabled_at: null })
}
