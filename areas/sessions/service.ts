// Who asks: found from the cookie or the token, so that what changed a moment ago holds now.

import { permissionInParts } from '#areas/organisations/service.ts'
import { sponsorOf } from '#areas/sponsors/service.ts'
import { isManagement } from '#areas/tenancy/rules.ts'
import { findTenancy, managedBy } from '#areas/tenancy/service.ts'
import { storedHash } from '#areas/users/passwords.ts'
import { isKeyGood } from '#areas/users/programs.ts'
import { mayVisit, narrowedTo, rightsOf, type Rights } from '#areas/users/rights.ts'
import { findPerson, type Person } from '#areas/users/service.ts'
import { noPermission, type ViewerPermission } from '#core/contract/permissions.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { makeTenantSecret, readTenantSecret } from '#core/server/secrets.ts'
import type { RequestFacts, Respond, Viewer } from '#core/server/serve.ts'
import { forgeryCookie, forgeryToken, sessionCookie } from '#core/server/steps/forgery.ts'
import { bearers } from './bearers.ts'
import { codeIsSet } from './codes.ts'
import { heldCredentials, heldSerials } from './held-serials.ts'
import { expiryOf, longestMilliseconds, pendingMilliseconds } from './rules.ts'
import { findSession, findToken, findTokenById, insertSession, insertToken, noteTokenUse, type SessionRow } from './server/store.ts'

const tokenPrefix = 'chy_'
export const pendingCookie = 'chancery-pending'
export const expiryCookie = 'session-expiry'

/** The viewer behind a request; undefined where nobody is signed in. */
export async function findViewer(facts: RequestFacts, house: House, now: Date): Promise<Viewer | undefined> {
  if (facts.bearer !== undefined) {
    for (const read of house.offers(bearers)) {
      const program = await read(facts.bearer, facts, house, now)
      if (program !== undefined) return program
    }
    return findByToken(facts.bearer, house, now)
  }
  const secret = facts.cookies[sessionCookie]
  const found = secret === undefined ? undefined : readTenantSecret('', secret)
  if (found === undefined) return undefined
  return inTenant(house.database, found.tenantId, async (db) => {
    const session = await findSession(db, found.tenantId, found.hash, 'open', now)
    if (session === undefined) return undefined
    const account = { userId: session.user_id, homeTenantId: found.tenantId }
    const works = session.working_tenant_id
    // Who may not work elsewhere any more is back at home with the next request.
    const away = works === found.tenantId ? undefined : await rightsOf(db, account, works, found.tenantId)
    const rights = away ?? (await rightsOf(db, account, found.tenantId))
    return (
      rights && {
        ...viewerWith(rights, away === undefined ? found.tenantId : works),
        via: 'session',
        credentialId: session.id,
        sessionExpiresAt: session.expires_at,
      }
    )
  })
}

/** Whoever has these rights, as requests know them. */
const viewerWith = ({ person, permission, narrowed }: Rights, tenantId: string) => ({
  userId: person.id,
  username: person.username,
  tenantId,
  homeTenantId: person.tenantId,
  permission,
  ...(narrowed === undefined ? {} : { narrowed }),
})

async function findByToken(text: string, house: House, now: Date): Promise<Viewer | undefined> {
  const found = readTenantSecret(tokenPrefix, text)
  if (found === undefined) return undefined
  // A program asks hundreds of times a second with the same token.
  const known = await house.cache.get(`token ${found.tenantId} ${found.hash}`, () => readToken(house, found, now))
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
    const rights = await rightsOf(db, { userId: token.user_id, homeTenantId: found.tenantId }, found.tenantId)
    if (rights === undefined) return undefined
    // Written at most once a minute: it is for the person to see, not an audit.
    if (token.last_used_at === null || now.getTime() - token.last_used_at.getTime() > 60_000)
      await noteTokenUse(db, found.tenantId, token.id, now)
    const viewer: Viewer = { ...viewerWith(narrowedTo(rights, token.scopes), found.tenantId), via: 'token', credentialId: token.id }
    return { viewer, expiresAt: token.expires_at }
  })
}

/** Who a person is for work that goes on without them, in the tenancy where they confirmed it; undefined where they may not work there any more. */
export const findViewerLater = (
  house: House,
  { userId, homeTenantId, tenantId }: Pick<Viewer, 'userId' | 'homeTenantId' | 'tenantId'>,
  about: string,
): Promise<Viewer | undefined> =>
  inTenant(house.database, homeTenantId, async (db) => {
    const rights = await rightsOf(db, { userId, homeTenantId }, tenantId, homeTenantId)
    const homeName = tenantId === homeTenantId ? undefined : (await findTenancy(db, homeTenantId))?.name
    return (
      rights && {
        ...viewerWith(rights, tenantId),
        ...(homeName === undefined ? {} : { homeName }),
        via: 'job',
        credentialId: about,
      }
    )
  })

