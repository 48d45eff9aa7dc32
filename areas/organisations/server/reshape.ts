// What changes the shape of the tree. Each holds the lock of the tree first, so that two moves never make a cycle and nothing loses its parent.

import { randomUUID } from 'node:crypto'
import { findRoles } from '#areas/roles/service.ts'
import { findPeople, fullName } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import type { FaultDetail } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Handlers, Viewer } from '#core/server/serve.ts'
import { dependants } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { checkBusinessNumber } from '../business-numbers.ts'
import { organisations } from '../contract.ts'
import { codeOf, dependantKinds, levelOf, mostLevels, mostOrganisations, moveFault, pathsTo } from '../rules.ts'
import { deleteOfOrganisation, listAtPaths } from './grant-store.ts'
import { countInBoth, countMembers, countMembersBelow, updateMembers } from './member-store.ts'
import { covers, needScope, scopeOf } from './scope.ts'
import {
  countBelow,
  countChildren,
  deleteRow,
  findChildren,
  findRow,
  haveSameChild,
  insertRows,
  lockRow,
  lockTree,
  updateCodes,
  updatePaths,
  updateRow,
  type OrganisationRecord,
  type Scope,
} from './store.ts'

type Reshaping = Pick<Handlers<typeof organisations>, 'add' | 'previewMove' | 'move' | 'previewMerge' | 'merge' | 'dependants' | 'remove'>

type Draft = {
  name: string
  type: OrganisationRecord['type']
  country: string
  businessNumber: string
  address: string
  contact: string
  note: string
}

/** The columns of what somebody wrote, a wrong business number with what is wrong. */
export function columnsOf({ businessNumber, country, ...draft }: Draft) {
  const { normalised, error = '' } = checkBusinessNumber(businessNumber, country)
  return { ...draft, country, business_number: normalised, number_fault: error }
}

export function refuseWrongNumber(
  { number_fault: says }: { number_fault: string },
  fault: (code: 'wrongNumber', detail: FaultDetail) => never,
): void {
  if (says !== '') fault('wrongNumber', { fields: [{ field: 'businessNumber', says }] })
}

/** Where it goes: below a parent that the scope covers, or to the top, which takes the whole. */
async function findTarget(
  tenancy: Tenancy,
  scope: Scope,
  parentId: string | undefined,
  fault: (code: 'unknownParent') => never,
): Promise<{ id: string | null; path: string }> {
  if (parentId === undefined) return scope.includes('') ? { id: null, path: '' } : fault('unknownParent')
  return (await findRow(tenancy, scope, parentId)) ?? fault('unknownParent')
}

/** The children go up or down by as many levels as the two are apart. */
const mergeFault = (path: string, longest: number, into: string) => moveFault(path, levelOf(' '.repeat(longest)) - 1, into)

/** Names who has which role by what stands at these paths, as far as the viewer's scope goes; nobody's name for who may not see people. */
async function rolesAt(tenancy: Tenancy, viewer: Viewer, scope: Scope, paths: readonly string[]) {
  const grants = await listAtPaths(
    tenancy,
    paths.filter((path) => covers(scope, path)),
  )
  const shownPeople = (await scopeOf(tenancy, viewer, 'userView')).includes('')
  const ids = [...new Set(grants.map(({ user_id }) => user_id))]
  const people = new Map((shownPeople ? await findPeople(tenancy.db, tenancy.tenantId, ids) : []).map((one) => [one.id, fullName(one)]))
  const roleIds = [...new Set(grants.map(({ role_id }) => role_id))]
  const roles = new Map((await findRoles(tenancy.db, tenancy.tenantId, roleIds)).map((one) => [one.id, one.name]))
  return (among: readonly string[]) =>
    grants
      .filter(({ path }) => among.includes(path))
      .map((grant) => ({ person: people.get(grant.user_id) ?? '', role: roles.get(grant.role_id) ?? '', from: grant.name }))
}

const codeAt = (path: string): string => path.slice(-codeOf(0).length)

