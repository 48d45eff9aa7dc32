import { listProvedDomains } from '#areas/domains/service.ts'
import { domainUses } from '#areas/domains/uses.ts'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { roleUses } from '#areas/roles/role-use-words.ts'
import { beyondInRoles, findRoles, presentChoice, searchRoles } from '#areas/roles/service.ts'
import { brandOf, termsOf } from '#areas/sessions/brand.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { activationPath } from '#areas/users/activation-path.ts'
import { users } from '#areas/users/contract.ts'
import { emailKey, findByEmail } from '#areas/users/service.ts'
import { fillPath, to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { wakeAfterCommit } from '#core/server/commit.ts'
import type { House } from '#core/server/house.ts'
import { networkOf } from '#core/server/limits.ts'
import { makeTenantSecret, readTenantSecret } from '#core/server/secrets.ts'
import { serve } from '#core/server/serve.ts'
import { dependants, personalData, workWaiting } from '#core/server/slots.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { message } from '#core/server/texts.ts'
import { actorOf } from '#core/server/visiting.ts'
import { registration } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { domainUse, keptDays } from '../rules.ts'
import { makeAccount, rolesOfSettings } from './account.ts'
import { sendLinks, wayOf } from './send.ts'
import {
  countWaiting,
  deleteOfUser,
  deleteOld,
  findSettings,
  insertRequest,
  lockByToken,
  lockRegistration,
  pageOfRegistrations,
  updateRegistration,
  updateSettings,
} from './store.ts'

/** Who acts on record before there is an account: an id of no account, and a name that no account can have. */
const visitor = { userId: '00000000-0000-4000-8000-000000000001', name: 'Visitor (registration)' }
const mostRoles = 200

export default serve(
  registration,
  {
    async register({ emailAddress, givenName, familyName, code }, { db, now, missed, request }) {
      await insertRequest(db, {
        email_key: emailKey(emailAddress),
        email_address: emailAddress,
        given_name: givenName,
        family_name: familyName,
        code,
        network: networkOf(request.address),
        requested_at: now,
      })
      wakeAfterCommit(db, registration.jobs.send)
      // Counted although it succeeds: each of them can be a mail to somebody.
      missed()
      return {}
    },

    async verify({ tenantId, token }, { db, now, enter, actAs, fault, emit, request }) {
      const hash = await hashOf(db, tenantId, token)
      if (hash === undefined) return fault('linkUsed')
      await enter(tenantId)
      const tenancy: Tenancy = { db, tenantId, now }
      const found = (await lockByToken(tenancy, hash)) ?? fault('linkUsed')
      const way = await wayOf(tenancy, found.email_address, found.by_link)
      if (way === 'none') return fault('closed')
      const known = (await findByEmail(db, tenantId, [found.email_key])).length > 0
      if (found.verified_at === null) {
        actAs(visitor)
        await updateRegistration(tenancy, found.id, { verified_at: now })
        emit('verified', { registrationId: found.id }, found.id)
      }
      const brand = await brandOf(tenancy, request.host)
      return {
        outcome: known ? ('known' as const) : way,
        emailAddress: found.email_address,
        tenancyName: brand.name,
        brand,
        disclaimer: await termsOf(db, tenantId),
      }
    },

    async finish({ tenantId, token }, { house, now, enter, actAs, fault, transact }) {
      const hash = await hashOf(house.database, tenantId, token)
      if (hash === undefined) return fault('linkUsed')
      await enter(tenantId)
      actAs(visitor)
      return transact(async ({ db, emit, emitFor }) => {
        const tenancy: Tenancy = { db, tenantId, now }
        const found = (await lockByToken(tenancy, hash)) ?? fault('linkUsed')
        const way = await wayOf(tenancy, found.email_address, found.by_link)
        if (way === 'none') return fault('closed')
        if ((await findByEmail(db, tenantId, [found.email_key])).length > 0) return fault('known')
        if (way === 'approval') {
          await updateRegistration(tenancy, found.id, { state: 'waiting', token_hash: null, verified_at: now })
          emit('waits', { registrationId: found.id }, found.id)
          return { outcome: 'waiting' as const }
        }
        const made = (await makeAccount(house, tenancy, found, await rolesOfSettings(tenancy))) ?? fault('conflict')
        const { userId, username, token: activationToken, roles } = made
        const done = { state: 'active', token_hash: null, verified_at: now, decided_at: now, user_id: userId } as const
        await updateRegistration(tenancy, found.id, done)
        emitFor(users)('added', { userId, roles }, userId)
        emit('registered', { registrationId: found.id, userId }, userId)
        return { outcome: 'active' as const, username, activationToken }
      })
    },

    async settings(_input, { db, tenancy, house }) {
      const { mode, role_ids, code } = await findSettings(tenancy)
      const roles = await searchRoles(db, tenancy.tenantId, '', mostRoles)
      return {
        mode,
        roleIds: role_ids.filter((id) => roles.some((role) => role.id === id)),
        roles: roles.map(presentChoice),
        domains: await listProvedDomains(tenancy),
        ...(code === null ? {} : { address: addressOf(house, code) }),
      }
    },

    async changeSettings({ mode, roleIds }, { db, tenancy, viewer, emit, fault }) {
      const roles = await findRoles(db, tenancy.tenantId, roleIds)
      if (roles.length !== new Set(roleIds).size) fault('unknownRole')
      const beyond = beyondInRoles(roles, viewer.permission)
      if (beyond.length > 0) fault('beyond', { params: { permissions: beyond.slice(0, 5).join(', ') } })
      const { code } = await findSettings(tenancy)
      // The page has an address from when it is opened.
      const first = mode === 'approval' && code === null ? { code: makeTenantSecret('', tenancy.tenantId).text } : {}
      await updateSettings(tenancy, { mode, role_ids: [...new Set(roleIds)], ...first })
      emit('settingsChanged', { mode, roles: roles.map(({ name }) => name) })
      return {}
    },

    async renewAddress(_input, { tenancy, house, emit }) {
      const { text } = makeTenantSecret('', tenancy.tenantId)
      await updateSettings(tenancy, { code: text })
      emit('addressRenewed', {})
      return { address: addressOf(house, text) }
    },

    async search({ page, size, text, state }, { tenancy }) {
      const { rows, total } = await pageOfRegistrations(tenancy, { page, size, text, state })
      return {
        rows: rows.map((row) => ({
          id: row.id,
          givenName: row.given_name,
          familyName: row.family_name,
          emailAddress: row.email_address,
          state: row.state,
          askedAt: row.asked_at.toISOString(),
          decidedBy: row.decided_by,
          ...(row.user_id === null ? {} : { userId: row.user_id }),
        })),
        total,
      }
    },

    async decide({ id, approve }, { db, tenancy, viewer, house, now, emit, emitFor, fault }) {
      const found = (await lockRegistration(tenancy, id)) ?? fault('missing')
      if (found.state !== 'waiting') fault('decided')
      const decided = { decided_at: now, decided_by: actorOf(viewer) }
      const name = (await findTenancy(db, tenancy.tenantId))?.name ?? ''
      if (!approve) {
        await updateRegistration(tenancy, id, { state: 'denied', ...decided })
        await queueMail(tenancy, {
          to: { emailAddress: found.email_address },
          kind: 'account',
          subject: message(mailWords.denied.subject),
          text: message(mailWords.denied.text, { name }),
        })
        emit('denied', { registrationId: id }, id)
        return {}
      }
      const roles = await rolesOfSettings(tenancy)
      const beyond = beyondInRoles(roles, viewer.permission)
      if (beyond.length > 0) fault('beyond', { params: { permissions: beyond.slice(0, 5).join(', ') } })
      const made = (await makeAccount(house, tenancy, found, roles)) ?? fault('conflict')
      await updateRegistration(tenancy, id, { state: 'active', user_id: made.userId, ...decided })
      await queueMail(tenancy, {
        to: { userId: made.userId, emailAddress: found.email_address },
        kind: 'account',
        subject: message(mailWords.approved.subject),
        text: message(mailWords.approved.text, { name, username: made.username }),
        link: linkTo(house, fillPath(activationPath, { token: made.token })),
      })
      emitFor(users)('added', { userId: made.userId, roles: made.roles }, made.userId)
      emit('approved', { registrationId: id, userId: made.userId }, made.userId)
      return { userId: made.userId }
    },
  },
  {
    jobs: {
      send: { inHouse: sendLinks },
      clean: {
        inTenancy: ({ house, tenantId }) =>
          withTenancy(house, tenantId, (tenancy) => deleteOld(tenancy, new Date(tenancy.now.getTime() - keptDays * 86_400_000))),
      },
    },
    offers: [
      offer(personalData, deleteOfUser),
      offer(dependants, {
        record: 'role',
        async count(db, tenantId, roleId) {
          const { role_ids } = await findSettings({ db, tenantId })
          return [{ kind: roleUses.registration.label, count: role_ids.includes(roleId) ? 1 : 0, path: to(registration.screens.settings) }]
        },
      }),
      offer(domainUses, {
        kind: domainUse,
        blocks: false,
        path: to(registration.screens.settings),
        async count(tenancy, names) {
          const { mode } = await findSettings(tenancy)
          return new Map(mode === 'domain' ? names.map((name) => [name, 1]) : [])
        },
      }),
      offer(workWaiting, {
        needs: 'userAdd',
        count: async (db, { tenantId }) => ({ registration: await countWaiting({ db, tenantId }) }),
      }),
    ],
  },
)

/** The hash of a whole link of this tenancy; undefined where no such tenancy exists, so that an invented one is recorded nowhere. */
async function hashOf(db: Tenancy['db'], tenantId: string, token: string): Promise<string | undefined> {
  const secret = readTenantSecret('', token)
  return secret?.tenantId === tenantId && (await findTenancy(db, tenantId)) !== undefined ? secret.hash : undefined
}

const addressOf = (house: House, code: string): string => linkTo(house, to(registration.screens.register, {}, { code }))
