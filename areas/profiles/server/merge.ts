// Two accounts of one person become one: what the person chose and what can go over, goes; what names the account that goes keeps it, as before a delete.

import { beyondOf } from '#areas/roles/power.ts'
import { rolesOf } from '#areas/roles/service.ts'
import { requireFreshProof } from '#areas/sessions/proof.ts'
import { attributeAccess, attributeGroupNames, attributeList, attributeNamed } from '#areas/users/attributes.ts'
import { inviteWhereOutgrown } from '#areas/users/invitations.ts'
import { personMoves } from '#areas/users/moves.ts'
import { presentPerson } from '#areas/users/presenter.ts'
import { dependantsOf, removeAccount } from '#areas/users/removal.ts'
import {
  changeAccount,
  findAttributes,
  findPerson,
  fullName,
  holdPerson,
  updateAttributes,
  type AccountFields,
  type Person,
} from '#areas/users/service.ts'
import { invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Handlers, Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import type { profiles } from '../contract.ts'
import { listSealedGroups } from './store.ts'

type Fault = (code: 'same' | 'yourself' | 'missing' | 'beyond' | 'administrator', detail?: { params: Record<string, string> }) => never
type Pair = { keep: Person; other: Person }

/** Refuses whom the viewer may not change and whom nobody may take away so. */
async function needPair(
  house: Pick<House, 'offers'>,
  tenancy: Tenancy,
  viewer: Viewer,
  { keep, other }: { keep: Person | undefined; other: Person | undefined },
  fault: Fault,
): Promise<Pair> {
  if (keep === undefined || other === undefined) return fault('missing')
  if (keep.id === other.id) fault('same')
  if ([keep.id, other.id].includes(viewer.userId)) fault('yourself')
  const more = [...(await beyondOf(house, tenancy, other.id, viewer)), ...(await beyondOf(house, tenancy, keep.id, viewer))]
  if (more.length > 0) fault('beyond', { params: { permissions: [...new Set(more)].slice(0, 5).join(', ') } })
  const held = await rolesOf(tenancy.db, tenancy.tenantId, other.id)
  if (held.some(({ builtIn }) => builtIn === 'administrator')) fault('administrator')
  return { keep, other }
}

/** The values that the viewer may choose between: both are read, and the one that stays can be changed. */
async function choices(tenancy: Tenancy, viewer: Viewer, { keep, other }: Pair): Promise<{ name: string; keep: string; other: string }[]> {
  const kept = await findAttributes(tenancy, [keep.id, other.id])
  const [here, there] = [keep, other].map((person): Record<string, string> => ({ ...presentPerson(person), ...kept.get(person.id) }))
  const readable = attributeAccess.readable(viewer, 'all')
  const writable = attributeAccess.writable(viewer, 'all')
  return attributeList
    .filter(({ name, source }) => (source === 'account' || source === 'kept') && name !== 'username')
    .filter(({ name }) => readable.has(name) && writable.has(name))
    .map(({ name }) => ({ name, keep: here?.[name] ?? '', other: there?.[name] ?? '' }))
    .filter((one) => one.other !== '' && one.other !== one.keep)
}

const moving = async (house: Pick<House, 'offers'>, tenancy: Tenancy, { keep, other }: Pair) => {
  const counts: { kind: string; moves: number; stays: number }[] = []
  for (const { kind, count } of house.offers(personMoves)) counts.push({ kind, ...(await count(tenancy, other.id, keep.id)) })
  return counts.filter(({ moves, stays }) => moves + stays > 0)
}

export const merging: Pick<Handlers<typeof profiles>, 'previewMerge' | 'merge'> = {
  async previewMerge({ id, otherId }, { tenancy, viewer, fault, house }) {
    const { db, tenantId } = tenancy
    const found = { keep: await findPerson(db, tenantId, id), other: await findPerson(db, tenantId, otherId) }
    const pair = await needPair(house, tenancy, viewer, found, fault)
    const sealed = await listSealedGroups(tenancy, otherId)
    return {
      keep: { name: fullName(pair.keep), username: pair.keep.username },
      other: { name: fullName(pair.other), username: pair.other.username },
      fields: await choices(tenancy, viewer, pair),
      moves: await moving(house, tenancy, pair),
      sealed: attributeGroupNames.filter((name) => sealed.includes(name)),
      blocks: await dependantsOf(house, tenancy, otherId),
    }
  },

  async merge({ id, otherId, take }, { tenancy, viewer, emit, fault, house, now }) {
    const { db, tenantId } = tenancy
    // In one order, so that two merges of the same people wait for each other.
    const held = new Map<string, Person | undefined>()
    for (const one of [id, otherId].toSorted()) held.set(one, await holdPerson(db, tenantId, one))
    const pair = await needPair(house, tenancy, viewer, { keep: held.get(id), other: held.get(otherId) }, fault)
    await requireFreshProof(house, db, viewer, now)
    const offered = new Map((await choices(tenancy, viewer, pair)).map((one) => [one.name, one.other]))
    const unknown = take.find((name) => !offered.has(name))
    if (unknown !== undefined) throw invalidField('take', say`${unknown} cannot be taken over`)
    const what = await dependantsOf(house, tenancy, otherId)
    if (what.length > 0) fault('dependants', { params: { what: what.join(', ') } })
    const moved = await moving(house, tenancy, pair)
    for (const { move } of house.offers(personMoves)) await move(tenancy, otherId, id)
    // First the one goes, so that its address and its identifier are free.
    await removeAccount(house, tenancy, { id: otherId, username: pair.other.username })
    const taken = (source: 'account' | 'kept') =>
      Object.fromEntries(take.filter((name) => attributeNamed(name)?.source === source).map((name) => [name, offered.get(name) ?? '']))
    await changeAccount(tenancy, pair.keep, taken('account') as Partial<AccountFields>)
    await updateAttributes(tenancy, id, taken('kept'))
    await inviteWhereOutgrown(house, tenancy, id)
    emit(
      'merged',
      {
        userId: id,
        otherId,
        username: pair.other.username,
        name: fullName(pair.other),
        fields: take,
        moved: moved.map(({ kind, moves }) => ({ kind, count: moves })),
      },
      id,
    )
    return {}
  },
}
