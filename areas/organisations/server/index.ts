import { roles } from '#areas/roles/contract.ts'
import { rolesInParts } from '#areas/roles/power.ts'
import { roleUses } from '#areas/roles/role-use-words.ts'
import { users } from '#areas/users/contract.ts'
import { inviteWhereOutgrown } from '#areas/users/invitations.ts'
import { personMoves } from '#areas/users/moves.ts'
import type { RemovalKind } from '#areas/users/removal-kinds.ts'
import { sightInParts } from '#areas/users/sight.ts'
import { to } from '#core/contract/paths.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import { offer } from '#core/contract/slots.ts'
import { exportAnswer } from '#core/server/export.ts'
import { commonFault } from '#core/server/fault.ts'
import { on, serve, type EndpointRequest } from '#core/server/serve.ts'
import { dependants, goesWithPerson, personalData } from '#core/server/slots.ts'
import { importTurn } from '#core/server/staged-import/staged-import.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { checkBusinessNumber } from '../business-numbers.ts'
import { organisations } from '../contract.ts'
import { organisationTypes } from '../rules.ts'
import { countOfRole, deleteOfPerson, listHolders, listOfPerson } from './grant-store.ts'
import { importing, organisationImport } from './imports.ts'
import { countMembers, deletePerson, insertMembers, listOfPeople } from './member-store.ts'
import { ofPeople } from './people.ts'
import { findAbove, lineOf, presentRows } from './presenter.ts'
import { columnsOf, refuseWrongNumber, reshaping } from './reshape.ts'
import { covers, heldInParts, needScope, rolesInPartsOf, scopeOf, within as withinScope } from './scope.ts'
import {
  countChildren,
  findChildren,
  findNamed,
  findPage,
  findRow,
  findRows,
  listAfter,
  lockRow,
  updateRow,
  type OrganisationRecord,
} from './store.ts'

const onOnePage = 100

