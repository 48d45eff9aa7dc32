// Who asks: found from the cookie or the token, so that what changed a moment ago holds now.

import { permissionsOf } from '#areas/roles/service.ts'
import { findTenancy, findWorkable, managedBy } from '#areas/tenancy/service.ts'
import { findPerson, type Person } from '#areas/users/service.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { makeTenantSecret, readTenantSecret } from '#core/server/secrets.ts'
import type { RequestFacts, Respond, Viewer } from '#core/server/serve.ts'
import { forgeryCookie, forgeryToken, sessionCookie } from '#core/server/steps/forgery.ts'
import { expiryOf, longestMilliseconds, mayVisit, narrowedTo, pendingMilliseconds } from './rules.ts'
import { findSession, findToken, insertSession, insertToken, noteTokenUse, type SessionRow } from './server/store.ts'

const tokenPrefix = 'chy_'
export const pendingCookie = 'chancery-pending'
export const expiryCookie = 'session-expiry'

/** The viewer behind a request; undefined where nobody is signed in. */
export async function findViewer(facts: RequestFacts, house: House, now: Date): Promise<Viewer | undefined> {
  if (facts.bearer !== undefined) return findByToken(facts.bearer, house, now)
  const secret = facts.cookies[sessionCookie]
  const found = secret === undefined ? undefined : readTenantSecret('', secret)
  if (found === undefined) return undefined
  return inTenant(house.database, found.tenantId, async (db) => {
    const session = await findSession(db, found.tenantId, found.hash, 'open', now)
    if (session === undefined) return undefined
    const person = await findPerson(db, found.tenantId, session.user_id)
    if (person?.enabled !== true) return undefined
    const permission = await permissionsOf(db, found.tenantId, person.id, (await managedBy(db, found.tenantId)).length > 0)
    return {
      userId: person.id,
      username: person.username,
      tenantId: mayVisit(permission) ? session.working_tenant_id : found.tenantId,
      homeTenantId: found.tenantId,
      permission,
      via: 'session',
      credentialId: session.id,
      sessionExpiresAt: session.expires_at,
    }
  })
}

async function findByToken(text: string, house: House, now: Date): Promise<Viewer | undefined> {
  const found = readTenantSecret(tokenPrefix, text)
  if (found === undefined) return undefined
  // A program asks hundreds of times a second with the same token.
  const known = await house.memory.recall(`token ${found.tenantId} ${found.hash}`, () => readToken(house, found, now))
  return known === undefined || known.expiresAt <= now ? undefined : known.viewer
}

function readToken(
  house: House,
  found: { tenantId: string; hash: string },
  now: Date,
): Promise<{ viewer: Viewer; expiresAt: Date } | undefined> {
  return inTenant(house.database, found.tenantId, async (db) => {
    const token = await findToken(db, found.tenantId, found.hash)
    if (token === undefined || token.expires_at <= now) return undefined
    const person = await findPerson(db, found.tenantId, token.user_id)
    if (person?.enabled !== true) return undefined
    // Written at most once a minute: it is for the person to see, not an audit.
    if (token.last_used_at === null || now.getTime() - token.last_used_at.getTime() > 60_000)
      await noteTokenUse(db, found.tenantId, token.id, now)
    const permission = await permissionsOf(db, found.tenantId, person.id, (await managedBy(db, found.tenantId)).length > 0)
    const { tenantId } = found
    const viewer: Viewer = {
      userId: person.id,
      username: person.username,
      tenantId,
      homeTenantId: tenantId,
      permission: narrowedTo(permission, token.scopes),
      via: 'token',
      ...(token.scopes.length > 0 ? { narrowed: true as const } : {}),
      credentialId: token.id,
    }
    return { viewer, expiresAt: token.expires_at }
  })
}

/**
 * Who a person is now that confirmed work which goes on without them: undefined where the account was disabled, or the person may not work in
 * that tenancy any more. What the person may do is what the roles say now.
 */
export const findViewerLater = (
  house: House,
  { userId, homeTenantId, tenantId }: Pick<Viewer, 'userId' | 'homeTenantId' | 'tenantId'>,
  about: string,
): Promise<Viewer | undefined> =>
  inTenant(house.database, homeTenantId, async (db) => {
    const person = await findPerson(db, homeTenantId, userId)
    const home = await findTenancy(db, homeTenantId)
    if (person?.enabled !== true || home === undefined) return undefined
    const permission = await permissionsOf(db, homeTenantId, userId, (await managedBy(db, homeTenantId)).length > 0)
    const away = tenantId !== homeTenantId
    if (away && (!mayVisit(permission) || (await findWorkable(db, home, tenantId)) === undefined)) return undefined
    return {
      userId,
      username: person.username,
      tenantId,
      homeTenantId,
      ...(away ? { homeName: home.name } : {}),
      permission,
      via: 'session',
      credentialId: about,
    }
  })

