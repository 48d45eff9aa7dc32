// Groups by SCIM. A group is a group: roles come of it only where somebody here said so, whatever it is called.

import { linkTo, queueMail } from '#areas/mail/service.ts'
import { findPerson } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { message } from '#core/server/texts.ts'
import { say } from '#standards/say/say.ts'
import { fitsFilter } from '#standards/scim/filter.ts'
import { member, namesOf, readKey, readOperations, valuesIn, type Operation, type Resource } from '#standards/scim/patch.ts'
import { scim } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { mostRemoved, schemaOf, scimPath } from '../rules.ts'
import { deleteGroup, deleteMembers, insertGroup, insertMembers, listMembers, lockGroup, updateGroup } from './group-store.ts'
import {
  missing,
  needAnswererTo,
  refuseOtherVersion,
  settleOrDefer,
  settleRoles,
  uuid,
  type Asked,
  type Done,
  type Scene,
} from './scene.ts'
import { knownAmong, markDue, type GroupRecord } from './store.ts'
import { asRecord } from './users.ts'
import { refuse } from './wire.ts'

export const groupTag = ({ version }: Pick<GroupRecord, 'version'>): string => `W/"${version}"`

/** `members`: undefined leaves them out. */
export function presentGroup(origin: string, group: GroupRecord, members: readonly string[] | undefined): Resource {
  return {
    schemas: [schemaOf.group],
    id: group.id,
    ...(group.external_id === null ? {} : { externalId: group.external_id }),
    displayName: group.display_name,
    ...(members === undefined || members.length === 0
      ? {}
      : { members: members.map((value) => ({ value, $ref: `${origin}${scimPath}/Users/${value}`, type: 'User' })) }),
    meta: {
      resourceType: 'Group',
      created: group.created_at.toISOString(),
      lastModified: group.modified_at.toISOString(),
      location: `${origin}${scimPath}/Groups/${group.id}`,
      version: groupTag(group),
    },
  }
}

export async function changeGroup(scene: Scene, asked: Asked): Promise<Done> {
  if (asked.method === 'POST') return addGroup(scene, asked)
  const { tenancy, emitFor } = scene.work
  const group = uuid.test(asked.id) ? await lockGroup(tenancy, scene.source.id, asked.id) : undefined
  if (group === undefined) return missing()
  refuseOtherVersion(asked, groupTag(group))
  if (asked.method === 'DELETE') {
    const members = await listMembers(tenancy, group.id)
    if (group.role_ids.length > 0) {
      if (members.length > mostRemoved) hold(group, members.length)
      await markDue(tenancy, scene.source.id, group.id, group.role_ids)
    }
    await deleteGroup(tenancy, group.id)
    if (group.role_ids.length > 0) await settleRoles(scene, members)
    emitFor(scim)('groupRemoved', { groupId: group.id, sourceId: scene.source.id, name: group.display_name }, group.id)
    return { status: 204, effect: `Removed the group of ${members.length}` }
  }
  const change = asked.method === 'PUT' ? await wholeChange(tenancy, group, asked.body) : await partChange(tenancy, group, asked.body)
  return apply(scene, group, change, asked)
}

/** What one request makes of a group. */
type GroupChange = { name: string; externalId: string | null; add: string[]; remove: string[] }

const nameOf = (value: unknown): string => {
  if (typeof value !== 'string' || value.trim() === '' || value.length > 256)
    return refuse('invalidValue', 'displayName: send 1 to 256 characters')
  return value.trim()
}
const externalOf = (value: unknown): string | null => {
  if (value === undefined || value === null || value === '') return null
  return typeof value === 'string' && value.length <= 256 ? value : refuse('invalidValue', 'externalId: send at most 256 characters')
}
/** Those of one list that the other lacks; either may have 50,000. */
function without(ids: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return ids.filter((id) => !known.has(id))
}
const idsOf = (value: unknown): string[] => [...new Set(valuesIn(value ?? []).map((id) => id.toLowerCase()))]

async function addGroup(scene: Scene, asked: Asked): Promise<Done> {
  const { tenancy, emitFor } = scene.work
  await needAnswererTo(scene, 'userEdit')
  const body = asRecord(asked.body)
  const name = nameOf(member(body, 'displayName'))
  const id = timeOrderedId(tenancy.now)
  await insertGroup(tenancy, {
    id,
    source_id: scene.source.id,
    display_name: name,
    display_name_key: name.toLowerCase(),
    external_id: externalOf(member(body, 'externalId')),
  })
  const added = await takeIn(scene, id, idsOf(member(body, 'members')))
  emitFor(scim)('groupAdded', { groupId: id, sourceId: scene.source.id, name }, id)
  const group = (await lockGroup(tenancy, scene.source.id, id)) ?? missing()
  const resource = presentGroup(scene.house.settings.origin, group, await listMembers(tenancy, id))
  return {
    status: 201,
    resource,
    etag: groupTag(group),
    location: `${scene.house.settings.origin}${scimPath}/Groups/${id}`,
    effect: `Made the group ${name} of ${added.length}`,
  }
}

/** Members are people whom the same identity provider keeps in step; anybody else is refused by the id. */
async function takeIn(scene: Scene, groupId: string, ids: readonly string[]): Promise<string[]> {
  const strange = ids.find((id) => !uuid.test(id))
  const known = strange === undefined ? await knownAmong(scene.work.tenancy, scene.source.id, ids) : new Set<string>()
  const unknown = strange ?? ids.find((id) => !known.has(id))
  if (unknown !== undefined) return refuse('invalidValue', `members: there is no user ${unknown.slice(0, 60)}`)
  return insertMembers(scene.work.tenancy, groupId, ids)
}

