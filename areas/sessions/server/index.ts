import { activityOf } from '#areas/audit/service.ts'
import { lookOfHost } from '#areas/branding/service.ts'
import { beyondOf } from '#areas/roles/power.ts'
import { findTenancy, findWorkable, managementTenancy } from '#areas/tenancy/service.ts'
import { users } from '#areas/users/contract.ts'
import { fits, hashPassword, passwordFault, storedHash, storeHash } from '#areas/users/passwords.ts'
import type { RemovalKind } from '#areas/users/removal-kinds.ts'
import { findActivation, findPerson, holdPerson, readActivationToken, useActivation } from '#areas/users/service.ts'
import { permissionsInUse } from '#core/contract/access.ts'
import { isPermission, permissions } from '#core/contract/permission-labels.ts'
import { offer } from '#core/contract/slots.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { forgetLimits } from '#core/server/limits.ts'
import { forgetRepeats } from '#core/server/repeats.ts'
import { readTenantSecret } from '#core/server/secrets.ts'
import { on, serve } from '#core/server/serve.ts'
import { goesWithPerson, personalData } from '#core/server/slots.ts'
import { sessionCookie } from '#core/server/steps/forgery.ts'
import { say } from '#standards/say/say.ts'
import { brandOf, presentBand, termsOf } from '../brand.ts'
import { codeIsSet, offerCode, resetCode, voidOffer } from '../codes.ts'
import { sessions } from '../contract.ts'
import { noteProof, passwordProves, requireFreshProof } from '../proof.ts'
import { expiryOf, proofMilliseconds } from '../rules.ts'
import { addToken, clearSessionCookies, expiryCookie, openSession, pendingCookie, setSessionCookies, viewerDetails } from '../service.ts'
import { endOwnSession, endOwnSessions, endSessions, ownSessions } from './open-sessions.ts'
import { giveCode, login } from './sign-in.ts'
import { holdsStill } from './still.ts'
import {
  countTokensOf,
  deleteEndedSessions,
  deleteSession,
  deleteToken,
  endAccessOf,
  findSession,
  findSessionById,
  findWaiver,
  insertWaiver,
  pageOfTokens,
  updateSession,
} from './store.ts'

const supportAddress = 'support@chancery.example'
const salesAddress = 'sales@chancery.example'

