import { permissions } from '#core/contract/permissions.ts'
import { brokenConstraint, type Database } from '#core/server/database.ts'
import { serve } from '#core/server/serve.ts'
import { roles } from '../contract.ts'
import { beyond, type Grants } from '../rules.ts'
import { addRole } from '../service.ts'
import { tables } from './store.ts'

export default serve(roles, {
  async search({ page, size, text, direction }, { db, viewer }) {
    const found = tables(db)
      .selectFrom('roles')
      .where('roles.tenant_id', '=', viewer.tenantId)
      .$if(text !== '', (query) => query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['roles.name']), all.val(text.toLowerCase())]), '>', 0)))
    const rows = await found
      .selectAll()
      .select((all) =>
        all
          .selectFrom('role_members')
          .whereRef('role_members.tenant_id', '=', 'roles.tenant_id')
          .whereRef('role_members.role_id', '=', 'roles.id')
          .select((inner) => inner.fn.countAll<number>().as('people'))
          .as('people'),
      )
      .orderBy('roles.name', direction)
      .limit(size)
      .offset((page - 1) * size)
      .execute()
    const { total } = await found.select((all) => all.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    return { rows: rows.map((row) => ({ id: row.id, name: row.name, description: row.description, builtIn: row.built_in !== null, people: row.people ?? 0 })), total }
  },

  async read({ id }, { db, viewer, fault }) {
    const row = (await findRow(db, viewer.tenantId, id)) ?? fault('missing')
    const { name, description, view, menu, api } = row
    return { id, name, description, view, menu, api, builtIn: row.built_in !== null }
  },

  async grantable(_input, { viewer }) {
    const names = Object.keys(permissions)
    return {
      permissions: Object.entries(permissions).map(([name, label]) => ({ name, label })),
      blacklist: beyond({ view: names, menu: names, api: names }, viewer.permission),
    }
  },

  async add(draft, { db, viewer, emit, now, fault }) {
    refuseBeyond(draft, beyond(draft, viewer.permission), fault)
    const id = await nameOnce(() => addRole(db, viewer.tenantId, draft, now), fault)
    emit('added', { roleId: id, name: draft.name, view: draft.view, menu: draft.menu, api: draft.api }, id)
    return { id }
  },

  async change({ id, ...draft }, { db, viewer, emit, fault }) {
    const row = (await findRow(db, viewer.tenantId, id)) ?? fault('missing')
    if (row.built_in !== null) fault('builtIn')
    // Neither what the role grants now nor what it shall grant may be more than the viewer holds: taking away is a power, too.
    refuseBeyond(row, beyond(row, viewer.permission), fault)
    refuseBeyond(draft, beyond(draft, viewer.permission), fault)
    await nameOnce(() => tables(db).updateTable('roles').set(draft).where('tenant_id', '=', viewer.tenantId).where('id', '=', id).execute(), fault)
    emit('changed', { roleId: id, name: draft.name, view: draft.view, menu: draft.menu, api: draft.api }, id)
    return {}
  },
})

const findRow = (db: Database, tenantId: string, id: string) =>
  tables(db).selectFrom('roles').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

type RoleFault = (code: 'beyond' | 'nameTaken', detail: { params?: Record<string, string>; fields: { field: string; says: string }[] }) => never

function refuseBeyond(draft: Grants, names: readonly string[], fault: RoleFault): void {
  if (names.length === 0) return
  const fields = (['view', 'menu', 'api'] as const).flatMap((field) => {
    const there = draft[field].filter((name) => names.includes(name))
    return there.length === 0 ? [] : [{ field, says: `You do not hold ${there.join(', ')}` }]
  })
  fault('beyond', { params: { permissions: names.join(', ') }, fields })
}

async function nameOnce<T>(write: () => Promise<T>, fault: RoleFault): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (brokenConstraint(error) === 'roles_by_name') fault('nameTaken', { fields: [{ field: 'name', says: 'A role with this name exists' }] })
    throw error
  }
}
