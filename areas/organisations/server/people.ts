// The people of organisations, and the roles that people have in a part of the tree. A person's name is shown where one may see users.

import { beyondInRoles, findRoles } from '#areas/roles/service.ts'
import { users } from '#areas/users/contract.ts'
import { inviteWhereOutgrown } from '#areas/users/invitations.ts'
import { findPeople, findPerson, fullName, holdPerson, pageOfPeople } from '#areas/users/service.ts'
import type { Handlers } from '#core/server/serve.ts'
import type { organisations } from '../contract.ts'
import { pathsTo } from '../rules.ts'
import { deleteGrant, insertGrant, listAtPaths } from './grant-store.ts'
import { deleteMembers, idsOfMembers, insertMembers, listOfPeople } from './member-store.ts'
import { findAbove, lineOf } from './presenter.ts'
import { covers, needScope, reaches, scopeOf } from './scope.ts'
import { findRow, lockRow, lockRows } from './store.ts'

type OfPeople = Pick<Handlers<typeof organisations>, 'people' | 'ofPerson' | 'setOfPerson' | 'permissions' | 'setPermission'>

export const ofPeople: OfPeople = {
  async people({ id, below, text, ...page }, { db, tenancy, viewer, fault }) {
    const scope = await needScope(tenancy, viewer, 'orgView')
    const row = (await findRow(tenancy, scope, id)) ?? fault('missing')
    if (!covers(await scopeOf(tenancy, viewer, 'userView'), row.path)) fault('denied', { params: { permission: 'userView' } })
    const { people, total } = await pageOfPeople(db, viewer.tenantId, { text, among: idsOfMembers(viewer.tenantId, row.path, below) }, page)
    const places = await listOfPeople(
      tenancy,
      people.map((person) => person.id),
    )
    return {
      rows: people.map((person) => ({
        id: person.id,
        name: fullName(person),
        username: person.username,
        organisations: places
          .filter(({ user_id, path }) => user_id === person.id && covers(scope, path))
          .map((place) => ({ id: place.id, name: place.name })),
      })),
      total,
    }
  },

  async ofPerson({ userId }, { tenancy, viewer }) {
    const scope = await needScope(tenancy, viewer, 'orgView')
    const places = (await listOfPeople(tenancy, [userId])).filter(({ path }) => covers(scope, path))
    const above = await findAbove(tenancy, scope, places)
    return places.map(({ id, name, path }) => ({ id, name, path: lineOf(above.get(path), name) }))
  },

  async setOfPerson({ userId, organisationIds }, { db, tenancy, viewer, emit, fault }) {
    const scope = await needScope(tenancy, viewer, 'orgEdit')
    // Who may not see users anywhere names nobody by an id either.
    if ((await scopeOf(tenancy, viewer, 'userView')).length === 0) fault('denied', { params: { permission: 'userView' } })
    if ((await holdPerson(db, viewer.tenantId, userId)) === undefined) fault('missing')
    if (!(await reaches(tenancy, scope, userId))) fault('missing')
    const wanted = await lockRows(tenancy, scope, organisationIds)
    if (wanted.length !== new Set(organisationIds).size) fault('unknown')
    const held = (await listOfPeople(tenancy, [userId])).filter(({ path }) => covers(scope, path))
    const given = wanted.filter(({ id }) => !held.some((one) => one.id === id)).map(({ id }) => id)
    const taken = held.filter(({ id }) => !wanted.some((one) => one.id === id)).map(({ id }) => id)
    await deleteMembers(tenancy, userId, taken)
    await insertMembers(
      tenancy,
      given.map((organisationId) => ({ organisationId, userId })),
    )
    if (given.length + taken.length > 0) emit('joined', { userId, given, taken }, userId)
    return {}
  },

  async permissions({ id }, { db, tenancy, viewer, fault }) {
    const scope = await needScope(tenancy, viewer, 'orgView')
    const row = (await findRow(tenancy, scope, id)) ?? fault('missing')
    const grants = await listAtPaths(tenancy, pathsTo(row.path))
    const roles = new Map(
      (await findRoles(db, viewer.tenantId, [...new Set(grants.map(({ role_id }) => role_id))])).map((role) => [role.id, role.name]),
    )
    const named = covers(await scopeOf(tenancy, viewer, 'userView'), row.path)
    const ids = named ? [...new Set(grants.map(({ user_id }) => user_id))] : []
    const people = new Map((await findPeople(db, viewer.tenantId, ids)).map((person) => [person.id, fullName(person)]))
    const mayEdit = covers(await scopeOf(tenancy, viewer, 'orgEdit'), row.path)
    return {
      rows: grants.flatMap((grant) => {
        const role = roles.get(grant.role_id)
        return role === undefined
          ? []
          : [
              {
                userId: grant.user_id,
                person: people.get(grant.user_id) ?? '',
                roleId: grant.role_id,
                role,
                ...(grant.until === null ? {} : { until: grant.until.toISOString() }),
                ...(grant.organisation_id === id ? {} : { inherited: { id: grant.organisation_id, name: grant.name } }),
              },
            ]
      }),
      mayEdit,
    }
  },

  async setPermission({ id, userId, roleId, given, until }, { db, tenancy, viewer, house, emit, emitFor, now, fault }) {
    const scope = await needScope(tenancy, viewer, 'orgEdit')
    const row = (await lockRow(tenancy, scope, id)) ?? fault('missing')
    const [role] = await findRoles(db, viewer.tenantId, [roleId])
    if (role === undefined) return fault('unknownRole')
    const beyond = beyondInRoles([role], viewer.permission)
    if (beyond.length > 0) fault('beyond', { params: { permissions: beyond.slice(0, 5).join(', ') } })
    if (!given) {
      if (await deleteGrant(tenancy, { organisationId: id, userId, roleId }))
        emit('withdrawn', { organisationId: id, userId, roleId }, row.id)
      return {}
    }
    if (until !== undefined && new Date(until) <= now) fault('past')
    if ((await findPerson(db, viewer.tenantId, userId)) === undefined) fault('unknownPerson')
    if (!(await reaches(tenancy, scope, userId))) fault('unknownPerson')
    await insertGrant(tenancy, { organisationId: id, userId, roleId, until: until === undefined ? undefined : new Date(until) })
    emit('permitted', { organisationId: id, userId, roleId, ...(until === undefined ? {} : { until }) }, id)
    // Who knows the open link knew an account that held less.
    if (await inviteWhereOutgrown(house, tenancy, userId)) emitFor(users)('invited', { userId }, userId)
    return {}
  },
}
