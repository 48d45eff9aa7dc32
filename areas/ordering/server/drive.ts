// Takes orders from step to step: one server at a time, each step with its record, failures with a pause, renewals when their time has come.

import { findCertificates, markExternalReplaced } from '#areas/certificates/service.ts'
import { rightsHere } from '#areas/users/rights.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { ariIdOf } from '#standards/acme/ari.ts'
import { say } from '#standards/say/say.ts'
import { storable } from '#standards/storable/storable.ts'
import { ordering } from '../contract.ts'
import { isManual, pauseAfter, retryAfterSeconds, type Step } from '../rules.ts'
import { claimOrder, findOrder, insertAttempt, lockOrder, releaseOrder, updateOrder, type OrderPatch } from './order-store.ts'
import { cleanUp, storeObtained, takeStep, type Claimed, type Outcome } from './steps.ts'
import type { OrderRecord } from './store.ts'
import { OrderFault } from './wire.ts'

export const orderPermission = 'uploadLECert'

/** What an order is before its first step. */
export const untouched = {
  step: 'registration',
  failures: 0,
  problem: null,
  state: {},
  nonces: {},
  new_key_sealed: null,
  new_csr: null,
} satisfies OrderPatch

export type Taken = 'stepped' | 'waits' | 'failed' | 'busy'

/** What is tried again by itself also where nothing was obtained yet: nobody has refused anything. */
const passing = new Set(['connection', 'rateLimited', 'serverInternal', 'badNonce', 'taken'])

/** Takes one step, if the order stands at it and nobody else is at it. Not inside a transaction. */
export async function stepOrder(house: House, tenantId: string, id: string, step: Step): Promise<Taken> {
  const order = await withTenancy(house, tenantId, (tenancy) => claimOrder(tenancy, id, step))
  if (order === undefined) return 'busy'
  let outcome: Outcome
  try {
    if (!(await ownerMayOrder(house, tenantId, order))) throw new OrderFault('ownerGone', ownerGone(order.owner_name))
    outcome = await takeStep(house, tenantId, order)
  } catch (error) {
    await fail(house, tenantId, order, error)
    if (error instanceof OrderFault) return 'failed'
    throw error
  }
  return conclude(house, tenantId, order, outcome)
}

export const ownerGone = (name: string): string =>
  `${name}, whose order this is, may not order certificates now. Somebody else can take it over`

const ownerMayOrder = (house: House, tenantId: string, order: OrderRecord): Promise<boolean> =>
  withTenancy(house, tenantId, async ({ db }) => {
    const rights = await rightsHere(db, tenantId, order.owner_id)
    return rights?.permission.api.includes(orderPermission) ?? false
  })

const actorOf = ({ owner_id: userId, owner_name: name }: OrderRecord) => ({ userId, name })

async function conclude(house: House, tenantId: string, order: Claimed, outcome: Outcome): Promise<Taken> {
  const { patch } = outcome
  if ('wait' in outcome) {
    const next = new Date(house.now().getTime() + outcome.wait * 1_000)
    await withTenancy(house, tenantId, (tenancy) => releaseOrder(tenancy, order, { ...patch, next_at: next }))
    return 'waits'
  }
  const { next } = outcome
  // What a person has to put in its place is waited for.
  const stops = next === 'done' || (next === 'validation' && isManual(order.proof) && hasOpen(patch))
  await house.work(tenantId, actorOf(order), async ({ tenancy, emitFor }) => {
    const certificateId = 'obtained' in outcome ? await storeObtained(tenancy, order, outcome.obtained) : undefined
    const isMine = await releaseOrder(tenancy, order, {
      ...patch,
      step: next,
      next_at: tenancy.now,
      problem: null,
      ...(stops ? { runs: false } : {}),
      ...(next === 'done' ? { failures: 0 } : {}),
      ...(certificateId === undefined ? {} : { certificate_id: certificateId }),
    })
    if (!isMine) throw new OrderFault('taken', say`Another server goes on with this order`)
    await insertAttempt(tenancy, { order_id: order.id, step: order.step, outcome: 'done', detail: '' })
    if (order.step === 'registration') emitFor(ordering)('stepped', { orderId: order.id, step: order.step }, order.id)
    else if (certificateId === undefined) emitFor(ordering)('stepped', { orderId: order.id, step: order.step }, order.id)
    else {
      const before = order.certificate_id ?? undefined
      if (before !== undefined && before !== certificateId) await markExternalReplaced(tenancy.db, tenantId, before, tenancy.now)
      emitFor(ordering)(
        'obtained',
        { orderId: order.id, certificateId, ...(before === undefined ? {} : { replaces: before }) },
        certificateId,
      )
    }
  })
  return 'stepped'
}

