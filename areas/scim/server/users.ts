// People by SCIM: found, made, changed and disabled.

import { users } from '#areas/users/contract.ts'
import { inviteAnew } from '#areas/users/invitations.ts'
import {
  addPerson,
  changeAccount,
  findAttributes,
  findPeople,
  findPerson,
  holdPerson,
  invitedAmong,
  setAccountEnabled,
  updateAttributes,
  type Person,
} from '#areas/users/service.ts'
import { signInNameFor } from '#areas/users/sign-in-names.ts'
import type { FieldViewer } from '#core/contract/field-access.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { applyPatch, namesOf, readKey, readOperations, type Operation, type Resource } from '#standards/scim/patch.ts'
import { scim } from '../contract.ts'
import { deleteMembers, listGroupsOf } from './group-store.ts'
import {
  keepAnAdministrator,
  isUnanswered,
  missing,
  needAnswererTo,
  needPersonWithin,
  refuseOtherVersion,
  settleRoles,
  uuid,
  type Asked,
  type Done,
  type Scene,
} from './scene.ts'
import { findLink, findLinkByExternalId, findLinkNamed, insertLink, updateLink, type LinkRecord } from './store.ts'
import { presentUser, readUser, tagOf, type ReadUser, type Subject } from './user-resource.ts'
import { refuse } from './wire.ts'

/** All that is told of some people, in their order. */
export async function subjectsOf(tenancy: Tenancy, sourceId: string, links: readonly LinkRecord[]): Promise<Subject[]> {
  const ids = links.map(({ user_id }) => user_id)
  const people = new Map((await findPeople(tenancy.db, tenancy.tenantId, ids)).map((person) => [person.id, person]))
  const attributes = await findAttributes(tenancy, ids)
  const groups = await listGroupsOf(tenancy, sourceId, ids)
  return links.flatMap((link) => {
    const person = people.get(link.user_id)
    if (person === undefined) return []
    return [{ person, link, attributes: attributes.get(person.id) ?? {}, groups: groups.filter(({ user_id }) => user_id === person.id) }]
  })
}

/** One of those whom the identity provider keeps in step. */
export async function readSubject(tenancy: Tenancy, sourceId: string, id: string): Promise<Subject> {
  const link = uuid.test(id) ? await findLink(tenancy, sourceId, id) : undefined
  if (link === undefined || link.gone) return missing()
  const [subject] = await subjectsOf(tenancy, sourceId, [link])
  return subject ?? missing()
}

export const present = (viewer: FieldViewer, origin: string, subject: Subject): Resource => presentUser(viewer, origin, subject)

export async function changeUser(scene: Scene, asked: Asked): Promise<Done> {
  if (asked.method === 'POST') return addUser(scene, asked)
  const { tenancy } = scene.work
  if (!uuid.test(asked.id)) return missing()
  // Held first: two requests about one person come one after the other.
  await holdPerson(tenancy.db, tenancy.tenantId, asked.id)
  const subject = await readSubject(tenancy, scene.source.id, asked.id)
  const before = presentUser(scene.viewer, scene.house.settings.origin, subject)
  refuseOtherVersion(asked, tagOf({ ...before, meta: undefined }))
  const unanswered = await isUnanswered(scene)
  await needPersonWithin(scene, asked.id)
  if (asked.method === 'DELETE') return removeUser(scene, subject)
  const operations = asked.method === 'PUT' ? [] : readOperations(asked.body)
  const read = readUser(asked.method === 'PUT' ? asRecord(asked.body) : applyPatch(before, operations))
  const speaks = asked.method === 'PUT' || operations.some(isAboutActive)
  if (unanswered && speaks && read.active === false) {
    const [active] = await takeActive(scene, subject, false)
    return told(
      scene,
      asked.id,
      200,
      active === undefined ? 'Nothing was different' : 'Disabled the account, and changed nothing else of it',
    )
  }
  await needAnswererTo(scene, 'userEdit')
  const fields = await takeOver(scene, subject, speaks ? read : { ...read, active: undefined })
  return told(scene, asked.id, 200, fields.length === 0 ? 'Nothing was different' : `Changed ${fields.join(', ')}`)
}

/** Whether an operation says something of `active`, also among the values of one without a path. */
const isAboutActive = ({ path, value }: Operation): boolean =>
  (path === undefined
    ? Object.keys(asRecord(value)).map((name) => namesOf(readKey(name).attribute)[0])
    : [namesOf(path.attribute)[0]]
  ).some((name) => name?.toLowerCase() === 'active')

export const asRecord = (body: unknown): Resource =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Resource) : refuse('invalidSyntax', 'The body is no object')

async function told(scene: Scene, id: string, status: number, effect: string): Promise<Done> {
  const { origin } = scene.house.settings
  const resource = presentUser(scene.viewer, origin, await readSubject(scene.work.tenancy, scene.source.id, id))
  return { status, resource, etag: tagOf(resource), location: locationOf(resource), effect, userId: id }
}

export const locationOf = (resource: Resource): string => {
  const { meta } = resource
  return typeof meta === 'object' && meta !== null && 'location' in meta ? String(meta.location) : ''
}

