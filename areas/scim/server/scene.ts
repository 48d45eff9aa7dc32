// What each request works with: the open transaction, the identity provider, and who answers for it.

import { beyondOf } from '#areas/roles/power.ts'
import { beyondInRoles, findRoles, holdAdministrators, rolesOf, setRoles, type Role } from '#areas/roles/service.ts'
import { users } from '#areas/users/contract.ts'
import { rightsHere } from '#areas/users/rights.ts'
import { findPeople, holdPerson } from '#areas/users/service.ts'
import type { ViewerPermission } from '#core/contract/permissions.ts'
import type { House, TenantWork } from '#core/server/house.ts'
import type { Resource } from '#standards/scim/patch.ts'
import { listGroupsOf, rolesGiven } from './group-store.ts'
import { findTaken, updateLink, type SourceRecord } from './store.ts'
import { refuse } from './wire.ts'

export type Scene = {
  house: House
  work: TenantWork
  source: SourceRecord
  viewer: { userId: string; permission: ViewerPermission }
  /** Who made the secret that the request came with. */
  madeBy?: string | undefined
}

/** A change that came in. */
export type Asked = {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  kind: 'Users' | 'Groups'
  id: string
  body: unknown
  ifMatch: string | undefined
  /** The client names attributes, and is answered with them whatever it changes (RFC 7644 3.5.2). */
  wantsResource?: boolean
}

/** `effect`: what it did, in words for the journal. */
export type Done = { status: number; resource?: Resource; etag?: string; location?: string; effect: string; userId?: string }

export const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Another tenancy's id is answered with the bytes of an id that there is not. */
export const missing = (): never => refuse('missing', 'There is nothing at this address')

