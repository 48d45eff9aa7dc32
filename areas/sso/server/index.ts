import { activityOf } from '#areas/audit/service.ts'
import { readDomain } from '#areas/domains/rules.ts'
import { isDomainProved } from '#areas/domains/service.ts'
import { sealForTenant } from '#areas/keys/sealing.ts'
import { beyondOf } from '#areas/roles/power.ts'
import { roleUses } from '#areas/roles/role-use-words.ts'
import { grantNames } from '#areas/roles/rules.ts'
import { beyondInRoles, findRoles, presentChoice, searchRoles } from '#areas/roles/service.ts'
import { endSessionsOpenedBy } from '#areas/sessions/first-factor.ts'
import { requireFreshProof } from '#areas/sessions/proof.ts'
import { addPublicAddress } from '#areas/tenancy/service.ts'
import { personMoves } from '#areas/users/moves.ts'
import { findPerson } from '#areas/users/service.ts'
import type { InputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { serve, type CallContext, type Viewer } from '#core/server/serve.ts'
import { dependants, personalData } from '#core/server/slots.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { sso } from '../contract.ts'
import { mostProviders, refusalReasons, tryMilliseconds, type RefusalReason } from '../rules.ts'
import { redirectUriOf, sealingPurpose } from './attempt.ts'
import { describeProvider, ProviderError } from './client.ts'
import { begin, beginTry, finish, offeredProviders, openedBy, providerForAddress, providerKind } from './flow.ts'
import {
  countMovable,
  countPeople,
  deleteIdentitiesOf,
  deleteIdentity,
  deleteOld,
  deleteProvider,
  findIdentityById,
  findProvider,
  findTry,
  insertProvider,
  listIdentities,
  listProviders,
  lockProvider,
  moveIdentities,
  updateProvider,
  updateProviderState,
  type ProviderRecord,
  type ProviderSettings,
} from './store.ts'

type Draft = InputOf<typeof sso.calls.add>
type Fault = CallContext<typeof sso, 'change'>['fault']

export default serve(
  sso,
  {
    async providers(_input, { tenancy }) {
      const people = await countPeople(tenancy)
      const rows = (await listProviders(tenancy)).map((row) => ({
        id: row.id,
        name: row.name,
        preset: row.settings.preset,
        issuer: row.issuer,
        ...stateOf(row, people),
      }))
      return { rows, mostProviders }
    },

    async provider({ id }, { tenancy, house, fault }) {
      const row = (await findProvider(tenancy, id)) ?? fault('missing')
      const domainStates = await Promise.all(
        row.settings.domains.map(async (domain) => ({ domain, proved: await isDomainProved(tenancy, domain) })),
      )
      return {
        ...row.settings,
        id,
        name: row.name,
        issuer: row.issuer,
        clientId: row.client_id,
        version: row.version,
        publicId: row.public_id,
        redirectUri: redirectUriOf(house, row.public_id),
        ...(row.secret_set_at === null ? {} : { secretSetAt: row.secret_set_at.toISOString() }),
        ...stateOf(row, await countPeople(tenancy)),
        domainStates,
      }
    },

    async choices(_input, { tenancy, viewer, house }) {
      const roles = await searchRoles(tenancy.db, tenancy.tenantId, '', 500)
      return {
        roles: roles
          .filter((role) => role.builtIn !== 'administrator' && beyondInRoles([role], viewer.permission).length === 0)
          .map(presentChoice),
        redirectUriPrefix: redirectUriOf(house, 'x').slice(0, -1),
      }
    },

    async add(draft, { viewer, house, now, fault, transact }) {
      const settings = await judge(house, viewer, draft, fault)
      if (draft.clientAuthentication === 'secret' && draft.clientSecret === '') fault('secretNeeded')
      return transact(async ({ tenancy, emit }) => {
        // It is switched off: who switches it on proves who they are.
        if ((await listProviders(tenancy)).length >= mostProviders) fault('tooMany', { params: { most: mostProviders } })
        const id = timeOrderedId(now)
        await insertProvider(tenancy, {
          tenant_id: tenancy.tenantId,
          id,
          public_id: await addPublicAddress(tenancy.db, { tenantId: tenancy.tenantId, kind: providerKind, target: id }),
          name: draft.name,
          issuer: draft.issuer,
          client_id: draft.clientId,
          secret_sealed: null,
          tenant_key_id: null,
          secret_set_at: null,
          ...(await sealedSecret(tenancy, house, id, draft)),
          enabled: false,
          settings,
          ...savedBy(viewer),
          last_sign_in_at: null,
          created_at: now,
          version: 1,
        })
        emit('added', { providerId: id, name: draft.name, issuer: draft.issuer }, id)
        return { id }
      })
    },

    async change({ id, version, ...draft }, { viewer, house, now, fault, transact }) {
      const settings = await judge(house, viewer, draft, fault)
      await transact(async ({ tenancy, emit }) => {
        await requireFreshProof(house, tenancy.db, viewer, now)
        const row = (await lockProvider(tenancy, id)) ?? fault('missing')
        if (row.version !== version) fault('conflict')
        // A secret that was meant for one address is not sent to another.
        const elsewhere = row.issuer !== draft.issuer
        if (draft.clientAuthentication === 'secret' && draft.clientSecret === '' && (row.secret_sealed === null || elsewhere))
          fault('secretNeeded')
        await updateProvider(tenancy, id, {
          name: draft.name,
          issuer: draft.issuer,
          client_id: draft.clientId,
          settings,
          ...savedBy(viewer),
          ...(await sealedSecret(tenancy, house, id, draft)),
        })
        emit('changed', { providerId: id, name: draft.name, issuer: draft.issuer, secretChanged: draft.clientSecret !== '' }, id)
      })
      return {}
    },

    async remove({ id }, { tenancy, viewer, house, now, emit, fault }) {
      await requireFreshProof(house, tenancy.db, viewer, now)
      const { name } = (await lockProvider(tenancy, id)) ?? fault('missing')
      await deleteProvider(tenancy, id)
      await endSessionsOpenedBy(tenancy.db, tenancy.tenantId, openedBy(id))
      emit('removed', { providerId: id, name }, id)
      return {}
    },

    async setEnabled({ id, enabled }, { tenancy, viewer, house, now, emit, fault }) {
      await requireFreshProof(house, tenancy.db, viewer, now)
      const { name } = (await lockProvider(tenancy, id)) ?? fault('missing')
      await updateProviderState(tenancy, id, enabled)
      if (!enabled) await endSessionsOpenedBy(tenancy.db, tenancy.tenantId, openedBy(id))
      emit(enabled ? 'enabled' : 'disabled', { providerId: id, name }, id)
      return {}
    },

    async discover({ issuer }, { viewer, house, fault }) {
      try {
        return await describeProvider(house, viewer.tenantId, issuer)
      } catch (error) {
        if (error instanceof ProviderError) return fault('issuer', { params: { reason: error.message } })
        throw error
      }
    },

    try: beginTry,

    async readTry({ id }, { tenancy, viewer }) {
      const row = await findTry(tenancy, id)
      const provider = row?.user_id === viewer.userId ? await findProvider(tenancy, row.provider_id) : undefined
      if (row === undefined || provider === undefined) return {}
      const tried = {
        providerId: provider.id,
        providerName: provider.name,
        begunAt: row.begun_at.toISOString(),
        ...(row.ended_at === null ? {} : { endedAt: row.ended_at.toISOString() }),
        claims: row.claims,
        ...(row.judgement === null ? {} : { judgement: row.judgement }),
      }
      return { tried }
    },

    async refusals({ id }, { tenancy, fault }) {
      if ((await findProvider(tenancy, id)) === undefined) fault('missing')
      const rows = (await activityOf(tenancy.db, tenancy.tenantId, id, 200)).filter(
        ({ area, name }) => area === sso.area && name === 'refused',
      )
      return { rows: rows.slice(0, 20).flatMap(presentRefusal) }
    },

    async identities({ userId }, { tenancy, viewer, fault }) {
      if (userId !== viewer.userId && !viewer.permission.api.includes('userView')) fault('denied', { params: { permission: 'userView' } })
      const names = new Map((await listProviders(tenancy)).map(({ id, name }) => [id, name]))
      return {
        rows: (await listIdentities(tenancy, userId)).map((row) => ({
          id: row.id,
          providerId: row.provider_id,
          providerName: names.get(row.provider_id) ?? '',
          subject: row.subject,
          name: row.name,
          linkedAt: row.linked_at.toISOString(),
          ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at.toISOString() }),
        })),
      }
    },

    async removeIdentity({ id }, { tenancy, viewer, house, now, emit, fault }) {
      await requireFreshProof(house, tenancy.db, viewer, now)
      const row = (await findIdentityById(tenancy, id)) ?? fault('missing')
      const person = await findPerson(tenancy.db, tenancy.tenantId, row.user_id)
      if (person !== undefined && (await beyondOf(house, tenancy, person.id, viewer)).length > 0) fault('beyond')
      await deleteIdentity(tenancy, id)
      emit('unlinked', { userId: row.user_id, providerId: row.provider_id, subject: row.subject }, row.user_id)
      return {}
    },

    offered: async (_input, { house }) => ({ providers: await offeredProviders(house), byAddress: true }),

    async homeRealm({ emailAddress }, { house, missed }) {
      // Counted although it succeeds: it tells which domains sign in here.
      missed()
      const provider = await providerForAddress(house, emailAddress)
      return provider === undefined ? {} : { provider }
    },

    begin,
    finish,
  },
  {
    offers: [
      offer(personalData, deleteIdentitiesOf),
      offer(personMoves, { kind: 'identities', count: countMovable, move: moveIdentities }),
      offer(dependants, {
        record: 'role',
        async count(db, tenantId, roleId, now) {
          const naming = (await listProviders({ db, tenantId, now })).filter(({ settings }) =>
            settings.rules.some(({ roleIds }) => roleIds.includes(roleId)),
          )
          return [{ kind: roleUses.providers.label, count: naming.length, path: to(sso.screens.list) }]
        },
      }),
    ],
    jobs: {
      clean: {
        inTenancy: ({ house, tenantId }) =>
          withTenancy(house, tenantId, (tenancy) => deleteOld(tenancy, new Date(tenancy.now.getTime() - tryMilliseconds))),
      },
    },
  },
)

