// What other rooms may ask of the people: finding them, counting their sign-ins, and activating an account.

import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { makeTenantSecret, readTenantSecret } from '#core/server/secrets.ts'
import { rolesOf } from '#areas/roles/service.ts'
import { activationDays } from './rules.ts'
import { findUserRow, indexUser, tables, usersMatching, type UserRecord } from './server/store.ts'

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
}

const fromRow = (row: UserRecord): Person => ({
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
  enabled: row.enabled,
  activated: row.activated_at !== null,
  failedLogins: row.failed_logins,
  lastSuccessfulLogin: row.last_successful_login ?? undefined,
  lastFailedLogin: row.last_failed_login ?? undefined,
})

export const fullName = (person: Pick<Person, 'givenName' | 'familyName'>): string => `${person.givenName} ${person.familyName}`

export async function findPerson(db: Database, tenantId: string, id: string): Promise<Person | undefined> {
  const row = await findUserRow(db, tenantId, id)
  return row && fromRow(row)
}

export async function findPeople(db: Database, tenantId: string, ids: readonly string[]): Promise<Person[]> {
  if (ids.length === 0) return []
  const rows = await tables(db).selectFrom('users').selectAll().where('tenant_id', '=', tenantId).where('id', 'in', [...ids]).execute()
  return rows.map(fromRow)
}

/** The people whose names, username or address begin with what was typed. */
export async function searchPeople(db: Database, tenantId: string, text: string, most: number): Promise<Person[]> {
  const rows = await usersMatching(db, tenantId, { text, status: undefined, ids: undefined }).selectAll('users').orderBy('users.family_name').orderBy('users.id').limit(most).execute()
  return rows.map(fromRow)
}