async function addUser(scene: Scene, asked: Asked): Promise<Done> {
  const { source, work, house } = scene
  const { tenancy, emitFor } = work
  const { db, tenantId, now } = tenancy
  await needAnswererTo(scene, 'userAdd')
  const read = readUser(asRecord(asked.body))
  const key = read.userName.toLowerCase()
  const known =
    (await findLinkNamed(tenancy, source.id, key)) ??
    (read.externalId === undefined ? undefined : await findLinkByExternalId(tenancy, source.id, read.externalId))
  if (known?.gone === false) return refuse('uniqueness', 'userName or externalId: somebody of this identity provider has it')
  if (known !== undefined) return comeBack(scene, known, read)
  const { emailAddress, givenName, familyName } = read.account
  const username = await signInNameFor(db, tenantId, read.userName.replace(/@.*$/, ''))
  const id =
    (await addPerson(db, tenantId, { ...read.account, username, origin: 'scim' }, now)) ??
    refuse('uniqueness', 'userName was taken meanwhile')
  await updateAttributes(tenancy, id, read.attributes)
  await insertLink(tenancy, {
    source_id: source.id,
    user_id: id,
    user_name: read.userName,
    user_name_key: key,
    external_id: read.externalId ?? null,
  })
  emitFor(users)('added', { userId: id, roles: [] }, id)
  emitFor(scim)('linked', { userId: id, sourceId: source.id }, id)
  if (read.active === false) {
    await setAccountEnabled(tenancy, id, false)
    await updateLink(tenancy, { source_id: source.id, user_id: id }, { disabled_at: now, active_there: false })
    emitFor(users)('disabled', { userId: id }, id)
  } else if (source.invite && emailAddress !== '') {
    await inviteAnew(db, house, tenantId, { id, username, givenName, familyName, emailAddress }, now)
    emitFor(users)('invited', { userId: id }, id)
  }
  return told(scene, id, 201, `Made the user ${username}`)
}

/** Somebody whom the identity provider deleted is sent again: the account is the same. Its address stays in this request, for it leads to what it held. */
async function comeBack(scene: Scene, link: LinkRecord, read: ReadUser): Promise<Done> {
  const { tenancy } = scene.work
  const person = await holdPerson(tenancy.db, tenancy.tenantId, link.user_id)
  if (person === undefined) return missing()
  await needPersonWithin(scene, person.id)
  await updateLink(tenancy, link, { gone: false, active_there: null })
  const subject = await readSubject(tenancy, scene.source.id, person.id)
  await takeOver(scene, subject, {
    ...read,
    active: read.active ?? true,
    account: { ...read.account, emailAddress: person.emailAddress },
  })
  return told(scene, person.id, 201, 'Enabled the account that was deleted before')
}

async function removeUser(scene: Scene, { person, link, groups }: Subject): Promise<Done> {
  const { tenancy, emitFor } = scene.work
  for (const { id } of groups) await deleteMembers(tenancy, id, [person.id])
  await settleRoles(scene, [person.id])
  await updateLink(tenancy, link, { gone: true })
  if (person.enabled) await disable(scene, person)
  emitFor(scim)('removed', { userId: person.id, sourceId: scene.source.id }, person.id)
  return { status: 204, effect: 'Disabled the account; nothing of it was deleted', userId: person.id }
}

async function disable(scene: Scene, { id }: Pick<Person, 'id'>): Promise<void> {
  const { tenancy, emitFor } = scene.work
  await setAccountEnabled(tenancy, id, false)
  await updateLink(tenancy, { source_id: scene.source.id, user_id: id }, { disabled_at: tenancy.now, active_there: false })
  await keepAnAdministrator(scene)
  emitFor(users)('disabled', { userId: id }, id)
}

/** Writes what is different; answers the names of it. */
async function takeOver(scene: Scene, { person, attributes, link }: Subject, read: ReadUser): Promise<string[]> {
  const { source, work, house } = scene
  const { tenancy, emitFor } = work
  const { db, tenantId, now } = tenancy
  const id = person.id
  const fields: string[] = Object.entries(read.account).flatMap(([name, value]) => (Reflect.get(person, name) === value ? [] : [name]))
  const kept = Object.entries(read.attributes).flatMap(([name, value]) => ((attributes[name] ?? '') === value ? [] : [name]))
  if (fields.length > 0) await changeAccount(tenancy, person, read.account)
  if (kept.length > 0) await updateAttributes(tenancy, id, read.attributes)
  const key = read.userName.toLowerCase()
  const externalId = read.externalId ?? null
  const linked = [...(link.user_name === read.userName ? [] : ['userName']), ...(link.external_id === externalId ? [] : ['externalId'])]
  if (linked.length > 0) await updateLink(tenancy, link, { user_name: read.userName, user_name_key: key, external_id: externalId })
  const all = [...linked, ...fields, ...kept]
  if (all.length > 0) emitFor(scim)('updated', { userId: id, sourceId: source.id, fields: all }, id)
  const active = await takeActive(scene, { person, link }, read.active)
  // Who knows the open link knew another address.
  if (fields.includes('emailAddress') && (await invitedAmong(db, tenantId, [id], now)).length > 0) {
    const after = await findPerson(db, tenantId, id)
    if (after !== undefined) await inviteAnew(db, house, tenantId, after, now)
    emitFor(users)('invited', { userId: id }, id)
  }
  return [...all, ...active]
}

/**
 * Enables or disables as it is said. What was said before and is said once more undoes nothing that somebody here decided since, and whom somebody
 * here disabled by hand is not enabled.
 */
async function takeActive(scene: Scene, { person, link }: Pick<Subject, 'person' | 'link'>, said: boolean | undefined): Promise<string[]> {
  const { tenancy, emitFor } = scene.work
  const { id } = person
  if (said === undefined || said === link.active_there) return []
  await updateLink(tenancy, link, { active_there: said })
  if (said === person.enabled) return []
  if (!said) await disable(scene, person)
  else if (link.disabled_at === null || person.disabledAt?.getTime() !== link.disabled_at.getTime()) return []
  else {
    await setAccountEnabled(tenancy, id, true)
    emitFor(users)('enabled', { userId: id }, id)
  }
  return ['active']
}
