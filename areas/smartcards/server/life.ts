// What becomes of a card's certificates when the card is suspended, taken back into use, lost or revoked. Its status follows them: it moves when all of them
// have moved, so that nobody takes a card for revoked whose certificates are good.

import { protocolRequestState } from '#areas/certificates/protocols.ts'
import { holdByProtocol, releaseByProtocol, revokeByProtocol } from '#areas/revocation/protocols.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { smartcards } from '../contract.ts'
import { losable, revocable, suspendable, type CardStatus } from '../rules.ts'
import { listBecoming, listReplacing } from './life-store.ts'
import { findUnfinished, isHalfMade, listMade, updateState } from './operation-store.ts'
import { actorOf, type Acting } from './policy.ts'
import { findBySerial, findCardRow, lockCard, raiseFence, updateCard, type CardChange, type CardRecord, type SlotRecord } from './store.ts'

/** The first is what is wrong, where something is. */
type NotMoved = { refused: 'wrongStatus' | 'cardBusy'; status: CardStatus }
export type Moved = { status: CardStatus; certRevokeError?: string } | NotMoved
export type RevokeReason = 'keyCompromise' | 'cessationOfOperation' | 'superseded' | 'affiliationChanged'
type Order = { tenantId: string; certificateId: string; by: string; address: string; actorId: string }

const good: readonly string[] = ['revoked', 'alreadyRevoked', 'released', 'notOnHold', 'over']
const words: Readonly<Record<string, string>> = {
  waiting: 'others must agree first',
  alreadyPending: 'others must agree first',
  own: 'somebody else has put it on hold',
  missing: 'it is gone',
}

/** A card by its id, or by the serial number that other calls use. */
export const findNamed = async (tenancy: Tenancy, named: string | { serial?: string | undefined }): Promise<CardRecord | undefined> =>
  typeof named === 'string'
    ? findCardRow(tenancy, named)
    : named.serial === undefined || named.serial === ''
      ? undefined
      : findBySerial(tenancy, named.serial)

export async function isBusy(tenancy: Tenancy, cardId: string): Promise<boolean> {
  const unfinished = await findUnfinished(tenancy, cardId)
  return unfinished?.state === 'running' && unfinished.lease_until > tenancy.now
}

const isRegistered = (status: CardStatus) => status !== 'UNREGISTERED'

/** Raises the fence of a card before its certificates change, so that no operation which began earlier ends afterwards. */
export async function beginMove(
  tenancy: Tenancy,
  cardId: string,
  fits: (status: CardStatus) => boolean = isRegistered,
): Promise<{ fence: string } | NotMoved> {
  const { status = 'UNREGISTERED' } = (await lockCard(tenancy, cardId)) ?? {}
  if (!fits(status)) return { refused: 'wrongStatus', status }
  if (await isBusy(tenancy, cardId)) return { refused: 'cardBusy', status }
  return { fence: await raiseFence(tenancy, cardId) }
}

/** Gives up the operation that stopped, before the status changes. Refuses where somebody took the card in the meantime, because what they made is not looked at. */
export async function endMove(
  tenancy: Tenancy,
  cardId: string,
  fence: string,
  fits: (status: CardStatus) => boolean = isRegistered,
): Promise<NotMoved | undefined> {
  const { status = 'UNREGISTERED', fence: now } = (await lockCard(tenancy, cardId)) ?? {}
  if (!fits(status)) return { refused: 'wrongStatus', status }
  if (now !== fence) return { refused: 'cardBusy', status }
  const unfinished = await findUnfinished(tenancy, cardId)
  if (unfinished !== undefined) await updateState(tenancy, unfinished.id, 'abandoned')
  return undefined
}

/** Finds the certificate of a key, also where it was issued after its operation stopped. */
export const certificateOfSlot = async (
  { db, tenantId }: Tenancy,
  { certificate_id: known, request_id: requestId }: SlotRecord,
): Promise<string | undefined> =>
  known ?? (requestId === null ? undefined : (await protocolRequestState(db, tenantId, requestId))?.certificateId)

/** Does the same with each certificate of the card; answers what did not happen and why. */
export async function forCertificates(
  { house, viewer, address }: Acting,
  cardId: string,
  act: (order: Order) => Promise<string>,
  list: (tenancy: Tenancy, cardIds: readonly string[]) => Promise<SlotRecord[]> = listMade,
): Promise<string | undefined> {
  const { tenantId, userId, username } = viewer
  const made = await withTenancy(house, tenantId, (tenancy) => list(tenancy, [cardId]))
  const failed: string[] = []
  for (const row of made) {
    const { slot } = row
    const certificateId = await withTenancy(house, tenantId, (tenancy) => certificateOfSlot(tenancy, row))
    if (certificateId === undefined) continue
    const outcome = await act({ tenantId, certificateId, by: `Card desk: ${username}`, address, actorId: userId })
    if (!good.includes(outcome)) failed.push(`${slot}: ${words[outcome] ?? outcome}`)
  }
  return failed.length === 0 ? undefined : failed.join('; ')
}

