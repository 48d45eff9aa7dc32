// From a request to an operation that drives a card: it is taken under lock, its steps are told while they go, and why it stopped is written down.

import type { Call } from '#core/contract/contract.ts'
import { Fault } from '#core/server/fault.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import type { OperationKind } from '../rules.ts'
import { CardFault } from './agents/readers.ts'
import type { FoundReader } from './agents/readers.ts'
import { KeyNotTaken, PukUnknown } from './engine/access.ts'
import { reasonOf, stepsDone, takeCard, type Driving, type Step } from './engine/operation.ts'
import { faultOfCard } from './guarded.ts'
import { updateOperation } from './operation-store.ts'
import { type Acting } from './policy.ts'
import { updateFenced, type CardRecord, type Plan } from './store.ts'

export type Taken = Pick<Driving, 'cardId' | 'serial' | 'operationId' | 'fence' | 'plan' | 'status' | 'done'>

/** In the transaction that looked at the card; `began` where the operation is a new one. */
export async function takeFor(
  tenancy: Tenancy,
  { viewer }: Acting,
  { card, kind, plan }: { card: CardRecord; kind: OperationKind; plan: Plan },
  began: (operationId: string) => void = () => {},
): Promise<Taken> {
  const taken = await takeCard(tenancy, { card, kind, plan, viewer })
  if (taken === undefined) throw new CardFault('cardBusy')
  const { operation, isNew } = taken
  if (isNew) began(operation.id)
  return {
    cardId: card.id,
    serial: card.serial,
    operationId: operation.id,
    fence: operation.fence,
    plan: operation.plan,
    status: card.status,
    done: await stepsDone(tenancy, operation.id),
  }
}

/** Does the work of an operation. Throws the fault of the call. */
export async function drive<T>(
  acting: Acting,
  { found, taken, call, tell }: { found: FoundReader; taken: Taken; call: Pick<Call, 'faults'>; tell: (step: Step) => void },
  work: (driving: Driving) => Promise<T>,
): Promise<T> {
  const driving: Driving = { ...acting, ...taken, found, tell }
  try {
    return await work(driving)
  } catch (error) {
    await stop(driving, call, error)
    throw error
  }
}

/** Writes why an operation stopped. What the card has may be unknown then, and its status says so. */
async function stop(driving: Driving, call: Pick<Call, 'faults'>, error: unknown): Promise<void> {
  const fault = faultOfCard(call, error)
  const isWaiting = fault instanceof Fault && fault.code === 'waitsForApproval'
  const isUnknown = error instanceof KeyNotTaken || error instanceof PukUnknown
  await withTenancy(driving.house, driving.viewer.tenantId, async (tenancy) => {
    const says = fault instanceof Fault ? fault.message : reasonOf(fault)
    await updateOperation(
      tenancy,
      { id: driving.operationId, fence: driving.fence },
      { state: isWaiting ? 'waiting' : 'failed', error: says, lease_until: tenancy.now },
    )
    if (isUnknown) await updateFenced(tenancy, driving.cardId, driving.fence, { status: 'UNKNOWN' })
  }).catch((failure: unknown) => driving.house.log.error({ error: failure }, 'why an operation with a card stopped was not written'))
}

/** Gives what happens while work goes on, one after another, then what came of it. */
async function* following<E, T>(work: (tell: (event: E) => void) => Promise<T>): AsyncGenerator<E, T> {
  const waiting: (E | 'over')[] = []
  let news = Promise.withResolvers<void>()
  const put = (event: E | 'over') => {
    waiting.push(event)
    news.resolve()
  }
  const working = work(put).finally(() => put('over'))
  // It is awaited below; until then its failure is nobody's.
  working.catch(() => {})
  for (;;) {
    await news.promise
    news = Promise.withResolvers()
    for (const event of waiting.splice(0)) {
      if (event === 'over') return working
      yield event
    }
  }
}

/** Steps, then what came of them. What goes on goes on although nobody looks: the card is not left in the middle because a page was closed. */
export async function* streamed<T>(work: (tell: (step: Step) => void) => Promise<T>): AsyncGenerator<{ step?: Step; done?: T }> {
  const steps = following<Step, T>(work)
  for (;;) {
    const next = await steps.next()
    if (next.done === true) {
      yield { done: next.value }
      return
    }
    yield { step: next.value }
  }
}