async function wholeChange(tenancy: Tenancy, group: GroupRecord, body: unknown): Promise<GroupChange> {
  const sent = asRecord(body)
  const wanted = idsOf(member(sent, 'members'))
  const before = await listMembers(tenancy, group.id)
  return {
    name: nameOf(member(sent, 'displayName')),
    externalId: externalOf(member(sent, 'externalId')),
    add: without(wanted, before),
    remove: without(before, wanted),
  }
}

/** A group may have 50,000 members, so a request goes through all of them no more often. */
const mostReads = 4

async function partChange(tenancy: Tenancy, group: GroupRecord, body: unknown): Promise<GroupChange> {
  const change: GroupChange = { name: group.display_name, externalId: group.external_id, add: [], remove: [] }
  const add = new Set<string>()
  const remove = new Set<string>()
  const put = (ids: readonly string[], into: Set<string>, out: Set<string>) =>
    ids.forEach((id) => {
      into.add(id)
      out.delete(id)
    })
  let members: string[] | undefined
  let reads = 0
  const current = async () => {
    reads += 1
    if (reads > mostReads) refuse('invalidValue', `Operations: at most ${mostReads} may concern all members`)
    return (members ??= await listMembers(tenancy, group.id))
  }

  const one = async (attribute: string, { op, path, value }: Operation): Promise<void> => {
    switch (attribute.toLowerCase()) {
      case 'displayname':
        if (op === 'remove') refuse('mutability', 'displayName: a group has a name')
        change.name = nameOf(value)
        return
      case 'externalid':
        change.externalId = op === 'remove' ? null : externalOf(value)
        return
      case 'members': {
        const filter = path?.filter
        if (op === 'add') return put(idsOf(value), add, remove)
        if (op === 'replace') {
          const wanted = idsOf(value)
          put(without([...(await current()), ...add], wanted), remove, add)
          return put(wanted, add, remove)
        }
        if (filter !== undefined) {
          // By the id alone nothing has to be read: a group may have 50,000 members.
          const named =
            filter.kind === 'compare' && filter.operator === 'eq' && filter.path.toLowerCase() === 'value' ? filter.value : undefined
          if (typeof named === 'string') return put([named.toLowerCase()], remove, add)
          return put(
            (await current()).filter((id) => fitsFilter({ value: id, type: 'User' }, filter)),
            remove,
            add,
          )
        }
        if (value !== undefined && value !== null) return put(idsOf(value), remove, add)
        return put([...(await current()), ...add], remove, add)
      }
      // What else a group may have is not kept; `schemas` and `id` come along with each PATCH of some clients.
      default:
        return
    }
  }
  for (const operation of readOperations(body)) {
    if (operation.path !== undefined) await one(namesOf(operation.path.attribute)[0] ?? '', operation)
    else
      for (const [name, value] of Object.entries(asRecord(operation.value)))
        await one(namesOf(readKey(name).attribute)[0] ?? '', { ...operation, value })
  }
  return { ...change, add: [...add], remove: [...remove].filter((id) => uuid.test(id)) }
}

async function apply(scene: Scene, group: GroupRecord, change: GroupChange, { method, wantsResource }: Asked): Promise<Done> {
  const { tenancy, emitFor } = scene.work
  const removed = await deleteMembers(tenancy, group.id, change.remove)
  if (removed.length > mostRemoved) return hold(group, removed.length)
  const added = await takeIn(scene, group.id, change.add)
  if (added.length > 0) await needAnswererTo(scene, 'userEdit')
  const renamed = change.name !== group.display_name || change.externalId !== group.external_id
  if (renamed || added.length + removed.length > 0) {
    await updateGroup(tenancy, group.id, {
      display_name: change.name,
      display_name_key: change.name.toLowerCase(),
      external_id: change.externalId,
    })
    emitFor(scim)(
      'groupChanged',
      { groupId: group.id, sourceId: scene.source.id, name: change.name, added: added.length, removed: removed.length },
      group.id,
    )
  }
  if (group.role_ids.length > 0) await settleOrDefer(scene, [...added, ...removed], group.role_ids)
  const after = (await lockGroup(tenancy, scene.source.id, group.id)) ?? missing()
  const effect =
    renamed || added.length + removed.length > 0 ? `${added.length} members added, ${removed.length} removed` : 'Nothing was different'
  // Who changes a part of a large group does not want all of it back.
  if (method === 'PATCH' && wantsResource !== true) return { status: 204, etag: groupTag(after), effect }
  const resource = presentGroup(scene.house.settings.origin, after, await listMembers(tenancy, group.id))
  return { status: 200, resource, etag: groupTag(after), effect }
}

/** The brake: one request that takes so many out of a group is more often a mistake than meant. */
export class HeldBack extends Error {
  override name = 'HeldBack'
}
function hold(group: GroupRecord, count: number): never {
  throw new HeldBack(say`${group.display_name} would lose ${count} members at once. At most ${mostRemoved} go with one request`)
}

/** In a transaction of its own, since that of the request is undone. */
export async function tellOfHold({ house, source }: Pick<Scene, 'house' | 'source'>, reason: string): Promise<void> {
  await house.work(source.tenant_id, { name: 'SCIM' }, async ({ tenancy, emitFor }) => {
    emitFor(scim)('held', { sourceId: source.id, reason }, source.id)
    const person = await findPerson(tenancy.db, tenancy.tenantId, source.answers_id)
    if (person !== undefined)
      await queueMail(tenancy, {
        to: { userId: person.id, emailAddress: person.emailAddress },
        kind: 'provisioningHeld',
        subject: message(mailWords.held.subject, { name: source.name }),
        text: message(mailWords.held.text, { reason }),
        link: linkTo(house, to(scim.screens.view, { id: source.id })),
      })
  })
}