const hasOpen = ({ state }: OrderPatch): boolean => (state?.authorizations ?? []).some(({ status }) => status === 'pending')

/** Writes down what failed. A renewal is tried again after a pause; a first order waits for a person, unless nobody has refused it. */
async function fail(house: House, tenantId: string, order: Claimed, error: unknown): Promise<void> {
  const isKnown = error instanceof OrderFault
  if (isKnown && error.type === 'taken') return
  // An authority may have said anything: what cannot be written down would be tried for ever.
  const problem = isKnown
    ? { type: storable(error.type, 100), detail: storable(error.message, 2_000) }
    : { type: 'serverInternal', detail: 'Something went wrong here' }
  const failures = order.failures + 1
  const again = isKnown ? retryAfterSeconds(error.retryAfter, house.now(), { otherwise: 1, most: 7 * 86_400 }) * 1_000 : 0
  const next = new Date(house.now().getTime() + Math.max(pauseAfter(failures), again))
  const isPassing = passing.has(problem.type)
  const goesOn = order.runs && problem.type !== 'ownerGone' && (isPassing || (order.certificate_id !== null && !isManual(order.proof)))
  await cleanUp(house, tenantId, (await withTenancy(house, tenantId, (tenancy) => findOrder(tenancy, order.id))) ?? order)
  await house.work(tenantId, actorOf(order), async ({ tenancy, emitFor }) => {
    const isMine = await releaseOrder(tenancy, order, { problem, failures, next_at: next, runs: goesOn })
    if (!isMine) return
    await insertAttempt(tenancy, { order_id: order.id, step: order.step, outcome: 'failed', detail: problem.detail })
    emitFor(ordering)('failed', { orderId: order.id, step: order.step, detail: storable(problem.detail, 500) }, order.id)
  })
}

const mostSteps = 12

/** Goes on with an order as far as it comes. Not inside a transaction. */
export async function driveOrder(house: House, tenantId: string, id: string): Promise<void> {
  for (let count = 0; count < mostSteps; count += 1) {
    const order = await withTenancy(house, tenantId, async (tenancy) => {
      const found = await lockOrder(tenancy, id)
      if (found === undefined || !found.runs || found.step === 'done' || found.next_at > tenancy.now) return undefined
      if (found.problem === null || passing.has(found.problem.type)) return found
      // What was refused is ordered anew from the beginning.
      await updateOrder(tenancy, id, { ...untouched, failures: found.failures, nonces: found.nonces, state: replacing(found.state) })
      return { ...found, ...untouched }
    })
    if (order === undefined || (await stepOrder(house, tenantId, id, order.step)) !== 'stepped') return
  }
}

const replacing = ({ replaces }: OrderRecord['state']): OrderRecord['state'] => (replaces === undefined ? {} : { replaces })

/** Begins the renewal of what was obtained, in the open transaction. */
export async function beginRenewal(tenancy: Tenancy, order: OrderRecord): Promise<void> {
  const { db, tenantId, now } = tenancy
  const { certificate_id: certificateId } = order
  const before = certificateId === null ? undefined : (await findCertificates(db, tenantId, [certificateId], now)).get(certificateId)
  const replaces = before && ariIdOf(before.certificate)
  await updateOrder(tenancy, order.id, {
    ...untouched,
    nonces: order.nonces,
    state: replaces === undefined ? {} : { replaces },
    runs: true,
    next_at: now,
    renew_at: null,
    ari_check_at: null,
  })
}