type NewSession = { tenantId: string; userId: string; stage: SessionRow['stage']; address: string; userAgent: string }

/** A new session under a new id. Returns the value of its cookie. */
export async function openSession(db: Database, draft: NewSession, now: Date): Promise<{ secret: string; expiresAt: Date }> {
  const { text, hash } = makeTenantSecret('', draft.tenantId)
  const expiresAt = draft.stage === 'pending' ? new Date(now.getTime() + pendingMilliseconds) : expiryOf(now, now)
  await insertSession(db, {
    tenant_id: draft.tenantId,
    id: timeOrderedId(now),
    secret_hash: hash,
    user_id: draft.userId,
    stage: draft.stage,
    working_tenant_id: draft.tenantId,
    created_at: now,
    expires_at: expiresAt,
    address: draft.address,
    user_agent: draft.userAgent,
  })
  return { secret: text, expiresAt }
}

/** The cookies of an open session: its value for the server alone, its anti-forgery token and its end for the console. */
export function setSessionCookies(respond: Respond, secret: string, expiresAt: Date): void {
  const maxAgeSeconds = longestMilliseconds / 1000
  respond.cookie(sessionCookie, secret, { maxAgeSeconds })
  respond.cookie(forgeryCookie, forgeryToken(secret), { maxAgeSeconds, httpOnly: false })
  respond.cookie(expiryCookie, String(expiresAt.getTime()), { maxAgeSeconds, httpOnly: false })
  respond.cookie(pendingCookie, '', { maxAgeSeconds: 0 })
}

export function clearSessionCookies(respond: Respond): void {
  for (const name of [sessionCookie, pendingCookie]) respond.cookie(name, '', { maxAgeSeconds: 0 })
  for (const name of [forgeryCookie, expiryCookie]) respond.cookie(name, '', { maxAgeSeconds: 0, httpOnly: false })
}

export type NewToken = { tenantId: string; userId: string; name: string; scopes: string[]; expiresAt: Date }

export async function addToken(db: Database, draft: NewToken, now: Date): Promise<{ id: string; token: string }> {
  const { text, hash } = makeTenantSecret(tokenPrefix, draft.tenantId)
  const id = timeOrderedId(now)
  await insertToken(db, {
    tenant_id: draft.tenantId,
    id,
    user_id: draft.userId,
    name: draft.name,
    secret_hash: hash,
    scopes: draft.scopes,
    created_at: now,
    expires_at: draft.expiresAt,
    last_used_at: null,
  })
  return { id, token: text }
}

/** The viewer in the specification's form, as sign-in answers it. Needs the home tenancy to be set. */
export async function viewerDetails(db: Database, person: Person, workingTenantId: string) {
  const home = await findTenancy(db, person.tenantId)
  const managed = await managedBy(db, person.tenantId)
  const working = workingTenantId === person.tenantId ? home : managed.find((tenancy) => tenancy.id === workingTenantId)
  const permission = await permissionsOf(db, person.tenantId, person.id, managed.length > 0)
  const choice = mayVisit(permission) ? managed : []
  return {
    username: person.username,
    id: person.id,
    allRoles: permission.roles,
    allOrgs: person.organisation === '' ? [] : [person.organisation],
    allSponsors: [],
    names: { givenName: person.givenName, familyName: person.familyName },
    emailAddress: person.emailAddress,
    telephoneNumber: person.telephoneNumber,
    organisation: person.organisation,
    roles: permission.roles,
    permission,
    membership: [],
    certSerialNumbers: [],
    credentials: ['password', 'code'],
    loginDetails: {
      failedLogins: person.failedLogins,
      ...(person.lastSuccessfulLogin === undefined ? {} : { lastSuccessfulLogin: person.lastSuccessfulLogin.toISOString() }),
      ...(person.lastFailedLogin === undefined ? {} : { lastFailedLogin: person.lastFailedLogin.toISOString() }),
    },
    metadata: {},
    enabled: person.enabled,
    title: person.title,
    locality: person.locality,
    tenantId: workingTenantId,
    tenantName: working?.name ?? '',
    homeTenantId: person.tenantId,
    management: home?.kind === 'management' && workingTenantId === home.id,
    managed:
      home === undefined
        ? []
        : [...(choice.length > 0 ? [home] : []), ...choice].map(({ id, name, bannerColour }) => ({ id, name, colour: bannerColour })),
  }
}
