import { permissionsInUse } from '#core/contract/access.ts'
import { to } from '#core/contract/paths.ts'
import { permissions } from '#core/contract/permission-labels.ts'
import type { House } from '#core/server/house.ts'
import { serve } from '#core/server/serve.ts'
import { dependants } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { say } from '#standards/say/say.ts'
import { roles } from '../contract.ts'
import { dangerousAmong, dangerousPermissions, manyPeople } from '../creation.ts'
import { permitsOf } from '../groups.ts'
import { beyond, type Grants } from '../rules.ts'
import { addRole } from '../service.ts'
import { rolesMadeSince, rolesOfMany, rolesOfNobody, type LookedAt } from './creation-store.ts'
import { countMembers, countMembersOfBoth, deleteRow, findRow, findRows, lockRow, pageOfRoles, rowsNamed, updateRow } from './store.ts'

export default serve(
  roles,
  {
    async search(page, { db, viewer }) {
      const { rows, total } = await pageOfRoles(db, viewer.tenantId, page)
      return {
        rows: rows.map(({ id, name, description, built_in, people, api }) => ({
          id,
          name,
          description,
          builtIn: built_in !== null,
          people,
          permits: permitsOf(api),
        })),
        total,
      }
    },

    async creation({ days }, { tenancy, viewer, now }) {
      if (!viewer.permission.api.includes('roleView')) return { recent: none, nobody: none, dangerous: none }
      const since = new Date(now.getTime() - days * 86_400_000)
      return {
        recent: lookedAt(await rolesMadeSince(tenancy, since, mostLookedAt)),
        nobody: lookedAt(await rolesOfNobody(tenancy, mostLookedAt)),
        dangerous: lookedAt(await rolesOfMany(tenancy, dangerousPermissions, manyPeople, mostLookedAt)),
      }
    },

    async read({ id }, { db, viewer, fault }) {
      const { name, description, view, menu, api, built_in, version } = (await findRow(db, viewer.tenantId, id)) ?? fault('missing')
      return { id, name, description, view, menu, api, builtIn: built_in !== null, version }
    },

    async compare({ id, otherId }, { db, viewer, fault }) {
      const read = async (one: string) => {
        const row = (await findRow(db, viewer.tenantId, one)) ?? fault('missing')
        const { name, description, view, menu, api, built_in, version } = row
        const people = await countMembers(db, viewer.tenantId, one)
        return { id: one, name, description, view, menu, api, builtIn: built_in !== null, version, people }
      }
      return { role: await read(id), other: await read(otherId), both: await countMembersOfBoth(db, viewer.tenantId, id, otherId) }
    },

    async dependants({ id }, { db, tenancy, viewer, fault, house }) {
      if ((await findRow(db, viewer.tenantId, id)) === undefined) fault('missing')
      const counts = await usesOf(house, tenancy, id)
      return { people: await countMembers(db, viewer.tenantId, id), blocks: counts.length > 0, counts }
    },

    async grantable(_input, { viewer, house }) {
      const names = Object.keys(permissions)
      const inUse = permissionsInUse(house.contracts)
      return {
        permissions: Object.entries(permissions).map(([name, label]) => ({ name, label, inUse: inUse.has(name) })),
        blacklist: beyond({ view: names, menu: names, api: names }, viewer.permission),
      }
    },

    async add(draft, { db, viewer, emit, now, fault }) {
      refuseBeyond(draft, beyond(draft, viewer.permission), fault)
      const id = await addRole(db, viewer.tenantId, draft, now, actorOf(viewer))
      emit('added', { roleId: id, name: draft.name, view: draft.view, menu: draft.menu, api: draft.api }, id)
      return { id }
    },

    async change({ id, version, ...draft }, { db, viewer, emit, fault }) {
      const row = (await lockRow(db, viewer.tenantId, id)) ?? fault('missing')
      if (row.built_in !== null) fault('builtIn')
      // Neither what the role grants now nor what it shall grant may be more than the viewer holds: taking away is a power, too.
      refuseBeyond(row, beyond(row, viewer.permission), fault)
      refuseBeyond(draft, beyond(draft, viewer.permission), fault)
      if (version !== undefined && version !== row.version) fault('conflict')
      await updateRow(db, viewer.tenantId, id, draft)
      emit('changed', { roleId: id, name: draft.name, view: draft.view, menu: draft.menu, api: draft.api }, id)
      return {}
    },

    async remove({ id, people }, { db, tenancy, viewer, emit, fault, house }) {
      const row = (await lockRow(db, viewer.tenantId, id)) ?? fault('missing')
      if (row.built_in !== null) fault('builtIn')
      const more = beyond(row, viewer.permission)
      if (more.length > 0) fault('beyond', { params: { permissions: more.join(', ') } })
      const counts = await usesOf(house, tenancy, id)
      if (counts.length > 0) fault('dependants', { params: { what: counts.map(({ kind, count }) => `${kind}: ${count}`).join(', ') } })
      const held = await countMembers(db, viewer.tenantId, id)
      if (held > mostDeprived) fault('tooMany', { params: { most: mostDeprived } })
      const taken = await deleteRow(db, viewer.tenantId, id)
      // Who was given it since the question was asked was not meant; what was deleted by now comes back with the transaction.
      if (taken.length > people) fault('otherPeople', { params: { count: taken.length } })
      emit('deleted', { roleId: id, name: row.name, people: taken }, id)
      return {}
    },
  },
  {
    records: {
      role: {
        names: async ({ db, tenantId }, ids) => (await findRows(db, tenantId, ids)).map(({ id, name }) => ({ id, name, path: pathOf(id) })),
        seek: async ({ db, tenantId }, { text, most }) => (await rowsNamed(db, tenantId, text, most)).map(({ id }) => id),
        search: async ({ db, tenantId }, { text, most }) =>
          (await rowsNamed(db, tenantId, text, most)).map(({ id, name, description }) => ({
            id,
            label: name,
            detail: description,
            path: pathOf(id),
          })),
      },
    },
  },
)

const mostLookedAt = 20

/** So many lose a role at once: the event names each of them. */
const mostDeprived = 1_000

/** What names a role in rooms above, by kind. */
async function usesOf(house: Pick<House, 'offers'>, { db, tenantId, now }: Tenancy, id: string) {
  const counts: { kind: string; count: number; path: string }[] = []
  for (const { record, count } of house.offers(dependants))
    if (record === 'role') counts.push(...(await count(db, tenantId, id, now)).filter((one) => one.count > 0))
  return counts
}
const none = { total: 0, rows: [] }

const lookedAt = (rows: readonly LookedAt[]) => ({
  total: rows[0]?.total ?? 0,
  rows: rows.map((row) => ({
    id: row.id,
    name: row.name,
    builtIn: row.built_in !== null,
    people: row.people,
    ...(row.created_at === null ? {} : { createdAt: row.created_at.toISOString() }),
    createdBy: row.created_by,
    dangerous: dangerousAmong(row.api),
  })),
})

const pathOf = (id: string): string => to(roles.screens.view, { id })

type RoleFault = (code: 'beyond', detail: { params?: Record<string, string>; fields: { field: string; says: string }[] }) => never

function refuseBeyond(draft: Grants, names: readonly string[], fault: RoleFault): void {
  if (names.length === 0) return
  const fields = (['view', 'menu', 'api'] as const).flatMap((field) => {
    const there = draft[field].filter((name) => names.includes(name))
    return there.length === 0 ? [] : [{ field, says: say`You do not hold ${there.join(', ')}` }]
  })
  fault('beyond', { params: { permissions: names.join(', ') }, fields })
}
