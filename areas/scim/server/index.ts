import { randomUUID } from 'node:crypto'
import { applications } from '#areas/applications/contract.ts'
import { findProgramApplication } from '#areas/applications/service.ts'
import { networkAddresses } from '#areas/configuration/infrastructure.ts'
import { beyondOf } from '#areas/roles/power.ts'
import { roleUses } from '#areas/roles/role-use-words.ts'
import { beyondInRoles, findRoles, rolesOf } from '#areas/roles/service.ts'
import { requireFreshProof } from '#areas/sessions/proof.ts'
import { personMoves } from '#areas/users/moves.ts'
import { findPeople, findPerson, fullName } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { on, serve } from '#core/server/serve.ts'
import { dependants, personalData } from '#core/server/slots.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { scim } from '../contract.ts'
import { journalDays, scimPath } from '../rules.ts'
import { endpoints, outcomeOf } from './endpoints.ts'
import {
  countGroupsGiving,
  countMembers,
  findAnyGroup,
  listGroups,
  listGroupsOf,
  listMembers,
  lockGroup,
  updateGroup,
} from './group-store.ts'
import { replay } from './replay.ts'
import { settleRoles } from './scene.ts'
import {
  countBySource,
  countLinksOf,
  deleteLinksOf,
  deleteOldRequests,
  deleteSource,
  findLastChanges,
  findRequestPage,
  findSource,
  findSourcePage,
  insertLink,
  insertRequest,
  listDue,
  markDue,
  updateLink,
  updateSource,
  type SourceRecord,
} from './store.ts'

const day = 86_400_000
const hour = 3_600_000
const mostGroups = 500
const mostNames = 20

