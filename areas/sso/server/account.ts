// Whose account a sign-in leads to. What may happen is decided first, over rows that were read; a try stops there, a sign-in does it.

import { domainOfAddress } from '#areas/domains/rules.ts'
import { isDomainProved } from '#areas/domains/service.ts'
import { beyondInParts, beyondOf } from '#areas/roles/power.ts'
import { beyondInRoles, findRoles, holdAdministrators, rolesOf, setRoles, type Role } from '#areas/roles/service.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { endAllAccess } from '#areas/sessions/recovery.ts'
import { users } from '#areas/users/contract.ts'
import { rightsOf } from '#areas/users/rights.ts'
import { activateDirectly, addPerson, emailKey, findByEmail, findPerson, holdPerson, type Person } from '#areas/users/service.ts'
import { signInNameFor } from '#areas/users/sign-in-names.ts'
import { noPermission } from '#core/contract/permissions.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import type { Work } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { sso } from '../contract.ts'
import { claimAt, isStrong, rolesAfter, ruleMatches, valuesOf, verifiedAddress, type Claims, type RefusalReason } from '../rules.ts'
import type { Known } from './client.ts'
import { findIdentity, findIdentityOf, insertIdentity, updateIdentityUse, updateLastSignIn, type ProviderRecord } from './store.ts'

type NewAccount = { username: string; givenName: string; familyName: string; emailAddress: string }

export type Decision = {
  account: { outcome: 'known' | 'link'; person: Person; identityId?: string } | { outcome: 'create'; draft: NewAccount } | undefined
  /** After the sign-in. */
  roles: Role[]
  strong: boolean
  refusal: RefusalReason | undefined
}

type Asked = Pick<House, 'offers'>

export async function decide(house: Asked, tenancy: Tenancy, provider: ProviderRecord, known: Known): Promise<Decision> {
  const { settings } = provider
  const { claims } = known
  const found = await findAccount(house, tenancy, provider, known)
  const account = 'refusal' in found ? undefined : found
  const current =
    account === undefined || account.outcome === 'create' ? [] : await rolesOf(tenancy.db, tenancy.tenantId, account.person.id)
  const roles = await ruledRoles(tenancy, provider, claims, current)
  const refusal =
    'refusal' in found
      ? found.refusal
      : account !== undefined && account.outcome !== 'create' && !account.person.enabled
        ? 'disabled'
        : settings.requireRule && !settings.rules.some((rule) => ruleMatches(rule, claims))
          ? 'noRule'
          : (await isBeyond(house, tenancy, provider, { roles, userId: account?.outcome === 'create' ? undefined : account?.person.id }))
            ? 'beyond'
            : undefined
  return { account, roles, strong: isStrong(settings, claims), refusal }
}

/**
 * Whoever saves a provider decides whom it knows: so it opens no account that holds more than they held then or hold now, also not one that it has known
 * since it held less.
 */
async function isBeyond(
  house: Asked,
  tenancy: Tenancy,
  provider: ProviderRecord,
  { roles, userId }: { roles: readonly Role[]; userId: string | undefined },
): Promise<boolean> {
  const maker = await rightsOf(tenancy.db, { userId: provider.saved_by, homeTenantId: provider.saved_by_home }, tenancy.tenantId)
  const now = maker?.permission ?? noPermission
  const held = (list: 'view' | 'menu' | 'api', names: readonly string[]) => [
    ...names,
    ...provider.saved_held.filter((grant) => grant.startsWith(`${list}:`)).map((grant) => grant.slice(list.length + 1)),
  ]
  const permission = { ...now, View: held('view', now.View), Menu: held('menu', now.Menu), api: held('api', now.api) }
  if (beyondInRoles(roles, permission).length > 0) return true
  if (userId === undefined) return false
  const measure = { userId: provider.saved_by, permission, homeTenantId: provider.saved_by_home, narrowed: maker === undefined }
  return (await beyondInParts(house, tenancy, userId, measure)).length > 0
}

