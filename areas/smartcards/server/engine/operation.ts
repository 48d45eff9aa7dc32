// One operation with a card: whoever drives it has the highest fence and a lease, each step is on record before it is done and after, and a later try goes on
// where this one stopped.

import type * as z from 'zod'
import { timeOrderedId } from '#core/server/events.ts'
import { Fault } from '#core/server/fault.ts'
import type { Viewer } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import type { PivCard } from '#standards/piv/client.ts'
import { say } from '#standards/say/say.ts'
import type { CardStatus, OperationKind } from '../../rules.ts'
import type { StepView } from '../../shapes.ts'
import { CardFault, withCard, type FoundReader } from '../agents/readers.ts'
import {
  findUnfinished,
  insertOperation,
  listSteps,
  putIntent,
  takeUpOperation,
  updateOperation,
  updateState,
  updateStep,
} from '../operation-store.ts'
import type { ActingAtCard } from '../policy.ts'
import {
  lockCard,
  raiseFence,
  updateFenced,
  type CardChange,
  type CardRecord,
  type OperationRecord,
  type Plan,
  type StepRecord,
} from '../store.ts'

export type Step = z.input<typeof StepView>
/** A card in a reader, with the highest fence. */
export type Holding = ActingAtCard & { found: FoundReader; cardId: string; serial: string; fence: string }
export type Driving = Holding & {
  viewer: Viewer
  operationId: string
  plan: Plan
  /** The status of the card when this try began. */
  status: CardStatus
  /** What an earlier try has done. */
  done: ReadonlySet<number>
  tell(step: Step): void
}

/** Long enough for the slowest card to make its largest key. */
const leaseMilliseconds = 300_000

/**
 * Compares days and not the end, because the end moves with each try. What the template asks for now counts: a key that was made before attestation
 * was demanded would otherwise pass for one that the card attested.
 */
const samePlan = (before: Plan, after: Plan) =>
  before.cardTemplateId === after.cardTemplateId &&
  before.userId === after.userId &&
  before.replacesId === after.replacesId &&
  before.days === after.days &&
  (before.attested ?? false) === (after.attested ?? false) &&
  sameSlots(before.slots, after.slots)

const sameSlots = (before: Plan['slots'], after: Plan['slots']): boolean =>
  before.length === after.length &&
  before.every(({ slot, algorithm, templateId }, at) => {
    const other = after[at]
    return slot === other?.slot && algorithm === other.algorithm && templateId === other.templateId
  })

/** Begins an operation, or takes up the one that stopped. Another plan gives the one before up. */
export async function takeCard(
  { db, tenantId, now }: Tenancy,
  { card, kind, plan, viewer }: { card: CardRecord; kind: OperationKind; plan: Plan; viewer: Viewer },
): Promise<{ operation: OperationRecord; isNew: boolean } | undefined> {
  const tenancy = { db, tenantId, now }
  const row = await lockCard(tenancy, card.id)
  const before = await findUnfinished(tenancy, card.id)
  if (row?.status !== card.status || (before?.state === 'running' && before.lease_until > now)) return undefined
  const fence = await raiseFence(tenancy, card.id)
  const lease = new Date(now.getTime() + leaseMilliseconds)
  if (before !== undefined && before.kind === kind && samePlan(before.plan, plan)) {
    await takeUpOperation(tenancy, before.id, { fence, lease_until: lease, by_id: viewer.userId, by_name: viewer.username })
    return { operation: { ...before, fence, lease_until: lease, state: 'running' }, isNew: false }
  }
  if (before !== undefined) await updateState(tenancy, before.id, 'abandoned')
  const operation: Omit<OperationRecord, 'tenant_id'> = {
    id: timeOrderedId(now),
    card_id: card.id,
    kind,
    state: 'running',
    plan,
    fence,
    lease_until: lease,
    error: '',
    by_id: viewer.userId,
    by_name: viewer.username,
    started_at: now,
    changed_at: now,
  }
  await insertOperation(tenancy, operation)
  return { operation: { tenant_id: tenantId, ...operation }, isNew: true }
}

