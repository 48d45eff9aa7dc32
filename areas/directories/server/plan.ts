// What a sync would change: the directory is read in full, compared with whom it gave us before, and the differences are written down. Nothing else is written.

import { createHash, randomUUID } from 'node:crypto'
import { attributeNamed, readAttribute } from '#areas/users/attributes.ts'
import { UserDraft } from '#areas/users/contract.ts'
import { presentPerson } from '#areas/users/presenter.ts'
import { emailKey, findAttributes, findByEmail, findPeople, type Person } from '#areas/users/service.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { directories } from '../contract.ts'
import { brakeFor, countsOn, membersWithin, plainDn } from '../rules.ts'
import {
  DirectoryError,
  readDomainGroups,
  readGroups,
  readIds,
  readMark,
  readPeople,
  readPeopleOf,
  withDirectory,
  type Read,
} from './connection.ts'
import { isUnchanged, readEntraPeople, readMembers, withGraph } from './entra.ts'
import {
  discardWaiting,
  insertChanges,
  insertRun,
  listEntries,
  updateDelta,
  type ChangeRecord,
  type DirectoryRecord,
  type EntryRecord,
  type FieldChange,
} from './store.ts'

export type Planner = { userId?: string; name: string }
type Change = Omit<ChangeRecord, 'tenant_id' | 'run_id' | 'position' | 'state' | 'says'> & { says?: string }

/** A person of the directory with the roles that its groups give. */
type Listed = Read & { roleIds: string[] }

const hashOf = ({ values, roleIds }: Listed): string =>
  createHash('sha256')
    .update(JSON.stringify([Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)), roleIds]))
    .digest('base64url')

const nameOf = ({ values, dn }: Read): string =>
  [values['givenName'], values['familyName']].filter((part) => part !== undefined).join(' ') || (values['displayName'] ?? dn)

/**
 * `unchanged`: the directory says itself that nobody is otherwise than when a plan found nothing to do. `others` are there still, by their ids, and as they were then.
 */
type Everybody = { listed: Listed[]; others: string[]; unchanged: boolean; delta: string }

async function readEntra(house: House, directory: DirectoryRecord): Promise<Everybody> {
  return withGraph(house, directory, async (graph) => {
    // Who is in a group is not told with changes of people: where groups give roles, everything is read.
    const same = directory.group_roles.length === 0 ? await isUnchanged(graph) : undefined
    if (same !== undefined) return { listed: [], others: [], unchanged: true, delta: same.delta }
    const { people, delta } = await readEntraPeople(graph)
    const given: { roleId: string; members: Set<string> }[] = []
    for (const { group, roleId } of directory.group_roles) given.push({ roleId, members: await readMembers(graph, group) })
    const listed = people.map((person) => ({
      ...person,
      roleIds: [...new Set(given.filter(({ members }) => members.has(person.guid)).map(({ roleId }) => roleId))].sort(),
    }))
    return { listed, others: [], unchanged: false, delta }
  })
}

async function readAll(house: House, directory: DirectoryRecord, inFull: boolean): Promise<Everybody> {
  if (directory.kind === 'entra') return readEntra(house, directory)
  if (directory.kind === 'activeDirectory') return readActive(house, directory, inFull)
  const listed = await readLdap(house, directory)
  return { listed, others: [], unchanged: false, delta: '' }
}

async function readLdap(house: House, directory: DirectoryRecord): Promise<Listed[]> {
  return withDirectory(house, directory, async (client) => {
    const people = await readPeople(client, directory)
    const groups = directory.group_roles.length === 0 ? new Map<string, string[]>() : await readGroups(client, directory)
    return withRoles(directory, people, groups)
  })
}

function withRoles({ group_roles }: DirectoryRecord, people: readonly Read[], groups: ReadonlyMap<string, readonly string[]>): Listed[] {
  const given = group_roles.map(({ group, roleId }) => ({ roleId, members: membersWithin(group, groups) }))
  return people.map((person) => {
    const dn = plainDn(person.dn)
    return { ...person, roleIds: [...new Set(given.filter(({ members }) => members.has(dn)).map(({ roleId }) => roleId))].sort() }
  })
}

/**
 * A domain counts its changes: after a plan that found nothing to do, only who was changed since is read, and whom nobody here is made of yet; of the others that they are
 * there. Who is in a group is not told with changes of people, so where groups give roles everything is read; and so it is each night.
 */