export default serve(
  organisations,
  {
    ...reshaping,
    ...ofPeople,
    ...importing,

    async search({ within, ...question }, { tenancy, viewer, fault }) {
      const scope = await needScope(tenancy, viewer, 'orgView')
      const inside = within === undefined ? undefined : ((await findRow(tenancy, scope, within)) ?? fault('missing'))
      const { rows, total } = await findPage(tenancy, inside === undefined ? scope : withinScope(scope, inside.path), question)
      return { rows: await presentRows(tenancy, scope, rows), total: Math.min(total, countedUpTo), more: total > countedUpTo }
    },

    async read({ id }, { tenancy, viewer, fault }) {
      const scope = await needScope(tenancy, viewer, 'orgView')
      const row = (await findRow(tenancy, scope, id)) ?? fault('missing')
      const [shown] = await presentRows(tenancy, scope, [row])
      return {
        ...(shown ?? fault('missing')),
        address: row.address,
        contact: row.contact,
        note: row.note,
        parents: (await findAbove(tenancy, scope, [row])).get(row.path) ?? [],
        children: (await countChildren(tenancy, [id])).get(id) ?? 0,
        addedAt: row.added_at.toISOString(),
        modifiedAt: row.modified_at.toISOString(),
        version: row.version,
        mayAdd: covers(await scopeOf(tenancy, viewer, 'orgAdd'), row.path),
        mayEdit: covers(await scopeOf(tenancy, viewer, 'orgEdit'), row.path),
      }
    },

    async tree({ parentId, after }, { tenancy, viewer, fault }) {
      const scope = await needScope(tenancy, viewer, 'orgTree')
      if (parentId !== undefined && (await findRow(tenancy, scope, parentId)) === undefined) fault('missing')
      const found = await findChildren(tenancy, scope, parentId, after, onOnePage + 1)
      const rows = found.slice(0, onOnePage)
      const ids = rows.map(({ id }) => id)
      const children = await countChildren(tenancy, ids)
      const people = await countMembers(tenancy, ids)
      const editable = await scopeOf(tenancy, viewer, 'orgEdit')
      return {
        rows: rows.map(({ id, name, type, path }) => ({
          id,
          name,
          type,
          children: children.get(id) ?? 0,
          people: people.get(id) ?? 0,
          mayEdit: covers(editable, path),
        })),
        ...(found.length > onOnePage ? { next: rows.at(-1)?.name } : {}),
      }
    },

    async parents({ id }, { tenancy, viewer, fault }) {
      const scope = await needScope(tenancy, viewer, 'orgView')
      const row = (await findRow(tenancy, scope, id)) ?? fault('missing')
      return [...((await findAbove(tenancy, scope, [row])).get(row.path) ?? []), { id, name: row.name }]
    },

    types: async (_input, { tenancy, viewer }) => {
      await needScope(tenancy, viewer, 'orgView')
      return [...organisationTypes]
    },

    async autocomplete({ text }, { tenancy, viewer }) {
      const scope = await needScope(tenancy, viewer, 'orgView')
      const rows = await findNamed(tenancy, scope, text, onOnePage)
      const above = await findAbove(tenancy, scope, rows)
      return rows.map(({ id, name, path }) => ({ id, name, path: lineOf(above.get(path), name) }))
    },

    checkNumber: async ({ number, country }) => checkBusinessNumber(number, country),

    async change({ id, version, keepWrongNumber, ...draft }, { tenancy, viewer, emit, fault }) {
      const row = (await lockRow(tenancy, await needScope(tenancy, viewer, 'orgEdit'), id)) ?? fault('missing')
      if (version !== undefined && version !== row.version) fault('conflict')
      const values = columnsOf(draft)
      const fields = Object.entries(values).flatMap(([field, value]) => (Reflect.get(row, field) === value ? [] : [field]))
      if (fields.length === 0) return {}
      // One that was wrong already, as from a file, keeps nobody from changing the rest.
      if (!keepWrongNumber && fields.includes('business_number')) refuseWrongNumber(values, fault)
      await updateRow(tenancy, id, values)
      emit('changed', { organisationId: id, name: draft.name, fields }, id)
      return {}
    },
  },
  {
    jobs: { imports: { inTenancy: importTurn(organisationImport) } },
    endpoints: { export: { handle: exportAll } },
    offers: [
      offer(sightInParts, heldInParts),
      offer(rolesInParts, rolesInPartsOf),
      offer(dependants, {
        record: 'role',
        count: async (db, tenantId, roleId) => [
          { kind: roleUses.parts.label, count: await countOfRole({ db, tenantId }, roleId), path: to(organisations.screens.tree) },
        ],
      }),
      offer(personMoves, {
        kind: 'memberships',
        count: async (tenancy, fromId) => ({ moves: (await listOfPeople(tenancy, [fromId])).length, stays: 0 }),
        move: async (tenancy, fromId, toId) =>
          insertMembers(
            tenancy,
            (await listOfPeople(tenancy, [fromId])).map(({ id }) => ({ organisationId: id, userId: toId })),
          ),
      }),
      offer(goesWithPerson, async (tenancy, userId) => [
        { kind: 'memberships' satisfies RemovalKind, count: (await listOfPeople(tenancy, [userId])).length },
        { kind: 'partRoles' satisfies RemovalKind, count: (await listOfPerson(tenancy, userId)).length },
      ]),
      offer(personalData, async (db, tenantId, userId) => {
        await deletePerson({ db, tenantId }, userId)
        await deleteOfPerson({ db, tenantId }, userId)
      }),
    ],
    subscriptions: [
      // As the room of users does for those who have the role in the tenancy: who knew the open link knew an account that held less.
      on(roles.events.changed, async ({ tenantId, about: roleId }, house) => {
        await house.work(tenantId, { name: 'Invitations' }, async ({ tenancy, emitFor }) => {
          for (const userId of await listHolders(tenancy, roleId))
            if (await inviteWhereOutgrown(house, tenancy, userId)) emitFor(users)('invited', { userId }, userId)
        })
      }),
    ],
    records: {
      organisation: {
        names: async (tenancy, ids) => (await findRows(tenancy, ids)).map(({ id, name }) => ({ id, name, path: pathOf(id) })),
        seek: async (tenancy, { text, most }) => (await findNamed(tenancy, [''], text, most)).map(({ id }) => id),
        search: async (tenancy, { text, most }) => {
          const rows = await findNamed(tenancy, [''], text, most)
          const above = await findAbove(tenancy, [''], rows)
          return rows.map(({ id, name, path, business_number }) => ({
            id,
            label: name,
            detail: [...(above.get(path) ?? []).map((one) => one.name), business_number].filter((one) => one !== '').join(' · '),
            path: pathOf(id),
          }))
        },
      },
    },
  },
)

const pathOf = (id: string): string => to(organisations.screens.view, { id })

/** Each with the line of those above it, so that the file can be read by whoever has no tree. */
async function exportAll({ viewer, house, facts, now }: EndpointRequest) {
  if (viewer === undefined) throw commonFault('not_logged_in')
  const { tenantId, userId } = viewer
  type Row = OrganisationRecord & { above: string }
  const read = (after: Row | undefined, size: number) =>
    withTenancy(house, tenantId, async (tenancy: Tenancy): Promise<Row[]> => {
      const rows = await listAfter(tenancy, [''], after?.path ?? '', size)
      const above = await findAbove(tenancy, [''], rows)
      return rows.map((row) => ({ ...row, above: (above.get(row.path) ?? []).map(({ name }) => name).join(' › ') }))
    })
  return exportAnswer<Row>({
    name: 'organisations',
    of: now,
    byteOrderMark: true,
    columns: {
      Name: ({ name }) => name,
      Above: ({ above }) => above,
      Type: ({ type }) => type,
      Country: ({ country }) => country,
      'Business number': (row) => row.business_number,
      Address: ({ address }) => address,
      Contact: ({ contact }) => contact,
      Note: ({ note }) => note,
      Id: ({ id }) => id,
    },
    read,
    ended: (rows) =>
      house.work(tenantId, { userId, name: actorOf(viewer), address: facts.address }, async ({ emitFor }) =>
        emitFor(organisations)('exported', { rows }),
      ),
  })
}
