// What goes on by itself: orders that a server left behind or that wait, renewals whose time has come, and the question to authorities when that is.

import { findCertificates } from '#areas/certificates/service.ts'
import { forEach } from '#core/server/each.ts'
import type { House } from '#core/server/house.ts'
import type { JobHandlers } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { ariIdOf } from '#standards/acme/ari.ts'
import { ordering } from '../contract.ts'
import { earliestRenewal } from '../rules.ts'
import { beginRenewal } from './drive.ts'
import { findDue, findToAsk, findToRenew, listObtained, lockOrder, updateOrder } from './order-store.ts'
import { askRenewal, renewalPatch } from './renewal.ts'
import { countRunning, driveSoon, ordersIdle } from './running.ts'
import { accountKey } from './steps.ts'
import { findAuthority, type OrderRecord } from './store.ts'
import { openSession, OrderFault } from './wire.ts'

const mostAtATime = 50

async function renewDue(house: House, tenantId: string): Promise<void> {
  const due = await withTenancy(house, tenantId, (tenancy) => findToRenew(tenancy, mostAtATime))
  await forEach(due, ({ id }) =>
    house.work(tenantId, { name: 'ACME orders' }, async ({ tenancy, emitFor }) => {
      const order = await lockOrder(tenancy, id)
      if (order?.step !== 'done' || !order.renews || order.renew_at === null || order.renew_at > tenancy.now) return
      const earliest = await earliestFor(tenancy, order)
      if (earliest !== undefined && earliest > tenancy.now) return void (await updateOrder(tenancy, id, { renew_at: earliest }))
      await beginRenewal(tenancy, order)
      emitFor(ordering)(
        'renewalDue',
        { orderId: id, ...(order.certificate_id === null ? {} : { certificateId: order.certificate_id }) },
        id,
      )
    }),
  )
}

async function earliestFor(tenancy: Tenancy, { id, not_before: notBefore, not_after: notAfter }: OrderRecord): Promise<Date | undefined> {
  const obtained = await listObtained(tenancy, id)
  return earliestRenewal(obtained, notBefore === null || notAfter === null ? undefined : { notBefore, notAfter })
}

/** Asks authorities whether something is to be renewed sooner: where they will revoke it, they say so here. */
async function askDue(house: House, tenantId: string, until: number): Promise<void> {
  const due = await withTenancy(house, tenantId, (tenancy) => findToAsk(tenancy, mostAtATime))
  /** Authorities that did not answer: the other orders would wait for them in vain. */
  const silent = new Set<string>()
  await forEach(due, async (order) => {
    if (performance.now() > until) return
    const { authority, key, certificate } = await withTenancy(house, tenantId, async (tenancy) => {
      const found = await findAuthority(tenancy, order.authority_id)
      const id = order.certificate_id ?? ''
      return {
        authority: found,
        key: found && (await accountKey(tenancy, house, found)),
        certificate: id === '' ? undefined : (await findCertificates(tenancy.db, tenantId, [id], tenancy.now)).get(id)?.certificate,
      }
    })
    const suggested =
      authority === undefined || key === undefined || certificate === undefined || silent.has(order.authority_id)
        ? undefined
        : await openSession(house, tenantId, {
            place: { directoryUrl: authority.directory_url, roots: authority.roots },
            account: { key, accountUrl: authority.account_url ?? undefined },
            nonce: undefined,
          })
            .then((session) => askRenewal(session, ariIdOf(certificate), house.now()))
            .catch((error: unknown) => {
              if (!(error instanceof OrderFault)) throw error
              if (error.type === 'connection') silent.add(order.authority_id)
              return undefined
            })
    const now = house.now()
    // An authority that says nothing now keeps what it said before.
    const patch = suggested === undefined ? { ari_check_at: new Date(now.getTime() + 6 * 3_600_000) } : renewalPatch(order, suggested, now)
    await withTenancy(house, tenantId, (tenancy) => updateOrder(tenancy, order.id, patch))
  })
}

/** Renews what is due, and follows orders, only so many of a tenancy at a time. */
async function goOn(house: House, tenantId: string): Promise<void> {
  await renewDue(house, tenantId)
  const room = mostAtATime - countRunning(house, tenantId)
  if (room <= 0) return
  const due = await withTenancy(house, tenantId, (tenancy) => findDue(tenancy, room))
  for (const { id } of due) driveSoon(house, tenantId, id)
}

export const jobs: JobHandlers<typeof ordering> = {
  goOn: {
    async inTenancy({ house, tenantId, until }) {
      // First what is due already: an authority that does not answer holds up none of it.
      await goOn(house, tenantId)
      await askDue(house, tenantId, until)
      await goOn(house, tenantId)
      await ordersIdle(house, tenantId)
    },
  },
}