export default serve(
  scim,
  {
    async search({ page, size }, { tenancy }) {
      const { rows, total } = await findSourcePage(tenancy, { page, size })
      return { rows: await presentSources(tenancy, rows), total }
    },

    async read({ id }, { tenancy, house, fault }) {
      const row = (await findSource(tenancy, id)) ?? fault('missing')
      const [source = fault('missing')] = await presentSources(tenancy, [row])
      const groups = await listGroups(tenancy, id, mostGroups)
      const members = await countMembers(
        tenancy,
        groups.map((group) => group.id),
      )
      const roles = await findRoles(tenancy.db, tenancy.tenantId, [...new Set(groups.flatMap(({ role_ids }) => role_ids))])
      return {
        ...source,
        version: row.version,
        address: `${house.settings.origin}${scimPath}`,
        groupList: groups.map((group) => ({
          id: group.id,
          name: group.display_name,
          members: members.get(group.id) ?? 0,
          roles: roles.filter((role) => group.role_ids.includes(role.id)).map((role) => ({ id: role.id, name: role.name })),
        })),
      }
    },

    async connect({ id, invite }, { tenancy, viewer, house, now, emit, fault }) {
      await requireFreshProof(house, tenancy.db, viewer, now)
      const application = (await findProgramApplication(tenancy, id)) ?? fault('unknownApplication')
      await updateSource(tenancy, { id, name: application.name, invite, answers_id: viewer.userId, answers: viewer.username })
      emit('connected', { sourceId: id, name: application.name }, id)
      return {}
    },

    async disconnect({ id }, { tenancy, emit, fault }) {
      const row = (await findSource(tenancy, id)) ?? fault('missing')
      await deleteSource(tenancy, id)
      emit('disconnected', { sourceId: id, name: row.name }, id)
      return {}
    },

    async setRoles({ groupId, roleIds }, { tenancy, viewer, house, now, emit, fault, afterCommit }) {
      await requireFreshProof(house, tenancy.db, viewer, now)
      const known = (await findAnyGroup(tenancy, groupId)) ?? fault('missing')
      // Held, so that nobody joins between those who are marked and the roles that are written.
      const group = (await lockGroup(tenancy, known.source_id, groupId)) ?? fault('missing')
      const source = (await findSource(tenancy, group.source_id)) ?? fault('missing')
      const wanted = [...new Set(roleIds)]
      const roles = await findRoles(tenancy.db, tenancy.tenantId, [...new Set([...wanted, ...group.role_ids])])
      if (wanted.some((id) => !roles.some((role) => role.id === id))) fault('unknownRole')
      // Taking away is a power, too.
      for (const role of roles) if (beyondInRoles([role], viewer.permission).length > 0) fault('beyond', { params: { role: role.name } })
      const people = await markDue(
        tenancy,
        source.id,
        groupId,
        group.role_ids.filter((id) => !wanted.includes(id)),
      )
      await updateGroup(tenancy, groupId, { role_ids: wanted })
      await updateSource(tenancy, {
        id: source.id,
        name: source.name,
        invite: source.invite,
        answers_id: viewer.userId,
        answers: viewer.username,
      })
      emit('groupRoles', { groupId, sourceId: source.id, name: group.display_name, roleIds: wanted }, groupId)
      afterCommit(() => house.wake(scim.jobs.settle))
      return { people }
    },

    async previewRoles({ groupId, roleIds }, { tenancy, fault }) {
      const group = (await findAnyGroup(tenancy, groupId)) ?? fault('missing')
      const members = await listMembers(tenancy, groupId)
      const others = (await listGroupsOf(tenancy, group.source_id, members)).filter(({ id }) => id !== groupId)
      let [gain, lose] = [0, 0]
      const touched: string[] = []
      for (const userId of members.slice(0, 2_000)) {
        const held = (await rolesOf(tenancy.db, tenancy.tenantId, userId)).map(({ id }) => id)
        const byOthers = new Set(others.filter(({ user_id }) => user_id === userId).flatMap(({ role_ids }) => role_ids))
        const gains = roleIds.some((id) => !held.includes(id))
        const loses = group.role_ids.some((id) => held.includes(id) && !roleIds.includes(id) && !byOthers.has(id))
        gain += gains ? 1 : 0
        lose += loses ? 1 : 0
        if ((gains || loses) && touched.length < mostNames) touched.push(userId)
      }
      return { gain, lose, names: (await findPeople(tenancy.db, tenancy.tenantId, touched)).map(fullName) }
    },

    async link({ sourceId, userId, userName, externalId }, { tenancy, viewer, house, now, emit, fault }) {
      await requireFreshProof(house, tenancy.db, viewer, now)
      const source = (await findSource(tenancy, sourceId)) ?? fault('missing')
      if ((await findPerson(tenancy.db, tenancy.tenantId, userId)) === undefined) fault('missing')
      // Whoever runs the identity provider can then move the address of the account, and so get into it.
      if ((await beyondOf(house, tenancy, userId, viewer)).length > 0) fault('beyondPerson')
      await insertLink(tenancy, {
        source_id: source.id,
        user_id: userId,
        user_name: userName,
        user_name_key: userName.toLowerCase(),
        external_id: externalId === '' ? null : externalId,
      })
      emit('adopted', { userId, sourceId }, userId)
      return {}
    },

    async journal({ sourceId, outcome, page, size }, { tenancy }) {
      const { rows, total } = await findRequestPage(tenancy, { sourceId, outcome }, { page, size })
      return {
        rows: rows.map(({ id, at, method, path, status, effect, body, user_id }) => ({
          id,
          at: at.toISOString(),
          method,
          path,
          status,
          effect,
          body,
          ...(user_id === null ? {} : { userId: user_id }),
        })),
        total,
      }
    },

    async replay({ sourceId, day: date }, { viewer, house, fault, transact }) {
      const source = (await transact(({ tenancy }) => findSource(tenancy, sourceId))) ?? fault('missing')
      return replay(house, source, viewer, date)
    },
  },
  {
    endpoints,
    jobs: {
      settle: {
        async inTenancy({ house, tenantId, until }) {
          await withTenancy(house, tenantId, async (tenancy) => {
            await deleteOldRequests(tenancy, new Date(tenancy.now.getTime() - journalDays * day))
          })
          const refusedBefore = new Date(house.now().getTime() - hour)
          let broken: unknown
          for (;;) {
            const due = await withTenancy(house, tenantId, (tenancy) => listDue(tenancy, refusedBefore, 100))
            if (due.length === 0) break
            for (const { source_id, user_id, roles_refused_at } of due) {
              const source = await withTenancy(house, tenantId, (tenancy) => findSource(tenancy, source_id))
              await house
                .work(tenantId, { name: 'SCIM' }, async (work) => {
                  await updateLink(work.tenancy, { source_id, user_id }, { roles_due: false })
                  if (source !== undefined) await settleRoles({ house, work, source }, [user_id])
                })
                .catch(async (error: unknown) => {
                  const outcome = outcomeOf(error)
                  if (outcome === undefined) broken = error
                  await withTenancy(house, tenantId, async (tenancy) => {
                    await updateLink(tenancy, { source_id, user_id }, { roles_refused_at: tenancy.now })
                    // Told once; it stays due, for whoever answers may hold more tomorrow.
                    if (outcome === undefined || roles_refused_at !== null) return
                    await insertRequest(tenancy, {
                      id: randomUUID(),
                      source_id,
                      at: tenancy.now,
                      method: 'ROLES',
                      path: `/Users/${user_id}`,
                      ...outcome,
                      body: '',
                      user_id,
                    })
                  })
                })
              if (performance.now() > until) return 'more'
            }
          }
          if (broken !== undefined) throw broken
        },
      },
    },
    subscriptions: [
      on(applications.events.removed, ({ tenantId, about }, house) =>
        house.work(tenantId, { name: 'SCIM' }, async ({ tenancy, emitFor }) => {
          const row = await findSource(tenancy, about)
          if (row === undefined) return
          await deleteSource(tenancy, about)
          emitFor(scim)('disconnected', { sourceId: about, name: row.name }, about)
        }),
      ),
    ],
    offers: [
      offer(personalData, deleteLinksOf),
      // The identity provider knows the account by its id, so it goes over to no other.
      offer(personMoves, {
        kind: 'scim',
        count: async (tenancy, fromId) => ({ moves: 0, stays: await countLinksOf(tenancy, fromId) }),
        move: async () => {},
      }),
      offer(dependants, {
        record: 'role',
        count: async (db, tenantId, roleId) => [
          { kind: roleUses.groups.label, count: await countGroupsGiving({ db, tenantId }, roleId), path: to(scim.screens.list) },
        ],
      }),
      offer(networkAddresses, async (tenancy, house) =>
        (await findSourcePage(tenancy, { page: 1, size: 100 })).rows.map(({ name }) => ({
          direction: 'in' as const,
          purpose: 'scim' as const,
          name,
          address: `${house.settings.origin}${scimPath}`,
        })),
      ),
    ],
  },
)

async function presentSources(tenancy: Tenancy, rows: readonly SourceRecord[]) {
  const [people, groups, last] = [
    await countBySource(tenancy, 'scim_users'),
    await countBySource(tenancy, 'scim_groups'),
    await findLastChanges(tenancy),
  ]
  return rows.map((row) => {
    const lastChange = last.get(row.id)
    return {
      id: row.id,
      name: row.name,
      invite: row.invite,
      answers: row.answers,
      connectedAt: row.connected_at.toISOString(),
      people: people.get(row.id) ?? 0,
      groups: groups.get(row.id) ?? 0,
      ...(lastChange === undefined ? {} : { lastChange: lastChange.toISOString() }),
    }
  })
}