export async function countPeople(db: Database, tenantId: string): Promise<number> {
  const { total } = await tables(db).selectFrom('users').where('tenant_id', '=', tenantId).select((all) => all.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return total
}

/** Which tenancy a username belongs to. Read before anybody is signed in. */
export async function findUsername(db: Database, username: string): Promise<{ tenantId: string; userId: string } | undefined> {
  const row = await tables(db).selectFrom('usernames').selectAll().where('username', '=', username.toLowerCase()).executeTakeFirst()
  return row && { tenantId: row.tenant_id, userId: row.user_id }
}

export type NewPerson = Pick<Person, 'username' | 'givenName' | 'familyName' | 'emailAddress'> & Partial<Pick<Person, 'telephoneNumber' | 'title' | 'locality' | 'organisation' | 'securityIdentifier'>>

export const emailKey = (address: string): string => address.toLowerCase()

/** Undefined where the username is taken. Throws where somebody of the tenancy has the e-mail address: the constraint `users_by_email`. */
export async function addPerson(db: Database, tenantId: string, draft: NewPerson, now: Date): Promise<string | undefined> {
  const id = timeOrderedId(now)
  const taken = await tables(db)
    .insertInto('usernames')
    .values({ username: draft.username.toLowerCase(), tenant_id: tenantId, user_id: id })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  if (taken === undefined) return undefined
  const row: UserRecord = {
    tenant_id: tenantId,
    id,
    username: draft.username,
    given_name: draft.givenName,
    family_name: draft.familyName,
    email_address: draft.emailAddress,
    email_key: emailKey(draft.emailAddress),
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
  }
  await tables(db).insertInto('users').values(row).execute()
  await indexUser(db, row)
  return id
}

/** Makes the person's only valid activation link; what was there before is void. */
export async function makeActivation(db: Database, tenantId: string, userId: string, now: Date): Promise<{ token: string; expiresAt: Date }> {
  await tables(db).deleteFrom('activation_links').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
  const { text, hash } = makeTenantSecret('', tenantId)
  const expiresAt = new Date(now.getTime() + activationDays * 86_400_000)
  await tables(db).insertInto('activation_links').values({ tenant_id: tenantId, token_hash: hash, user_id: userId, expires_at: expiresAt, held: await heldBy(db, tenantId, userId) }).execute()
  return { token: text, expiresAt }
}

/** The person's grants as a link keeps them. */
async function heldBy(db: Database, tenantId: string, userId: string): Promise<string[]> {
  const roles = await rolesOf(db, tenantId, userId)
  const grants = roles.flatMap((role) => (['view', 'menu', 'api'] as const).flatMap((list) => role[list].map((name) => `${list}:${name}`)))
  return [...new Set(grants)].sort()
}

/** Whether the person holds more now than when the link was made: who knew the link then shall not have it. */
async function holdsMore(db: Database, tenantId: string, link: { user_id: string; held: string[] | null }): Promise<boolean> {
  if (link.held === null) return false
  const held = new Set(link.held)
  return (await heldBy(db, tenantId, link.user_id)).some((grant) => !held.has(grant))
}

/** The people who have an activation link that is still good in time. */
export async function invitedAmong(db: Database, tenantId: string, ids: readonly string[], now: Date): Promise<Person[]> {
  if (ids.length === 0) return []
  const links = await tables(db).selectFrom('activation_links').select('user_id').where('tenant_id', '=', tenantId).where('user_id', 'in', [...ids]).where('expires_at', '>', now).execute()
  const people = await findPeople(db, tenantId, links.map((link) => link.user_id))
  return people.filter((person) => person.enabled && !person.activated)
}

/** Those among them whose link is void because they hold more than when it was made. */
export async function outgrownAmong(db: Database, tenantId: string, ids: readonly string[], now: Date): Promise<Person[]> {
  const outgrown: Person[] = []
  for (const person of await invitedAmong(db, tenantId, ids, now)) {
    const link = await tables(db).selectFrom('activation_links').select(['user_id', 'held']).where('tenant_id', '=', tenantId).where('user_id', '=', person.id).executeTakeFirst()
    if (link !== undefined && (await holdsMore(db, tenantId, link))) outgrown.push(person)
  }
  return outgrown
}

export const readActivationToken = (token: string) => readTenantSecret('', token)

/** The person that a valid link is for. */
export async function findActivation(db: Database, tenantId: string, hash: string, now: Date): Promise<Person | undefined> {
  const link = await tables(db)
    .selectFrom('activation_links')
    .select(['user_id', 'held'])
    .where('tenant_id', '=', tenantId)
    .where('token_hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (link === undefined || (await holdsMore(db, tenantId, link))) return undefined
  const person = await findPerson(db, tenantId, link.user_id)
  // A link does not lead into an account that is active already.
  return person?.enabled === true && !person.activated ? person : undefined
}

/** Uses the link up. False where another request was faster. */
export async function useActivation(db: Database, tenantId: string, hash: string, userId: string, now: Date): Promise<boolean> {
  const used = await tables(db).deleteFrom('activation_links').where('tenant_id', '=', tenantId).where('token_hash', '=', hash).returning(['user_id', 'held']).executeTakeFirst()
  if (used?.user_id !== userId || (await holdsMore(db, tenantId, used))) return false
  const person = await tables(db)
    .updateTable('users')
    .set({ activated_at: now, modified_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', userId)
    .where('enabled', '=', true)
    .where('activated_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return person !== undefined
}

export async function activateDirectly(db: Database, tenantId: string, userId: string, now: Date): Promise<void> {
  await tables(db).updateTable('users').set({ activated_at: now }).where('tenant_id', '=', tenantId).where('id', '=', userId).execute()
}

export async function noteSignIn(db: Database, tenantId: string, userId: string, succeeded: boolean, now: Date): Promise<void> {
  await tables(db)
    .updateTable('users')
    .set((all) => (succeeded ? { last_successful_login: now, failed_logins: 0 } : { last_failed_login: now, failed_logins: all('failed_logins', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', userId)
    .execute()
}

/** The password is void and the account waits to be activated anew; it is enabled again if it was not. */
export async function reopenAccount(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db).deleteFrom('passwords').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
  await tables(db).updateTable('users').set({ activated_at: null, enabled: true, disabled_at: null }).where('tenant_id', '=', tenantId).where('id', '=', userId).execute()
}