export default serve(
  sessions,
  {
    async bootstrap(_input, { db, viewer, house, enter, request }) {
      const management = await managementTenancy(db)
      const hostLook = await lookOfHost(house, request.host)
      const working =
        viewer === undefined && hostLook === undefined ? management : await findTenancy(db, viewer?.tenantId ?? hostLook?.tenantId ?? '')
      // Who works in another tenancy than that of the host sees the one where the work is done.
      const look = hostLook?.tenantId === working?.id ? hostLook : undefined
      if (viewer !== undefined) await enter(viewer.homeTenantId)
      const person = viewer && (await findPerson(db, viewer.homeTenantId, viewer.userId))
      return {
        signedIn: person !== undefined,
        ...(viewer !== undefined && person !== undefined ? { viewer: await viewerDetails(db, house, person, viewer.tenantId) } : {}),
        tenancy: {
          name: (viewer === undefined ? look?.altAppName : '') || working?.name || 'Chancery',
          ...(working === undefined
            ? {}
            : { bannerColour: look?.primaryColour ?? working.bannerColour, toastTimeout: working.toastTimeout }),
          ...(look === undefined ? {} : presentBand(look)),
          supportEmail: working?.supportEmail || management?.supportEmail || supportAddress,
          salesEmail: salesAddress,
          cmsRequireSelfServiceSecretQuestionsSet: working?.requireSecretQuestions ?? false,
        },
        // On a host of its own, a tenancy's terms stand before sign-in.
        ...presentTerms((viewer === undefined && hostLook !== undefined ? working?.disclaimer : '') || management?.disclaimer),
        version: house.version,
        ...(viewer?.sessionExpiresAt === undefined ? {} : { sessionExpiresAt: viewer.sessionExpiresAt.toISOString() }),
        setupNeeded: management === undefined,
      }
    },

    login,
    TOTPAuth: giveCode,
    ownSessions,
    endOwnSession,
    endOwnSessions,
    endSessions,

    async legacyLogin(_input, { db, viewer, house, fault }) {
      const person = (await findPerson(db, viewer.homeTenantId, viewer.userId)) ?? fault('missing')
      return [await viewerDetails(db, house, person, viewer.tenantId)]
    },

    // The console calls this first and then `logout`, which ends the session: the order of the specification.
    legacyLogout: async () => ({}),

    async logout(_input, { db, viewer, request, respond, enter, actAs, emit }) {
      let left = viewer === undefined ? undefined : { tenantId: viewer.homeTenantId, userId: viewer.userId }
      for (const name of [sessionCookie, pendingCookie]) {
        const found = readTenantSecret('', request.cookies[name] ?? '')
        if (found === undefined) continue
        await enter(found.tenantId)
        const ended = await deleteSession(db, found.tenantId, found.hash)
        const person = ended?.stage === 'open' ? await findPerson(db, found.tenantId, ended.user_id) : undefined
        if (person === undefined) continue
        actAs({ userId: person.id, name: person.username })
        left = { tenantId: found.tenantId, userId: person.id }
      }
      if (left !== undefined) {
        // The cookies can name any tenancy; the record belongs to that of the person whose session ended.
        await enter(left.tenantId)
        emit('signedOut', { userId: left.userId }, left.userId)
      }
      clearSessionCookies(respond)
      return {}
    },

    async checkSession(_input, { viewer, now }) {
      const expires = (viewer.sessionExpiresAt ?? now).toISOString()
      return { sessionCookies: viewer.via === 'session' ? [{ name: expiryCookie, expires }] : [] }
    },

    async refreshSession(_input, { db, viewer, now, respond, request }) {
      if (viewer.via !== 'session') return { expiresAt: now.toISOString() }
      const mine = { tenant: viewer.homeTenantId, id: viewer.credentialId }
      const { created_at } = await findSessionById(db, mine.tenant, mine.id)
      const expiresAt = expiryOf(created_at, now)
      await updateSession(db, mine.tenant, mine.id, { expires_at: expiresAt })
      setSessionCookies(respond, request.cookies[sessionCookie] ?? '', expiresAt)
      return { expiresAt: expiresAt.toISOString() }
    },

    async disclaimer(_input, { db, viewer, house, request, enter, now }) {
      const pending = readTenantSecret('', request.cookies[pendingCookie] ?? '')
      if (viewer === undefined && pending !== undefined) await enter(pending.tenantId)
      const half = viewer === undefined && pending !== undefined && (await findSession(db, pending.tenantId, pending.hash, 'pending', now))
      const tenantId = viewer?.homeTenantId ?? (half ? half.tenant_id : undefined)
      const whose = tenantId ?? (await lookOfHost(house, request.host))?.tenantId
      const own = whose === undefined ? '' : await termsOf(db, whose)
      return { disclaimer: own || ((await managementTenancy(db))?.disclaimer ?? '') }
    },

    async switchTenancy({ tenantId }, { db, viewer, emit, fault }) {
      const home = (await findTenancy(db, viewer.homeTenantId)) ?? fault('missing')
      if (viewer.via !== 'session' || (await findWorkable(db, home, tenantId)) === undefined) fault('missing')
      const { working_tenant_id: from } = await findSessionById(db, viewer.homeTenantId, viewer.credentialId)
      await updateSession(db, viewer.homeTenantId, viewer.credentialId, { working_tenant_id: tenantId })
      emit('switched', { userId: viewer.userId, tenantId, from }, tenantId)
      return {}
    },

    async readActivation({ token }, { db, now, house, enter, missed, request }) {
      const link = await readLink(db, token)
      if (link !== undefined) await enter(link.tenantId)
      const person = link && (await findActivation(house, { db, tenantId: link.tenantId, now }, link.hash))
      if (link !== undefined && person !== undefined) {
        const brand = await brandOf({ db, tenantId: link.tenantId }, request.host)
        const { username, givenName } = person
        return { usable: true as const, username, givenName, tenancyName: brand.name, brand, disclaimer: await termsOf(db, link.tenantId) }
      }
      missed()
      return { usable: false as const }
    },

    async activate({ token, password }, { now, enter, actAs, fault, house, request, respond, transact }) {
      const link = (await readLink(house.database, token)) ?? fault('linkUsed')
      await enter(link.tenantId)
      const person =
        (await inTenant(house.database, link.tenantId, (db) => findActivation(house, { db, tenantId: link.tenantId, now }, link.hash))) ??
        fault('linkUsed')
      actAs({ userId: person.id, name: person.username })
      const says = passwordFault(password, [person.username, person.givenName, person.familyName])
      if (says !== undefined) fault('invalid', { fields: [{ field: 'password', says }] })
      const hash = await hashPassword(house, password)
      return transact(async ({ db, emit }) => {
        if (!(await useActivation(house, { db, tenantId: link.tenantId, now }, link.hash, person.id))) fault('linkUsed')
        await storeHash(db, link.tenantId, person.id, hash, now)
        const { qr, otpauth, secret: codeSecret, recovery_codes } = await offerCode(db, house, person)
        const { secret } = await openSession(
          db,
          {
            tenantId: link.tenantId,
            userId: person.id,
            stage: 'pending',
            strong: false,
            address: request.address,
            userAgent: request.userAgent,
          },
          now,
        )
        respond.cookie(pendingCookie, secret, { maxAgeSeconds: 300 })
        emit('activated', { userId: person.id }, person.id)
        return { further_required_auth: 'TOTP', qr, otpauth, secret: codeSecret, recovery_codes }
      })
    },

    async changePassword({ oldPassword, newPassword }, { viewer, now, fault, house, transact }) {
      const [person, hash] = await inTenant(
        house.database,
        viewer.tenantId,
        async (db) => [await findPerson(db, viewer.tenantId, viewer.userId), await storedHash(db, viewer.tenantId, viewer.userId)] as const,
      )
      if (person === undefined || !(await fits(house, oldPassword, hash))) fault('wrongPassword')
      const says = passwordFault(newPassword, person === undefined ? [] : [person.username, person.givenName, person.familyName])
      if (says !== undefined) fault('invalid', { fields: [{ field: 'newPassword', says }] })
      const newHash = await hashPassword(house, newPassword)
      await transact(async ({ db, emit }) => {
        if (!(await holdsStill(db, { tenantId: viewer.tenantId, userId: viewer.userId, hash, sessionId: viewer.credentialId })))
          fault('not_logged_in')
        await storeHash(db, viewer.tenantId, viewer.userId, newHash, now)
        // Whoever knew the old password is out, with the tokens made by it and the codes offered for it; this session stays.
        await voidOffer(db, viewer.tenantId, viewer.userId)
        await endAccessOf(db, viewer.tenantId, viewer.userId, viewer.credentialId)
        emit('passwordChanged', { userId: viewer.userId }, viewer.userId)
      })
      return {}
    },

    async confirmPassword({ password }, { viewer, now, fault, house, transact }) {
      const hash = await inTenant(house.database, viewer.tenantId, (db) => storedHash(db, viewer.tenantId, viewer.userId))
      if (!(await fits(house, password, hash))) fault('wrongPassword')
      await transact(async ({ db, emit }) => {
        if (!(await holdsStill(db, { tenantId: viewer.tenantId, userId: viewer.userId, hash, sessionId: viewer.credentialId })))
          fault('not_logged_in')
        if (!(await passwordProves(house, db, viewer))) fault('strongerNeeded')
        await noteProof(db, viewer, now, { strong: false })
        emit('proved', { userId: viewer.userId, by: 'password' }, viewer.userId)
      })
      return { provedUntil: new Date(now.getTime() + proofMilliseconds).toISOString() }
    },

    ownHistory: async (_input, { db, viewer }) => ({ rows: await historyOf(db, viewer.tenantId, viewer.userId) }),
    history: async ({ userId }, { db, viewer }) => ({ rows: await historyOf(db, viewer.tenantId, userId) }),

    async mfaStatus({ userId }, { db, viewer, fault }) {
      if (userId !== viewer.userId && !viewer.permission.api.includes('userView')) fault('denied', { params: { permission: 'userView' } })
      const person = (await findPerson(db, viewer.tenantId, userId)) ?? fault('missing')
      const isSecretSet = await codeIsSet(db, viewer.tenantId, userId)
      return { isEnabled: person.enabled && isSecretSet, isSecretSet, isRequired: !(await findWaiver(db, viewer.tenantId, userId)) }
    },

    async mfaReset({ userId }, { db, tenancy, viewer, house, now, emit, fault }) {
      await requireFreshProof(house, db, viewer, now)
      if ((await holdPerson(db, viewer.tenantId, userId)) === undefined) fault('missing')
      if ((await beyondOf(house, tenancy, userId, viewer)).length > 0) fault('beyond')
      await resetCode(db, viewer.tenantId, userId)
      await endAccessOf(db, viewer.tenantId, userId)
      emit('codeReset', { userId }, userId)
      return {}
    },

    async mfaDisable({ userId }, { db, tenancy, viewer, house, emit, now, fault }) {
      await requireFreshProof(house, db, viewer, now)
      if ((await holdPerson(db, viewer.tenantId, userId)) === undefined) fault('missing')
      if (userId === viewer.userId) fault('notYourself')
      if ((await beyondOf(house, tenancy, userId, viewer)).length > 0) fault('beyond')
      await resetCode(db, viewer.tenantId, userId)
      await insertWaiver(db, { tenant_id: viewer.tenantId, user_id: userId, waived_by: viewer.userId, waived_at: now })
      emit('codeDisabled', { userId }, userId)
      return {}
    },

    async mfaEnrol({ password }, { viewer, now, house, fault, transact }) {
      const hash = await inTenant(house.database, viewer.tenantId, (db) => storedHash(db, viewer.tenantId, viewer.userId))
      if (!(await fits(house, password, hash))) fault('wrongPassword')
      return transact(async ({ db, emit }) => {
        if (!(await holdsStill(db, { tenantId: viewer.tenantId, userId: viewer.userId, hash, sessionId: viewer.credentialId })))
          fault('not_logged_in')
        await noteProof(db, viewer, now, { strong: false })
        await requireFreshProof(house, db, viewer, now)
        emit('codeOffered', { userId: viewer.userId }, viewer.userId)
        return offerCode(db, house, { tenantId: viewer.tenantId, id: viewer.userId, username: viewer.username })
      })
    },

    async searchTokens({ page, size }, { db, viewer }) {
      const { rows, total } = await pageOfTokens(db, viewer.tenantId, viewer.userId, { page, size })
      return {
        rows: rows.map((row) => ({
          id: row.id,
          name: row.name,
          scopes: row.scopes,
          createdAt: row.created_at.toISOString(),
          expiresAt: row.expires_at.toISOString(),
          ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at.toISOString() }),
        })),
        total,
      }
    },

    async tokenScopes(_input, { viewer, house }) {
      const inUse = permissionsInUse(house.contracts, ['calls', 'streams', 'endpoints'])
      const names = viewer.permission.api.filter(isPermission).filter((name) => inUse.has(name))
      return { scopes: names.toSorted().map((name) => ({ name, label: permissions[name] })) }
    },

    async addToken({ name, scopes, days, password }, { viewer, now, house, fault, transact }) {
      const unknown = scopes.find((scope) => !isPermission(scope))
      if (unknown !== undefined)
        fault('invalid', { fields: [{ field: 'scopes', says: say`There is no permission ${unknown.slice(0, 60)}` }] })
      if (scopes.some((scope) => !viewer.permission.api.includes(scope))) fault('beyond')
      const hash = await inTenant(house.database, viewer.tenantId, (db) => storedHash(db, viewer.tenantId, viewer.userId))
      if (!(await fits(house, password, hash))) fault('wrongPassword')
      const expiresAt = new Date(now.getTime() + days * 86_400_000)
      const { id, token } = await transact(async ({ db, emit }) => {
        if (!(await holdsStill(db, { tenantId: viewer.tenantId, userId: viewer.userId, hash, sessionId: viewer.credentialId })))
          fault('not_logged_in')
        const made = await addToken(db, { tenantId: viewer.tenantId, userId: viewer.userId, name, scopes, expiresAt }, now)
        emit('tokenAdded', { tokenId: made.id, name, scopes }, viewer.userId)
        return made
      })
      return { id, token, expiresAt: expiresAt.toISOString() }
    },

    async removeToken({ id }, { db, viewer, emit, fault }) {
      if (!(await deleteToken(db, viewer.tenantId, viewer.userId, id))) fault('missing')
      emit('tokenRemoved', { tokenId: id }, viewer.userId)
      return {}
    },
  },
  {
    subscriptions: [
      // A disabled person is refused at once; this is so that nothing revives when the person is enabled again.
      on(users.events.disabled, async ({ tenantId, about }, house) => {
        await inTenant(house.database, tenantId, async (db) => {
          await holdPerson(db, tenantId, about)
          await endAccessOf(db, tenantId, about)
        })
      }),
    ],
    offers: [
      offer(goesWithPerson, async ({ db, tenantId }, userId) => [
        { kind: 'tokens' satisfies RemovalKind, count: await countTokensOf(db, tenantId, userId) },
      ]),
      offer(personalData, async (db, tenantId, userId) => {
        await endAccessOf(db, tenantId, userId)
        await resetCode(db, tenantId, userId)
      }),
    ],
    jobs: {
      clean: {
        inTenancy: ({ house, tenantId }) =>
          inTenant(house.database, tenantId, async (db) => {
            await deleteEndedSessions(db, tenantId, house.now())
            await forgetRepeats(db, tenantId, house.now())
          }),
      },
      limits: { inHouse: (house) => forgetLimits(house.database, house.now()) },
    },
  },
)

const presentTerms = (disclaimer = ''): { disclaimer?: string } => (disclaimer === '' ? {} : { disclaimer })

/** What a link says of itself; undefined where no such tenancy exists, so that an invented one is recorded nowhere. */
async function readLink(db: Database, token: string) {
  const link = readActivationToken(token)
  return link && (await findTenancy(db, link.tenantId)) === undefined ? undefined : link
}

async function historyOf(db: Database, tenantId: string, userId: string) {
  const rows = (await activityOf(db, tenantId, userId, 100)).filter(({ area }) => area === sessions.area).slice(0, 30)
  return rows.map(({ id, at, name, outcome, address }) => ({ id, at: at.toISOString(), name, outcome, address }))
}