export const reshaping: Reshaping = {
  async add({ parentId, keepWrongNumber, ...draft }, { tenancy, viewer, emit, fault }) {
    const scope = await needScope(tenancy, viewer, 'orgAdd')
    await lockTree(tenancy)
    const parent = await findTarget(tenancy, scope, parentId, fault)
    if (levelOf(parent.path) >= mostLevels) fault('tooDeep')
    if ((await countBelow(tenancy, '')).count >= mostOrganisations) fault('tooMany')
    const values = columnsOf(draft)
    if (!keepWrongNumber) refuseWrongNumber(values, fault)
    const id = randomUUID()
    const path = parent.path + codeOf(await updateCodes(tenancy, 1))
    await insertRows(tenancy, [{ id, parent_id: parent.id, path, ...values }])
    emit('added', { organisationId: id, name: draft.name, ...(parentId === undefined ? {} : { parentId }) }, id)
    return { id }
  },

  async previewMove({ id, parentId }, { tenancy, viewer, fault }) {
    const scope = await needScope(tenancy, viewer, 'orgEdit')
    const row = (await findRow(tenancy, scope, id)) ?? fault('missing')
    const target = await findTarget(tenancy, scope, parentId, fault)
    const { count, longest } = await countBelow(tenancy, row.path)
    const refused = moveFault(row.path, levelOf(' '.repeat(longest)), target.path)
    if (refused !== undefined) fault(refused)
    const before = pathsTo(row.path).slice(0, -1)
    const after = pathsTo(target.path)
    const named = await rolesAt(tenancy, viewer, scope, [...before, ...after])
    return {
      below: count - 1,
      people: await countMembersBelow(tenancy, row.path),
      gains: named(after.filter((path) => !before.includes(path))),
      loses: named(before.filter((path) => !after.includes(path))),
    }
  },

  async move({ id, parentId, version }, { tenancy, viewer, emit, fault }) {
    const scope = await needScope(tenancy, viewer, 'orgEdit')
    await lockTree(tenancy)
    const row = (await lockRow(tenancy, scope, id)) ?? fault('missing')
    if (version !== undefined && version !== row.version) fault('conflict')
    const target = await findTarget(tenancy, scope, parentId, fault)
    if (target.id === row.parent_id) return {}
    const { count, longest } = await countBelow(tenancy, row.path)
    const refused = moveFault(row.path, levelOf(' '.repeat(longest)), target.path)
    if (refused !== undefined) fault(refused)
    await updateRow(tenancy, id, { parent_id: target.id })
    await updatePaths(tenancy, row.path, target.path + codeAt(row.path))
    const places = { ...(row.parent_id === null ? {} : { fromId: row.parent_id }), ...(target.id === null ? {} : { toId: target.id }) }
    emit('moved', { organisationId: id, name: row.name, ...places, below: count - 1 }, id)
    return {}
  },

  async previewMerge({ id, intoId }, { tenancy, viewer, fault, house }) {
    const scope = await needScope(tenancy, viewer, 'orgEdit')
    const row = (await findRow(tenancy, scope, id)) ?? fault('missing')
    const target = (await findRow(tenancy, scope, intoId)) ?? fault('unknownParent')
    const { count, longest } = await countBelow(tenancy, row.path)
    const refused = mergeFault(row.path, longest, target.path)
    if (refused !== undefined) fault(refused)
    if (await haveSameChild(tenancy, id, intoId)) fault('nameTaken')
    const before = pathsTo(row.path).slice(0, -1)
    const after = pathsTo(target.path)
    const named = await rolesAt(tenancy, viewer, scope, [...before, row.path, ...after])
    return {
      below: count - 1,
      people: (await countMembers(tenancy, [id])).get(id) ?? 0,
      already: await countInBoth(tenancy, id, intoId),
      ends: named([row.path]),
      gains: named(after.filter((path) => !before.includes(path))),
      loses: named(before.filter((path) => !after.includes(path))),
      hinders: (await countOthers(house, tenancy, id)).filter((one) => one.count > 0),
    }
  },

  async merge({ id, intoId, version }, { tenancy, viewer, emit, fault, house }) {
    const scope = await needScope(tenancy, viewer, 'orgEdit')
    await lockTree(tenancy)
    const row = (await lockRow(tenancy, scope, id)) ?? fault('missing')
    if (version !== undefined && version !== row.version) fault('conflict')
    const target = (await lockRow(tenancy, scope, intoId)) ?? fault('unknownParent')
    const { longest } = await countBelow(tenancy, row.path)
    const refused = mergeFault(row.path, longest, target.path)
    if (refused !== undefined) fault(refused)
    const others = (await countOthers(house, tenancy, id)).filter(({ count }) => count > 0)
    if (others.length > 0) fault('dependants', { params: { what: wordsOf(others) } })
    for (;;) {
      const children = await findChildren(tenancy, [''], id, undefined, 100)
      for (const child of children) {
        await updateRow(tenancy, child.id, { parent_id: intoId })
        await updatePaths(tenancy, child.path, target.path + codeAt(child.path))
      }
      if (children.length === 0) break
    }
    await updateMembers(tenancy, id, intoId)
    await deleteOfOrganisation(tenancy, id)
    await deleteRow(tenancy, id)
    emit('merged', { organisationId: id, name: row.name, intoId }, id)
    return {}
  },

  async dependants({ id }, { tenancy, viewer, fault, house }) {
    const row = (await findRow(tenancy, await needScope(tenancy, viewer, 'orgView'), id)) ?? fault('missing')
    const counts = await countDependants(house, tenancy, row.id)
    return { blocks: counts.length > 0, counts }
  },

  async remove({ id }, { tenancy, viewer, emit, fault, house }) {
    const scope = await needScope(tenancy, viewer, 'orgEdit')
    await lockTree(tenancy)
    const row = (await lockRow(tenancy, scope, id)) ?? fault('missing')
    const counts = await countDependants(house, tenancy, id)
    if (counts.length > 0) fault('dependants', { params: { what: wordsOf(counts) } })
    await deleteOfOrganisation(tenancy, id)
    await deleteRow(tenancy, id)
    emit('deleted', { organisationId: id, name: row.name }, id)
    return {}
  },
}

type Counted = { kind: string; count: number; path: string }

const wordsOf = (counts: readonly Counted[]): string => counts.map(({ kind, count }) => `${kind}: ${count}`).join(', ')

/** What rooms above keep of it. */
async function countOthers(house: House, { db, tenantId, now }: Tenancy, id: string): Promise<Counted[]> {
  const counts: Counted[] = []
  for (const { record, count } of house.offers(dependants))
    if (record === 'organisation') counts.push(...(await count(db, tenantId, id, now)))
  return counts
}

async function countDependants(house: House, tenancy: Tenancy, id: string): Promise<Counted[]> {
  const children = (await countChildren(tenancy, [id])).get(id) ?? 0
  const people = (await countMembers(tenancy, [id])).get(id) ?? 0
  const own = [
    { kind: dependantKinds.below, count: children, path: to(organisations.screens.view, { id }, { tab: 'below' }) },
    { kind: dependantKinds.people, count: people, path: to(organisations.screens.view, { id }, { tab: 'people' }) },
  ]
  return [...own, ...(await countOthers(house, tenancy, id))].filter(({ count }) => count > 0)
}
