// What other rooms may ask about organisations.

import { findRoles } from '#areas/roles/service.ts'
import type { Permission } from '#core/contract/permission-labels.ts'
import type { ViewerPermission } from '#core/contract/permissions.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { codeOf, type OrganisationType } from './rules.ts'
import { listOfPerson } from './server/grant-store.ts'
import { insertMembers } from './server/member-store.ts'
import { columnsOf } from './server/reshape.ts'
import { findRow, findRows, findRowsNamed, insertRows, lockTree, updateCodes } from './server/store.ts'

export type Organisation = { id: string; name: string }

/** Answers undefined where there is none in this tenancy. */
export async function findOrganisation(tenancy: Tenancy, id: string): Promise<Organisation | undefined> {
  const row = await findRow(tenancy, [''], id)
  return row && { id: row.id, name: row.name }
}

/** Those of these that there are. */
export const findOrganisations = async (tenancy: Tenancy, ids: readonly string[]): Promise<Organisation[]> =>
  (await findRows(tenancy, ids)).map(({ id, name }) => ({ id, name }))

/** Those that are called so, in capitals or not, by their name in small letters. Of several with one name none. */
export async function findOrganisationsNamed(tenancy: Tenancy, names: readonly string[]): Promise<Map<string, Organisation>> {
  const rows = Map.groupBy(await findRowsNamed(tenancy, names), ({ name }) => name.toLowerCase())
  return new Map(
    [...rows].flatMap(([key, found]) => found.slice(0, found.length === 1 ? 1 : 0).map(({ id, name }) => [key, { id, name }] as const)),
  )
}

export type PlannedOrganisation = {
  id: string
  parentId: string | undefined
  name: string
  type: OrganisationType
  country?: string
  businessNumber?: string
  people?: readonly string[]
}

/** Puts whole trees in at once, each parent before its children, for demonstrations and measurements. It leaves no event. */
export async function plantOrganisations(tenancy: Tenancy, planned: readonly PlannedOrganisation[]): Promise<void> {
  await lockTree(tenancy)
  const first = await updateCodes(tenancy, planned.length)
  const paths = new Map<string, string>()
  for (let from = 0; from < planned.length; from += 1_000) {
    const some = planned.slice(from, from + 1_000)
    await insertRows(
      tenancy,
      some.map(({ id, parentId, name, type, country = '', businessNumber = '' }, at) => {
        const path = (parentId === undefined ? '' : (paths.get(parentId) ?? '')) + codeOf(first + from + at)
        paths.set(id, path)
        const draft = { name, type, country, businessNumber, address: '', contact: '', note: '' }
        return { id, parent_id: parentId ?? null, path, ...columnsOf(draft) }
      }),
    )
    await insertMembers(
      tenancy,
      some.flatMap(({ id, people = [] }) => people.map((userId) => ({ organisationId: id, userId }))),
    )
  }
}

const ofTree = new Set<string>(['orgView', 'orgAdd', 'orgEdit', 'orgTree'] satisfies Permission[])

/** What a person may do in some part of the tree by roles given there: it opens the screens, whose calls judge each organisation. */
export async function permissionInParts(tenancy: Tenancy, userId: string): Promise<Pick<ViewerPermission, 'View' | 'Menu' | 'api'>> {
  const grants = await listOfPerson(tenancy, userId)
  const roles = await findRoles(tenancy.db, tenancy.tenantId, [...new Set(grants.map(({ role_id }) => role_id))])
  const names = (of: 'view' | 'menu' | 'api') => [...new Set(roles.flatMap((role) => role[of]))].filter((name) => ofTree.has(name))
  // The page of a person opens (`seeing` of users decides whose); the lists of all people, and what else asks for it, do not.
  const sees = roles.some(({ view, api }) => view.includes('userView') && api.includes('userView'))
  return { View: [...names('view'), ...(sees ? ['userView'] : [])], Menu: names('menu'), api: names('api') }
}