/** Takes the card for a moment, without an operation of its own; what stopped stays as it is. Undefined while another drives it. */
export async function takeFence(tenancy: Tenancy, cardId: string): Promise<string | undefined> {
  await lockCard(tenancy, cardId)
  const before = await findUnfinished(tenancy, cardId)
  return before?.state === 'running' && before.lease_until > tenancy.now ? undefined : raiseFence(tenancy, cardId)
}

export const stepsDone = async (tenancy: Tenancy, operationId: string): Promise<Set<number>> =>
  new Set((await listSteps(tenancy, [operationId])).flatMap(({ n, done_at: done }) => (done === null ? [] : [n])))

export const inTenancy = <T>({ house, viewer }: Holding, work: (tenancy: Tenancy) => Promise<T>): Promise<T> =>
  withTenancy(house, viewer.tenantId, work)

/** Writes to the card's row while nobody newer drives it. */
export async function changeCard(driving: Holding, tenancy: Tenancy, change: CardChange): Promise<void> {
  if (!(await updateFenced(tenancy, driving.cardId, driving.fence, change))) throw new CardFault('cardBusy')
}

/** One transaction with the card, told to the client as what it is for. */
export const atCard = <T>({ found, serial, fence, viewer }: Holding, says: string, work: (card: PivCard) => Promise<T>): Promise<T> =>
  withCard(found, { says: say`${says} (${viewer.username})`, fencing: { card: serial, fence: Number(fence) }, expected: serial }, work)

type StepName = { n: number; name: string; slot?: string }

/** Does a step between its intent and its result; `write` is committed with the result. Nothing of a PIN or a key is in either. */
export async function runStep<T>(
  driving: Driving,
  { n, name, slot = '' }: StepName,
  work: () => Promise<T>,
  write: (tenancy: Tenancy, made: T) => Promise<void> = async () => {},
): Promise<T> {
  const step: Pick<StepRecord, 'operation_id' | 'n' | 'name' | 'slot'> = { operation_id: driving.operationId, n, name, slot }
  const shown = { n, name, ...(slot === '' ? {} : { slot }) }
  await inTenancy(driving, async (tenancy) => {
    const lease = new Date(tenancy.now.getTime() + leaseMilliseconds)
    const isOurs = await updateOperation(tenancy, { id: driving.operationId, fence: driving.fence }, { lease_until: lease })
    if (!isOurs) throw new CardFault('cardBusy')
    await putIntent(tenancy, step)
  })
  driving.tell({ ...shown, state: 'running' })
  try {
    const made = await work()
    await inTenancy(driving, async (tenancy) => {
      await write(tenancy, made)
      await updateStep(tenancy, step, { done_at: tenancy.now })
    })
    driving.tell({ ...shown, state: 'done' })
    return made
  } catch (error) {
    // The record of the operation says why it waits; nothing of this step has failed.
    if (error instanceof Fault && error.code === 'waitsForApproval') {
      driving.tell({ ...shown, state: 'waiting' })
      throw error
    }
    const says = reasonOf(error)
    driving.tell({ ...shown, state: 'failed', says })
    await inTenancy(driving, (tenancy) => updateStep(tenancy, step, { error: says })).catch(() => {})
    throw error
  }
}

/** What was not revoked; the card stays as it is then. */
export class NotRevoked extends Error {
  override name = 'NotRevoked'
}

/** For the record and the person: what is ours to say, and nothing of what went wrong inside. */
export const reasonOf = (error: unknown): string =>
  error instanceof CardFault
    ? (error.params['reason'] ?? sentences[error.code])
    : error instanceof Fault || error instanceof NotRevoked
      ? error.message
      : 'An unexpected error occurred'

const sentences: Readonly<Record<CardFault['code'], string>> = {
  noClient: 'No CMS Client connected',
  noReader: 'There is no such reader',
  readerTwice: 'Two machines have a card in a reader of this name',
  noCard: 'There is no card in the reader',
  otherCard: 'Another card is in the reader',
  cardGone: 'The card or its reader is gone',
  cardRefused: 'The card refused',
  cardBusy: 'Another operation drives this card',
  notPiv: 'The card has no PIV application, or tells nobody who it is',
}