async function ruledRoles(
  { db, tenantId }: Tenancy,
  { settings }: ProviderRecord,
  claims: Claims,
  current: readonly Role[],
): Promise<Role[]> {
  const wanted = rolesAfter(
    current.map(({ id }) => id),
    settings.rules,
    claims,
  )
  const given = await findRoles(db, tenantId, wanted)
  // A role that became the administrators' since the rule was saved is given to nobody, and taken from nobody.
  return given.filter(({ id, builtIn }) => builtIn !== 'administrator' || current.some((role) => role.id === id))
}

type Found = NonNullable<Decision['account']> | { refusal: RefusalReason }

async function findAccount(house: Asked, tenancy: Tenancy, provider: ProviderRecord, { issuer, subject, claims }: Known): Promise<Found> {
  const { db, tenantId } = tenancy
  const at = { providerId: provider.id, issuer }
  const identity = await findIdentity(tenancy, at, subject)
  if (identity !== undefined) {
    const person = await findPerson(db, tenantId, identity.user_id)
    return person === undefined ? { refusal: 'unknown' } : { outcome: 'known', person, identityId: identity.id }
  }
  const { linkByAddress, createAccounts } = provider.settings
  if (!linkByAddress && !createAccounts) return { refusal: 'unknown' }
  const emailAddress = verifiedAddress(claims)
  if (emailAddress === undefined) return { refusal: 'unverified' }
  const [person] = await findByEmail(db, tenantId, [emailKey(emailAddress)])
  if (person === undefined) {
    if (!createAccounts) return { refusal: 'unknown' }
    // Who owns a domain says who its people are. Of all others a provider knows nothing, and one in which everybody can enrol makes accounts for everybody.
    if (!(await isAuthoritative(tenancy, provider, emailAddress))) return { refusal: 'domain' }
    return { outcome: 'create', draft: await draftOf(tenancy, provider, claims, emailAddress) }
  }
  if (!linkByAddress || !(await isAuthoritative(tenancy, provider, emailAddress))) return { refusal: 'addressTaken' }
  if ((await findIdentityOf(tenancy, at, person.id)) !== undefined) return { refusal: 'otherIdentity' }
  if ((await holdAdministrators(db, tenantId)).includes(person.id)) return { refusal: 'administrator' }
  // Whoever sets a provider up decides whom it knows: so it leads into no account that holds more than theirs.
  const maker = await rightsOf(db, { userId: provider.saved_by, homeTenantId: provider.saved_by_home }, tenantId)
  if (maker === undefined) return { refusal: 'beyond' }
  const measure = { userId: provider.saved_by, permission: maker.permission, homeTenantId: provider.saved_by_home }
  if ((await beyondOf(house, tenancy, person.id, measure)).length > 0) return { refusal: 'beyond' }
  return { outcome: 'link', person }
}

/** The provider speaks for the domain: an administrator named it here, and the tenancy has proved it. */
async function isAuthoritative(tenancy: Tenancy, { settings }: ProviderRecord, emailAddress: string): Promise<boolean> {
  const domain = domainOfAddress(emailAddress)
  return domain !== undefined && settings.domains.includes(domain) && isDomainProved(tenancy, domain)
}

/** A name as a person's record may have it: one line, no control characters. */
const lineOf = (value: unknown, most: number): string =>
  (valuesOf(value)[0] ?? '')
    .replaceAll(/\p{Cc}/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, most)
    .trim()

async function draftOf(tenancy: Tenancy, { settings }: ProviderRecord, claims: Claims, emailAddress: string): Promise<NewAccount> {
  const named = lineOf(claimAt(claims, settings.claims.username), 120) || emailAddress
  const [local = ''] = emailAddress.split('@')
  const whole = lineOf(claims['name'], 120).split(' ')
  return {
    username: await signInNameFor(tenancy.db, tenancy.tenantId, named),
    givenName: lineOf(claimAt(claims, settings.claims.givenName), 80) || (whole.length > 1 ? (whole[0] ?? '') : '') || local,
    familyName: lineOf(claimAt(claims, settings.claims.familyName), 80) || (whole.at(-1) ?? '') || local,
    emailAddress,
  }
}

