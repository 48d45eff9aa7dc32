// The straight way of a request that nobody must agree to and that brings its own key: request, serial, the bytes to be signed and the record of them in one
// commit; the signature; the certificate and its record in another. The commits are those of issue.ts, shared with whoever asks at the same time.
// Whatever stops it half-way leaves a request at `reserved`, which recovery takes up there.

import { hash } from 'node:crypto'
import type * as z from 'zod'
import { isRefusedByDatabase, type Send, type Statement } from '#core/server/batch.ts'
import { issuingEvents, type NewEvent } from '#core/server/events.ts'
import { AuditFailure } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { openLane, type Lane } from '#core/server/lane.ts'
import type { RequestFacts, Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { reserveTogether, signDrawn, storeDrawn, type Drawn } from '#areas/authorities/service.ts'
import { certificates } from '../contract.ts'
import { certificateRecordOf, type Issued } from './issue.ts'
import { finishSoon, reasonToWait } from './recovery.ts'
import { certificatesInserted, requestsInserted, requestsIssued, wordsInserted, type RequestRecord } from './store.ts'

/** A request at `reserved`, with what is to be signed for it. Nothing of it is on record yet. */
export type Asked = { request: RequestRecord; drawn: Drawn; validity: { notBefore: Date; notAfter: Date }; holder: string; viewer: Viewer; facts: RequestFacts }

/** Undefined where this requester has used this key before, or where another way was faster: the request's row says where it stands. */
export async function issueStraight(house: House, asked: Asked): Promise<Issued | undefined> {
  const { reserve, store } = lanesOf(house)
  if (!(await reserve(asked))) return undefined
  try {
    const certificate = await signDrawn(house, asked.drawn)
    return await store({ ...asked, certificate })
  } catch (error) {
    if (error instanceof AuditFailure) throw error
    house.log.error({ error, request: asked.request.id }, 'a reserved request could not be issued yet')
    finishSoon(house)
    return { stage: 'reserved', certificateId: undefined, serialHex: asked.drawn.serialHex, error: reasonToWait(error) }
  }
}

type Signed = Asked & { certificate: Uint8Array }
type Lanes = { reserve: Lane<Asked, true | undefined>; store: Lane<Signed, Issued | undefined> }

const lanes = new WeakMap<House, Lanes>()

function lanesOf(house: House): Lanes {
  const opened = lanes.get(house) ?? {
    reserve: openLane({ ways: 1, most: 128, mayBeOneItems: isRefusedByDatabase, carry: (all: readonly Asked[]) => byTenant(all, (tenantId, some) => reserveAll(house, tenantId, some)) }),
    store: openLane({ ways: 1, most: 128, mayBeOneItems: isRefusedByDatabase, carry: (all: readonly Signed[]) => byTenant(all, (tenantId, some) => storeAll(house, tenantId, some)) }),
  }
  lanes.set(house, opened)
  return opened
}

/** One commit for each tenancy, since a transaction sees but one. */
async function byTenant<Item extends Asked, Outcome>(items: readonly Item[], carry: (tenantId: string, items: readonly Item[]) => Promise<Map<string, Outcome>>): Promise<(Outcome | undefined)[]> {
  const outcomes = new Map<string, Outcome>()
  for (const [tenantId, some] of Map.groupBy(items, ({ request }) => request.tenant_id)) for (const [id, outcome] of await carry(tenantId, some)) outcomes.set(id, outcome)
  return items.map(({ request }) => outcomes.get(request.id))
}

async function reserveAll(house: House, tenantId: string, all: readonly Asked[]): Promise<Map<string, true>> {
  const kept = await reserveTogether(house, tenantId, async (send) => {
    const inserted = await idsOf(send, requestsInserted(all.map(({ request }) => request)))
    const fresh = all.filter(({ request }) => inserted.has(request.id))
    return { kept: fresh.map(({ drawn }) => drawn), last: issuingEvents(tenantId, fresh.map(reservedEvent)) }
  })
  return new Map(kept.map(({ aboutId }) => [aboutId, true]))
}

async function storeAll(house: House, tenantId: string, all: readonly Signed[]): Promise<Map<string, Issued>> {
  const now = house.now()
  return house.batches.transact(tenantId, async (send) => {
    const issued = await idsOf(send, requestsIssued(tenantId, all.map(({ request }) => request), now))
    const fresh = all.filter(({ request }) => issued.has(request.id))
    const stored = await idsOf(send, storeDrawn(tenantId, fresh, now))
    if (stored.size < fresh.length) throw new Error(`Of ${fresh.length} serials ${fresh.length - stored.size} were stored without their requests`)
    const records = fresh.map(({ request, drawn, certificate, holder, validity }) =>
      certificateRecordOf(request, drawn.issuer, { id: request.id, serialHex: drawn.serialHex, der: certificate, holder, validity, now }),
    )
    return {
      value: new Map(fresh.map(({ request, drawn }) => [request.id, { stage: 'issued', certificateId: request.id, serialHex: drawn.serialHex, error: '' }])),
      last: [certificatesInserted(records), wordsInserted(records), ...issuingEvents(tenantId, fresh.map((one) => issuedEvent(one, now)))],
    }
  })
}

async function idsOf(send: Send, statement: Statement): Promise<Set<unknown>> {
  const [rows = []] = await send(statement)
  return new Set(rows.map((row) => Object.values(row)[0]))
}

type Events = typeof certificates.events

function eventOf<E extends keyof Events & string>({ viewer, facts }: Asked, name: E, body: z.input<Events[E]>, about: string, at: Date): NewEvent {
  return { at, actor_id: viewer.userId, actor: actorOf(viewer), address: facts.address, area: certificates.area, name, outcome: 'done', about, body: JSON.stringify(body), request_id: facts.id }
}

/** One row says that it was asked for and what will be signed: for others the two are a decision apart. */
function reservedEvent(asked: Asked): NewEvent {
  const { id: requestId, template_name: templateName, class: itsClass, created_at: at } = asked.request
  const { issuer: { caId }, serialHex, tbs } = asked.drawn
  return eventOf(asked, 'reserved', { requestId, templateName, caId, class: itsClass, serialNumber: serialHex, tbsSha256: hash('sha256', tbs) }, requestId, at)
}

function issuedEvent(signed: Signed, at: Date): NewEvent {
  const { request, drawn } = signed
  const certificateId = request.id
  return eventOf(signed, 'issued', { requestId: request.id, certificateId, caId: drawn.issuer.caId, serialNumber: drawn.serialHex, class: request.class }, certificateId, at)
}