async function readActive(house: House, directory: DirectoryRecord, inFull: boolean): Promise<Everybody> {
  return withDirectory(house, directory, async (client) => {
    // Read first: what is changed meanwhile is read again the next time.
    const mark = await readMark(client)
    const delta = mark === undefined ? '' : `${mark.counter} ${mark.changes}`
    const [counter = '', changes = ''] = directory.delta.split(' ')
    if (!inFull && directory.group_roles.length === 0 && mark !== undefined && countsOn({ counter, changes }, mark)) {
      const changed = await readPeople(client, directory, changes)
      const others = await readIds(client, directory)
      const strangers = await strangersAmong(house, directory, { changed, others })
      // Where most are strangers, all of them are read sooner in pages than by their ids.
      if (strangers.length <= others.length / 2) {
        const come = await readPeopleOf(client, directory, strangers)
        return { listed: withRoles(directory, [...changed, ...come], new Map()), others, unchanged: false, delta }
      }
    }
    const people = await readPeople(client, directory)
    if (directory.group_roles.length === 0) return { listed: withRoles(directory, people, new Map()), others: [], unchanged: false, delta }
    const { groups, byNumber } = await readDomainGroups(client, mark?.root ?? directory.base_dn)
    for (const { primaryGroup, dn } of people) {
      const group = primaryGroup === undefined ? undefined : byNumber.get(primaryGroup)
      if (group !== undefined) groups.get(group)?.push(dn)
    }
    return { listed: withRoles(directory, people, groups), others: [], unchanged: false, delta }
  })
}

/**
 * Who is there, was not changed, and did not come from this directory yet. Who comes in by a group that the filter names, or with a unit that was moved into the base, is
 * not changed by it: the domain counts the change of the group or the unit.
 */
async function strangersAmong(
  house: House,
  directory: DirectoryRecord,
  { changed, others }: { changed: readonly Read[]; others: readonly string[] },
): Promise<string[]> {
  const entries = await withTenancy(house, directory.tenant_id, (tenancy) => listEntries(tenancy, directory.id))
  const known = new Set([...entries, ...changed].map(({ guid }) => guid))
  return others.filter((guid) => !known.has(guid))
}

/** A value of the account as a form would take it. */
function readAccount(name: string, value: string): { value: string } | { says: string } {
  if (!isKeyOf(UserDraft.shape, name) || name === 'username') return { value }
  const read = UserDraft.shape[name].safeParse(value)
  return read.success && typeof read.data === 'string' ? { value: read.data } : { says: say`It does not fit` }
}

const isKeyOf = <T extends object>(object: T, name: string): name is keyof T & string => Object.hasOwn(object, name)

/** What the directory says and the person is not; a value that does not fit its attribute is left out. */
function differences(person: Person | undefined, kept: Readonly<Record<string, string>>, { values }: Read): FieldChange[] {
  const here: Readonly<Record<string, string>> = person === undefined ? {} : { ...presentPerson(person), ...kept }
  return Object.entries(values).flatMap(([name, there]) => {
    const attribute = attributeNamed(name)
    if (attribute === undefined || (name === 'username' && person !== undefined)) return []
    const read = attribute.source === 'kept' ? readAttribute(attribute, there) : readAccount(name, there)
    if ('says' in read || (here[name] ?? '') === read.value) return []
    return [{ name, here: here[name] ?? '', there: read.value }]
  })
}

/** Why nobody can be made of this entry; undefined where somebody can. */
function conflictOf({ values }: Read, taken: ReadonlySet<string>): string | undefined {
  const { givenName = '', familyName = '', emailAddress = '' } = values
  if (givenName === '' || familyName === '' || givenName.length > 80 || familyName.length > 80)
    return 'The directory has no given name or no family name, or one that is too long'
  if (!UserDraft.shape.emailAddress.safeParse(emailAddress).success) return 'The directory has no e-mail address'
  if (taken.has(emailKey(emailAddress)))
    return 'Somebody here has this e-mail address already; an account is never taken over by its address'
  return undefined
}