type Move = {
  from: readonly CardStatus[]
  status: CardStatus
  act: (order: Order) => Promise<string>
  /** Asked with the card locked, before its certificates change. */
  bars?: (tenancy: Tenancy) => Promise<boolean>
  change?: (tenancy: Tenancy) => CardChange
  event: 'suspended' | 'resumed' | 'lost' | 'revoked'
  reason: string
}

async function move(acting: Acting, card: CardRecord, { from, status, act, bars, change, event, reason }: Move): Promise<Moved> {
  const { house, viewer } = acting
  const fits = (one: CardStatus) => from.includes(one)
  const began = await withTenancy(house, viewer.tenantId, async (tenancy): Promise<{ fence: string } | NotMoved> => {
    const begun = await beginMove(tenancy, card.id, fits)
    return !('refused' in begun) && (await bars?.(tenancy)) === true ? { refused: 'cardBusy', status: card.status } : begun
  })
  if ('refused' in began) return began
  const certRevokeError = await forCertificates(acting, card.id, act)
  if (certRevokeError !== undefined) return { status: card.status, certRevokeError }
  return house.work(viewer.tenantId, actorOf(acting), async ({ tenancy, emitFor, afterCommit }) => {
    const refused = await endMove(tenancy, card.id, began.fence, fits)
    if (refused !== undefined) return refused
    // Some of its keys may be new and some not: which of its certificates are good is not known.
    const now = status === 'ISSUED' && (await isHalfMade(tenancy, card.id)) ? 'UNKNOWN' : status
    await updateCard(tenancy, card.id, { status: now, ...change?.(tenancy) })
    emitFor(smartcards)(event, { cardId: card.id, serial: card.serial, reason }, card.id)
    afterCommit(() => house.wake(smartcards.jobs.orphans))
    return { status: now }
  })
}

const ended: CardChange = { suspended_at: null, suspended_by: '', suspend_reason: '' }

export const revokeCard = (acting: Acting, card: CardRecord, reason: RevokeReason): Promise<Moved> =>
  move(acting, card, {
    from: revocable,
    status: 'REVOKED',
    act: (order) => revokeByProtocol(acting.house, { ...order, reason }),
    change: () => ended,
    event: 'revoked',
    reason,
  })

/** Its certificates are revoked as compromised: whoever has the card may know its PIN. */
export const reportLost = (acting: Acting, card: CardRecord): Promise<Moved> =>
  move(acting, card, {
    from: losable,
    status: 'LOST',
    act: (order) => revokeByProtocol(acting.house, { ...order, reason: 'keyCompromise' }),
    change: () => ended,
    event: 'lost',
    reason: 'keyCompromise',
  })

export const suspendCard = (acting: Acting, card: CardRecord, reason: string): Promise<Moved> =>
  move(acting, card, {
    from: suspendable,
    status: 'SUSPENDED',
    act: (order) => holdByProtocol(acting.house, order),
    change: ({ now }) => ({ suspended_at: now, suspended_by: acting.viewer.username, suspend_reason: reason }),
    event: 'suspended',
    reason,
  })

/** What stands for a card, and what is on its way to. */
const listStandIns = async (tenancy: Tenancy, cardId: string): Promise<CardRecord[]> => [
  ...new Map(
    [...(await listReplacing(tenancy, cardId)), ...(await listBecoming(tenancy, cardId))].map((card) => [card.id, card] as const),
  ).values(),
]

/** What stands for it goes first, also where its issue has stopped: never are both good at once. While one is being issued it is refused. */
export async function resumeCard(acting: Acting, card: CardRecord): Promise<Moved> {
  if (card.status !== 'SUSPENDED') return { refused: 'wrongStatus', status: card.status }
  for (const temporary of await withTenancy(acting.house, acting.viewer.tenantId, (tenancy) => listStandIns(tenancy, card.id))) {
    const gone = await revokeCard(acting, temporary, 'superseded')
    if ('refused' in gone) return gone
    if (gone.certRevokeError !== undefined) return { status: card.status, certRevokeError: `${temporary.serial}, ${gone.certRevokeError}` }
  }
  return move(acting, card, {
    from: ['SUSPENDED'],
    status: 'ISSUED',
    act: (order) => releaseByProtocol(acting.house, order),
    // Another one may have begun since; a later one finds that the fence was raised.
    bars: async (tenancy) => (await listStandIns(tenancy, card.id)).length > 0,
    change: () => ended,
    event: 'resumed',
    reason: '',
  })
}