export function refuseOtherVersion(asked: Pick<Asked, 'ifMatch'>, etag: string): void {
  if (asked.ifMatch === undefined || asked.ifMatch.trim() === '*') return
  const plain = (tag: string) => tag.trim().replace(/^W\//, '')
  if (!asked.ifMatch.split(',').some((one) => plain(one) === plain(etag)))
    refuse('precondition', 'It was changed since this version was read')
}

type Answered = Pick<Scene, 'house' | 'work' | 'source' | 'madeBy'>
type Answerer = { says: string; userId: string; permission: ViewerPermission | undefined; homeTenantId: string | undefined }

/** Whose rights bound an identity provider: whoever answers for it, and whoever made the secret that was sent. No permission where that account is disabled or gone. */
async function answerersOf({ work, source, madeBy }: Answered): Promise<Answerer[]> {
  const { db, tenantId } = work.tenancy
  const answerer = async (userId: string, says: string): Promise<Answerer> => {
    const rights = await rightsHere(db, tenantId, userId)
    return { says, userId, permission: rights?.permission, homeTenantId: rights?.person.tenantId }
  }
  return [
    await answerer(source.answers_id, 'whoever answers for this identity provider'),
    ...(madeBy === undefined || madeBy === source.answers_id
      ? []
      : [await answerer(madeBy, 'whoever made the secret of this identity provider')]),
  ]
}

/** Whether one of them has left. Then it may take away and disable, because people who leave must lose what they had, and nothing else. */
export const isUnanswered = async (scene: Answered): Promise<boolean> =>
  (await answerersOf(scene)).some(({ permission }) => permission === undefined)

/** Refuses what they may not do by hand. */
export async function needAnswererTo(scene: Answered, needed: 'userAdd' | 'userEdit'): Promise<void> {
  for (const { says, permission } of await answerersOf(scene)) {
    if (permission === undefined)
      refuse('forbidden', `Disabled or gone is ${says}. It takes away and disables, and gives nothing before somebody connects it again`)
    else if (!permission.api.includes(needed)) refuse('forbidden', `The permission ${needed} is not held by ${says}`)
  }
}

/** An identity provider does no more than they could do by hand; who has left is not asked. */
export async function needWithin(scene: Answered, held: readonly Role[], before: string): Promise<void> {
  for (const { says, permission } of await answerersOf(scene))
    if (permission !== undefined && beyondInRoles(held, permission).length > 0) refuse('forbidden', `${before} ${says}`)
}

/** The same of all that a person has, from wherever. */
export async function needPersonWithin(scene: Answered, userId: string, before = 'The person holds more than'): Promise<void> {
  for (const { says, permission, ...answerer } of await answerersOf(scene))
    if (permission !== undefined && (await beyondOf(scene.house, scene.work.tenancy, userId, { ...answerer, permission })).length > 0)
      refuse('forbidden', `${before} ${says}`)
}

/** An identity provider that is wrong, or was taken over, does not lock everybody out. */
export async function keepAnAdministrator({ work }: Pick<Scene, 'work'>): Promise<void> {
  const { db, tenantId } = work.tenancy
  const administrators = await findPeople(db, tenantId, await holdAdministrators(db, tenantId))
  if (!administrators.some(({ enabled, activated }) => enabled && activated))
    refuse('forbidden', 'Nobody would be left who can sign in and holds the Administrator role')
}

/** Gives and takes the roles that groups of this identity provider give; all others stay. */
export async function settleRoles(scene: Omit<Scene, 'viewer'>, userIds: readonly string[]): Promise<void> {
  const { tenancy, emitFor } = scene.work
  const { db, tenantId } = tenancy
  // Held in one order, so that no change by hand is overwritten and no two requests wait for each other.
  for (const userId of userIds.toSorted()) await holdPerson(db, tenantId, userId)
  const unanswered = await isUnanswered(scene)
  const givenNow = await rolesGiven(tenancy, scene.source.id)
  const taken = await findTaken(tenancy, scene.source.id, userIds)
  const groups = await listGroupsOf(tenancy, scene.source.id, userIds)
  for (const userId of userIds) {
    const given = new Set([...givenNow, ...(taken.get(userId) ?? [])])
    if (given.size === 0) continue
    await updateLink(
      tenancy,
      { source_id: scene.source.id, user_id: userId },
      {
        roles_due: false,
        roles_taken: [],
        roles_refused_at: null,
      },
    )
    const byGroups = await findRoles(db, tenantId, [
      ...new Set(groups.filter(({ user_id }) => user_id === userId).flatMap(({ role_ids }) => role_ids)),
    ])
    const held = await rolesOf(db, tenantId, userId)
    const wanted = unanswered ? byGroups.filter(({ id }) => held.some((role) => role.id === id)) : byGroups
    const after = [...held.filter(({ id }) => !given.has(id)), ...wanted].map(({ id }) => id)
    if (after.length === held.length && held.every(({ id }) => after.includes(id))) continue
    await needPersonWithin(scene, userId, 'A role of the person or the group holds more than')
    await needWithin(scene, wanted, 'A role of the person or the group holds more than')
    const change = await setRoles(db, tenantId, userId, after)
    if (change.taken.length > 0) await keepAnAdministrator(scene)
    emitFor(users)('changed', { userId, fields: [], ...change }, userId)
  }
}

/** So many are settled with the request; the job does the rest. */
export const mostAtOnce = 100

/** `roleIds`: what the group gives, judged now for all of them, since the job no longer knows with which secret the request came. */
export async function settleOrDefer(scene: Scene, userIds: readonly string[], roleIds: readonly string[]): Promise<void> {
  const { db, tenantId } = scene.work.tenancy
  if (userIds.length > mostAtOnce) await needWithin(scene, await findRoles(db, tenantId, roleIds), 'A role of the group holds more than')
  await settleRoles(scene, userIds.slice(0, mostAtOnce))
  for (const user_id of userIds.slice(mostAtOnce))
    await updateLink(scene.work.tenancy, { source_id: scene.source.id, user_id }, { roles_due: true })
}