const stateOf = (row: ProviderRecord, people: ReadonlyMap<string, number>) => ({
  enabled: row.enabled,
  people: people.get(row.id) ?? 0,
  ...(row.last_sign_in_at === null ? {} : { lastSignInAt: row.last_sign_in_at.toISOString() }),
})

const savedBy = ({ userId, homeTenantId, permission }: Viewer) => ({
  saved_by: userId,
  saved_by_home: homeTenantId,
  saved_held: grantNames({ view: permission.View, menu: permission.Menu, api: permission.api }),
})

/** What of a draft is kept as settings, judged: the address by the way out, the roles by what the viewer holds. */
async function judge(house: House, viewer: Viewer, draft: Draft, fault: Fault): Promise<ProviderSettings> {
  const { name: _name, issuer, clientId: _clientId, clientSecret: _clientSecret, ...settings } = draft
  const unreachable = await house.outward.refusal({ use: 'signIn', url: issuer, tenantId: viewer.tenantId })
  if (unreachable !== undefined) fault('issuer', { params: { reason: unreachable.message } })
  if (URL.parse(issuer)?.search !== '' || issuer.includes('#')) fault('issuer', { params: { reason: say`An issuer has no ? and no #` } })
  const domains = draft.domains.map((typed) => readDomain(typed) ?? fault('domain', { params: { domain: typed } }))
  const ids = [...new Set(draft.rules.flatMap(({ roleIds }) => roleIds))]
  await withTenancy(house, viewer.tenantId, async ({ db, tenantId }) => {
    const roles = await findRoles(db, tenantId, ids)
    if (roles.length !== ids.length) fault('unknownRole')
    if (roles.some(({ builtIn }) => builtIn === 'administrator')) fault('administrators')
    if (beyondInRoles(roles, viewer.permission).length > 0) fault('beyond')
  })
  return { ...settings, domains: [...new Set(domains)] }
}

async function sealedSecret(
  { db, tenantId, now }: Tenancy,
  house: House,
  id: string,
  { clientAuthentication, clientSecret }: Pick<Draft, 'clientAuthentication' | 'clientSecret'>,
): Promise<Partial<Pick<ProviderRecord, 'secret_sealed' | 'tenant_key_id' | 'secret_set_at'>>> {
  if (clientAuthentication === 'none') return { secret_sealed: null, tenant_key_id: null, secret_set_at: null }
  if (clientSecret === '') return {}
  const { sealed, tenantKeyId } = await sealForTenant(db, house, {
    tenantId,
    purpose: sealingPurpose(id),
    plain: Buffer.from(clientSecret),
    now,
  })
  return { secret_sealed: sealed, tenant_key_id: tenantKeyId, secret_set_at: now }
}

function presentRefusal({ id, at, body }: { id: string; at: Date; body: string }) {
  const read = sso.events.refused.body.safeParse(JSON.parse(body))
  if (!read.success) return []
  const { reason, detail, name, reference } = read.data
  return refusalReasons.includes(reason as RefusalReason)
    ? [{ id, at: at.toISOString(), reason: reason as RefusalReason, detail, name, reference }]
    : []
}