async function compare(
  tenancy: Tenancy,
  { listed, others }: Pick<Everybody, 'listed' | 'others'>,
  entries: readonly EntryRecord[],
): Promise<Change[]> {
  const { db, tenantId } = tenancy
  const known = new Map(entries.map((entry) => [entry.guid, entry]))
  const seen = new Set<string>()
  const moved: { read: Listed; entry: EntryRecord }[] = []
  const fresh: Listed[] = []
  for (const read of listed) {
    if (seen.has(read.guid)) continue
    seen.add(read.guid)
    const entry = known.get(read.guid)
    if (entry === undefined) {
      if (!read.disabled) fresh.push(read)
    } else if (entry.hash !== hashOf(read) || entry.disabled !== read.disabled) moved.push({ read, entry })
  }
  for (const guid of others) seen.add(guid)
  const gone = entries.filter(({ guid, disabled }) => !seen.has(guid) && !disabled)
  const people = new Map<string, Person>()
  const kept = new Map<string, Record<string, string>>()
  const ids = [...moved.map(({ entry }) => entry.user_id), ...gone.map((entry) => entry.user_id)]
  for (let at = 0; at < ids.length; at += 5_000) {
    for (const person of await findPeople(db, tenantId, ids.slice(at, at + 5_000))) people.set(person.id, person)
    for (const [id, values] of await findAttributes(tenancy, ids.slice(at, at + 5_000))) kept.set(id, values)
  }
  const taken = new Set<string>()
  const addresses = fresh.flatMap(({ values }) => (values['emailAddress'] === undefined ? [] : [emailKey(values['emailAddress'])]))
  for (let at = 0; at < addresses.length; at += 5_000)
    for (const person of await findByEmail(db, tenantId, addresses.slice(at, at + 5_000))) taken.add(emailKey(person.emailAddress))

  const changes: Change[] = []
  for (const { read, entry } of moved) {
    const person = people.get(entry.user_id)
    if (person === undefined) continue
    const base = { guid: read.guid, name: nameOf(read), user_id: person.id, role_ids: read.roleIds, hash: hashOf(read) }
    const fields = differences(person, kept.get(person.id) ?? {}, read)
    if (read.disabled && !entry.disabled) changes.push({ ...base, kind: 'disabled', fields })
    else if (!read.disabled && entry.disabled) changes.push({ ...base, kind: 'enabled', fields })
    else changes.push({ ...base, kind: 'changed', fields })
  }
  for (const { guid, user_id, hash } of gone) {
    const person = people.get(user_id)
    if (person?.enabled === true)
      changes.push({ kind: 'missing', guid, name: `${person.givenName} ${person.familyName}`, user_id, fields: [], role_ids: [], hash })
  }
  for (const read of fresh) {
    const says = conflictOf(read, taken)
    const base = { guid: read.guid, name: nameOf(read), user_id: null, role_ids: read.roleIds, hash: hashOf(read) }
    const address = read.values['emailAddress']
    if (says === undefined && address !== undefined) taken.add(emailKey(address))
    changes.push(
      says === undefined
        ? { ...base, kind: 'new', fields: differences(undefined, {}, read) }
        : { ...base, kind: 'conflict', fields: [], says },
    )
  }
  return changes
}

/** Reads, compares and writes the plan down. Throws `DirectoryError` where the directory was not read in full: then there is no plan at all. */
export async function makePlan(
  house: House,
  directory: DirectoryRecord,
  planner: Planner,
  inFull = false,
): Promise<{ id: string; held: boolean; changes: number }> {
  const { id: directoryId, tenant_id: tenantId } = directory
  const started = house.now()
  try {
    const everybody = await readAll(house, directory, inFull)
    const { listed, others, unchanged, delta } = everybody
    const seen = unchanged ? directory.seen : Math.max(listed.length, others.length)
    const { entries, changes } = await withTenancy(house, tenantId, async (tenancy) => {
      if (unchanged) return { entries: [], changes: [] }
      const known = await listEntries(tenancy, directoryId)
      return { entries: known, changes: await compare(tenancy, everybody, known) }
    })
    const missing = changes.filter(({ kind }) => kind === 'missing').length
    const linked = entries.filter(({ disabled }) => !disabled).length
    const reason = brakeFor({ seen, seenBefore: directory.seen, linked, missing }) ?? ''
    const id = randomUUID()
    await house.work(tenantId, planner, async ({ tenancy, emitFor }) => {
      await discardWaiting(tenancy, directoryId)
      const by = { planned_by: planner.userId ?? null, planner: planner.name }
      const status = reason === '' ? 'planned' : 'held'
      await insertRun(tenancy, { id, directory_id: directoryId, status, reason, seen, ...by })
      await insertChanges(
        tenancy,
        id,
        changes.map(({ says = '', ...change }, position) => ({ ...change, position, state: 'planned' as const, says })),
      )
      // From a plan that leaves something to do, the next one begins anew, because nobody knows whether it will be done. What nobody can be made of in a domain
      // does not count: there always is some, and the night looks at all of it again.
      const isDone = directory.kind === 'activeDirectory' ? changes.every(({ kind }) => kind === 'conflict') : changes.length === 0
      await updateDelta(tenancy, directoryId, isDone && reason === '' ? delta : '')
      emitFor(directories)('planned', { directoryId, planId: id, held: reason }, directoryId)
    })
    house.log.info({ directoryId, tenantId, seen, milliseconds: house.now().getTime() - started.getTime() }, 'a directory sync was planned')
    return { id, held: reason !== '', changes: changes.filter(({ kind }) => kind !== 'conflict').length }
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error
    const reason = error.message
    await house.work(tenantId, planner, async ({ tenancy, emitFor }) => {
      const by = { planned_by: planner.userId ?? null, planner: planner.name }
      await insertRun(tenancy, {
        id: randomUUID(),
        directory_id: directoryId,
        status: 'failed',
        reason: say`Failed to sync LDAP users: ${reason}`,
        seen: 0,
        ...by,
      })
      emitFor(directories)('failed', { directoryId, reason }, directoryId)
    })
    throw error
  }
}
