// From a finalised order to its certificate: the request takes the common path of the house, under a key of its own, so that it is one request however often it
// is asked for, and one certificate whoever dies meanwhile (invariant A1).

import { protocolRequestState, protocolViewer, requestByProtocol } from '#areas/certificates/protocols.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { problemOf, type Problem } from '#standards/acme/problem.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { acme } from '../contract.ts'
import { valuesOf } from '../rules.ts'
import { findOrder, stepOrder } from './order-store.ts'
import { findDirectory, type OrderRecord } from './store.ts'

/** Goes on with an order that was finalised, and answers it as it stands then. Whatever is undone is done, nothing twice. Not inside a transaction. */
export async function settleOrder(house: House, tenantId: string, order: OrderRecord): Promise<OrderRecord> {
  if (order.status !== 'processing') return order
  const requestId = order.request_id ?? (await requestFor(house, tenantId, order))
  if (requestId !== undefined) await concludeOrder(house, tenantId, order, requestId)
  return (await withTenancy(house, tenantId, (tenancy) => findOrder(tenancy, order.id))) ?? order
}

/** Makes the request of the order, or finds it. Undefined where it is refused, which ends the order. */
async function requestFor(house: House, tenantId: string, order: OrderRecord): Promise<string | undefined> {
  const { viewer, directory } = await withTenancy(house, tenantId, async (tenancy) => ({
    directory: await findDirectory(tenancy, order.directory_id),
    viewer:
      order.requester_id === null
        ? undefined
        : await protocolViewer(tenancy, { userId: order.requester_id, credentialId: order.directory_id }),
  }))
  if (viewer === undefined || directory === undefined || order.csr === null) {
    await fail(house, tenantId, order, problemOf('unauthorized', ownerGone(directory?.owner_name)))
    return undefined
  }
  const outcome = await requestByProtocol(house, {
    tenantId,
    viewer,
    templateId: order.template_id,
    csr: encodePem('CERTIFICATE REQUEST', order.csr),
    values: valuesOf(order.identifiers),
    key: `acme:${order.id}`,
    by: `ACME account ${order.account_id} (${directory.name})`,
    address: order.address,
  })
  if ('refused' in outcome) {
    await fail(house, tenantId, order, problemOf('badCSR', outcome.refused.map(({ says }) => says).join('; ')))
    return undefined
  }
  await withTenancy(house, tenantId, (tenancy) => stepOrder(tenancy, order.id, 'processing', { request_id: outcome.requestId }))
  return outcome.requestId
}

export const ownerGone = (name = 'Whoever made this directory'): string =>
  `${name}, in whose name this directory asks, may not ask for certificates now. Its administrator must save the directory again`

async function concludeOrder(house: House, tenantId: string, order: OrderRecord, requestId: string): Promise<void> {
  const state = await withTenancy(house, tenantId, ({ db }) => protocolRequestState(db, tenantId, requestId))
  if (state === undefined) return fail(house, tenantId, order, problemOf('serverInternal', 'The request is gone'))
  const { stage, certificateId, error } = state
  if (stage === 'issued' && certificateId !== undefined) {
    await house.work(tenantId, { name: 'ACME' }, async ({ tenancy, emitFor }) => {
      if (await stepOrder(tenancy, order.id, 'processing', { status: 'valid', certificate_id: certificateId }))
        emitFor(acme)('completed', { orderId: order.id, accountId: order.account_id, certificateId }, order.id)
    })
  } else if (stage === 'denied' || stage === 'withdrawn')
    await fail(house, tenantId, order, problemOf('unauthorized', error === '' ? 'The request was denied' : error))
  else if (stage === 'failed')
    await fail(house, tenantId, order, problemOf('serverInternal', error === '' ? 'It could not be issued' : error))
}

/** Ends an order that comes to nothing. What it would have replaced may be replaced by another. */
async function fail(house: House, tenantId: string, order: OrderRecord, problem: Problem): Promise<void> {
  await house.work(tenantId, { name: 'ACME' }, async ({ tenancy, emitFor }) => {
    if (await stepOrder(tenancy, order.id, 'processing', { status: 'invalid', error: problem }))
      emitFor(acme)(
        'refused',
        { accountId: order.account_id, orderId: order.id, what: 'finalize', problem: problem.type, detail: problem.detail },
        order.id,
      )
  })
}