type Done = Pick<Work<typeof sso>, 'emit' | 'emitFor'>

/** Does what was decided: makes or links the account, and gives and takes the roles that follow rules. Answers the person, held until the commit. */
export async function carryOut(
  tenancy: Tenancy,
  { emit, emitFor }: Done,
  provider: ProviderRecord,
  known: Known,
  decision: Decision,
): Promise<Person> {
  const { db, tenantId, now } = tenancy
  const { account } = decision
  if (account === undefined) throw new TypeError('Nothing was decided')
  const userId =
    account.outcome === 'create' ? await addPerson(db, tenantId, { ...account.draft, origin: 'signIn' }, now) : account.person.id
  if (userId === undefined) throw new TypeError('The name was taken meanwhile')
  const person = await holdPerson(db, tenantId, userId)
  if (person === undefined) throw new TypeError('The account is gone')
  const before = await rolesOf(db, tenantId, userId)
  const name = lineOf(known.claims['preferred_username'], 120) || lineOf(known.claims['email'], 120) || known.subject
  if (account.outcome === 'known' && account.identityId !== undefined) await updateIdentityUse(tenancy, account.identityId, name)
  else {
    const identity = {
      id: timeOrderedId(now),
      provider_id: provider.id,
      issuer: known.issuer,
      subject: known.subject,
      user_id: userId,
      name,
    }
    await insertIdentity(tenancy, identity)
    const by = account.outcome === 'create' ? 'firstSignIn' : 'address'
    emit('linked', { userId, providerId: provider.id, subject: known.subject, by }, userId)
  }
  if (!person.activated) await activateDirectly(db, tenantId, userId, now)
  // Decides again by the roles of the person who is held now, because a role taken away since the decision stays taken.
  const ids = (await ruledRoles(tenancy, provider, known.claims, before)).map(({ id }) => id)
  const { given, taken } =
    ids.length === before.length && before.every(({ id }) => ids.includes(id))
      ? { given: [], taken: [] }
      : await setRoles(db, tenantId, userId, ids)
  if (account.outcome === 'create') emitFor(users)('added', { userId, roles: given }, userId)
  else if (given.length > 0 || taken.length > 0) emitFor(users)('changed', { userId, fields: ['roles'], given, taken }, userId)
  await updateLastSignIn(tenancy, provider.id)
  return { ...person, activated: true }
}

/**
 * What a refusal takes from somebody whom the provider knows: what rules gave and give no more, and with it what is open, sessions and tokens alike. Else
 * who lost all groups would go on with what they gave. Of one who holds more than whoever saved the provider, nothing is taken: taking away is a power, too.
 */
export async function shutOut(
  house: Asked,
  tenancy: Tenancy,
  { emitFor }: Pick<Done, 'emitFor'>,
  provider: ProviderRecord,
  known: Known,
  { account, refusal }: Decision,
): Promise<void> {
  if (account?.outcome !== 'known' || (refusal !== 'noRule' && refusal !== 'disabled')) return
  const { db, tenantId } = tenancy
  const userId = account.person.id
  if ((await holdPerson(db, tenantId, userId)) === undefined) return
  const before = await rolesOf(db, tenantId, userId)
  if (await isBeyond(house, tenancy, provider, { roles: before, userId })) return
  const ruled = new Set((await ruledRoles(tenancy, provider, known.claims, before)).map(({ id }) => id))
  const kept = before.filter(({ id }) => ruled.has(id)).map(({ id }) => id)
  const { taken } = await setRoles(db, tenantId, userId, kept)
  if (taken.length > 0) emitFor(users)('changed', { userId, fields: ['roles'], given: [], taken }, userId)
  const ended = await endAllAccess(db, tenantId, userId)
  if (ended > 0) emitFor(sessions)('sessionsEnded', { userId, ended }, userId)
}