/**
 * Who a viewer is at this moment, for whoever stores what a slow key has signed since it was asked for; undefined where the account may not work
 * here any more, or the token that it came with is revoked or has ended. That somebody signed out takes back nothing that they asked for.
 */
export async function viewerNow(db: Database, viewer: Viewer, now: Date): Promise<Viewer | undefined> {
  const { tenantId, homeTenantId } = viewer
  const rights = await rightsOf(db, viewer, tenantId)
  if (rights === undefined || viewer.via !== 'token') return rights && { ...viewer, permission: rights.permission }
  if (rights.program === true)
    return (await isKeyGood({ db, tenantId, now }, viewer.userId, viewer.credentialId))
      ? { ...viewer, permission: rights.permission }
      : undefined
  // Tokens work at home alone.
  const token = await findTokenById(db, homeTenantId, viewer.credentialId)
  if (token === undefined || token.expires_at <= now) return undefined
  return { ...viewer, permission: narrowedTo(rights, token.scopes).permission }
}

/** `strong`: a factor besides the password was given for it. */
type NewSession = {
  tenantId: string
  userId: string
  stage: SessionRow['stage']
  strong: boolean
  address: string
  userAgent: string
  /** What it was opened by, where another room has to end it: a sign-in provider, a certificate. */
  openedBy?: string
}

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
    strong: draft.strong,
    proved_at: draft.stage === 'open' ? now : null,
    opened_by: draft.openedBy ?? '',
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

/** The kinds of what somebody signs in with. */
async function credentialsOf(db: Database, house: House, { tenantId, id }: Person): Promise<string[]> {
  const kinds: string[] = []
  if ((await storedHash(db, tenantId, id)) !== undefined) kinds.push('password')
  if (await codeIsSet(db, tenantId, id)) kinds.push('code')
  for (const read of house.offers(heldCredentials)) kinds.push(...(await read(db, tenantId, id, house.now())))
  return kinds
}

/** The username of who answers for the person, where somebody does. */
async function sponsorsOf(db: Database, house: House, { tenantId, id }: Person): Promise<string[]> {
  const sponsor = await sponsorOf({ db, tenantId, now: house.now() }, id)
  const person = sponsor && (await findPerson(db, tenantId, sponsor.userId))
  return person === undefined ? [] : [person.username]
}

/** What the console shows somebody who has a role in a part of the organisations; what it may do there, the calls decide. */
function withParts(own: ViewerPermission, parts: Pick<ViewerPermission, 'View' | 'Menu' | 'api'>): ViewerPermission {
  const both = (name: 'View' | 'Menu' | 'api') => [...new Set([...own[name], ...parts[name]])].sort()
  const View = both('View')
  const Menu = both('Menu')
  return { ...own, View, Menu, activeMenu: Menu.filter((name) => View.includes(name)), api: both('api') }
}

/** The viewer in the specification's form, as sign-in answers it. Needs the home tenancy to be set. */
export async function viewerDetails(db: Database, house: House, person: Person, workingTenantId: string) {
  const home = await findTenancy(db, person.tenantId)
  const managed = await managedBy(db, person.tenantId)
  const working = workingTenantId === person.tenantId ? home : managed.find((tenancy) => tenancy.id === workingTenantId)
  const held = (await rightsOf(db, { userId: person.id, homeTenantId: person.tenantId }, person.tenantId))?.permission ?? noPermission
  const own = { ...held, isManager: isManagement(managed) }
  const choice = mayVisit(own) ? managed.filter(({ endsAt }) => endsAt === undefined) : []
  const parts =
    workingTenantId === person.tenantId
      ? await permissionInParts({ db, tenantId: person.tenantId, now: house.now() }, person.id)
      : undefined
  const permission = parts === undefined ? own : withParts(own, parts)
  const serials: string[] = []
  for (const read of house.offers(heldSerials)) serials.push(...(await read(db, person.tenantId, person.id, house.now())))
  return {
    username: person.username,
    id: person.id,
    allRoles: permission.roles,
    allOrgs: person.organisation === '' ? [] : [person.organisation],
    allSponsors: await sponsorsOf(db, house, person),
    names: { givenName: person.givenName, familyName: person.familyName },
    emailAddress: person.emailAddress,
    telephoneNumber: person.telephoneNumber,
    organisation: person.organisation,
    roles: permission.roles,
    permission,
    membership: [],
    certSerialNumbers: serials,
    credentials: await credentialsOf(db, house, person),
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
    management: home !== undefined && workingTenantId === home.id && (home.kind === 'management' || isManagement(managed)),
    managed:
      home === undefined
        ? []
        : [...(choice.length > 0 ? [home] : []), ...choice].map(({ id, name, bannerColour }) => ({ id, name, colour: bannerColour })),
  }
}
