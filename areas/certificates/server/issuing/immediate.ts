// Issues immediately what needs no approval and has a key of its own. One commit records the serials and the hashes of the bytes to be signed; then it signs;
// a second commit stores requests, certificates and events. Concurrent requests for one authority share both commits.
// A failure leaves void serials and nothing else, and the request takes the way of issue.ts, where it can wait. Decision 9.

import type * as z from 'zod'
import {
  batchStored,
  dropBatch,
  leaveBatch,
  reserveBatch,
  signDrawn,
  type Batch,
  type CertificateDraft,
  type Drawn,
  type Issuer,
} from '#areas/authorities/service.ts'
import { isRefusedByDatabase } from '#core/server/batch.ts'
import { openBatcher, type Batcher } from '#core/server/batcher.ts'
import type { CacheVersion } from '#core/server/cache.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { doneEvent, quietEvents, type NewEvent } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import type { RequestFacts, Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { certificates } from '../../contract.ts'
import { certificatesInserted } from '../inventory/certificate-store.ts'
import { lateCompromises } from '../inventory/refused-keys.ts'
import { requestsInserted } from '../requests/request-store.ts'
import type { CertificateRecord, RequestRecord } from '../store.ts'
import { certificateRecordOf } from './certificate-record.ts'
import { closedSince } from './eligibility.ts'
import { issuing } from './issue.ts'
import { leftSince, lostSince } from './rights.ts'

/** A request that may be issued immediately, with the cache version of that check. Nothing of it is recorded yet. */
type Asked = {
  version: CacheVersion
  request: RequestRecord
  issuer: Issuer
  certificate: Omit<CertificateDraft, 'about'>
  holder: string
  viewer: Viewer
  facts: RequestFacts
}

/**
 * Answers the certificate, or one of two outcomes that record nothing of the request. `changed`: something changed while it waited, so the caller must check
 * again whether it may be issued. Undefined: it cannot be issued immediately, because the requester has used this idempotency key before, was disabled or lost
 * the right while it was signed, or because the signature failed.
 *
 * A throw records nothing either, except where the commit succeeded and only its answer was lost. The request is found by its idempotency key then.
 */
export const issueInBatch = (house: House, asked: Asked): Promise<Outcome> => batcherOf(house, asked.issuer)(asked)

type Outcome = CertificateRecord | 'changed' | undefined
type IssuingBatcher = Batcher<Asked, Outcome>

/** Keeps one lane for each authority, so that no request waits for the key of another authority. */
const batchers = new WeakMap<Issuer, IssuingBatcher>()

function batcherOf(house: House, issuer: Issuer): IssuingBatcher {
  const batcher =
    batchers.get(issuer) ??
    openBatcher({
      maxParallel: 2,
      maxSize: 128,
      mayBeFaultOfOne: isRefusedByDatabase,
      runBatch: (all: readonly Asked[]) => issueTogether(house, issuer, all),
    })
  batchers.set(issuer, batcher)
  return batcher
}

async function issueTogether(house: House, issuer: Issuer, all: readonly Asked[]): Promise<Outcome[]> {
  // Leaves out requests whose check is outdated: while they waited, the requester or the authority may have lost the right.
  const due = new Set(all.filter(({ version }) => house.cache.isCurrent(version)))
  if (due.size === 0) return all.map(() => 'changed')
  const batch = await reserveTogether(house, issuer, [...due], house.now())
  try {
    const signed = await signTogether(house, batch)
    for (const drawn of await leftMeanwhile(house, batch)) signed.delete(drawn)
    const records = new Map((await storeTogether(house, batch, signed, house.now())).map((record) => [record.id, record]))
    return all.map((asked) => (due.has(asked) ? records.get(asked.request.id) : 'changed'))
  } catch (error) {
    await dropTogether(house, batch)
    throw error
  } finally {
    leaveBatch(batch)
  }
}

/** Reserved certificates that are not stored yet, with their requests in the same order. */
type UnderWay = Batch & { asked: readonly Asked[] }

async function reserveTogether(house: House, issuer: Issuer, asked: readonly Asked[], now: Date): Promise<UnderWay> {
  const drafts = asked.map(({ certificate, request: { id } }): CertificateDraft => ({ ...certificate, about: { kind: 'certificate', id } }))
  const batch = await reserveBatch(
    house,
    issuer,
    drafts,
    (reserved) => quietEvents(issuer.tenantId, reservedEvents({ ...reserved, asked }, now)),
    now,
  )
  return { ...batch, asked }
}

/** Signs the batch, and answers the certificates that could be signed. */
async function signTogether(house: House, batch: UnderWay): Promise<Map<Drawn, Uint8Array>> {
  const signed = new Map<Drawn, Uint8Array>()
  await Promise.all(
    batch.drawn.map(async (drawn) => {
      try {
        signed.set(drawn, await signDrawn(house, batch, drawn))
      } catch (error) {
        house.log.warn({ error, caId: batch.issuer.caId }, 'a certificate could not be signed at once')
      }
    }),
  )
  return signed
}

/** Finds the requests that lost their right while a slow key signed: the requester was disabled, the template changed or the authority stopped. Reads the database only where the cache version has changed. */
async function leftMeanwhile(house: House, { asked, drawn, issuer: { tenantId } }: UnderWay): Promise<Drawn[]> {
  const unsure = asked.filter(({ version }) => !house.cache.isCurrent(version))
  if (unsure.length === 0) return []
  const whose = ({ viewer, request: { requester_id: requester, holder_user_id: holder, template_id: templateId } }: Asked): string =>
    `${requester} ${viewer.credentialId} ${holder ?? ''} ${templateId}`
  const left = await inTenant(house.database, tenantId, async (db) => {
    const gone = new Set<string>()
    for (const [people, one] of new Map(unsure.map((one) => [whose(one), one]))) if (await isLost(db, one, house.now())) gone.add(people)
    return gone
  })
  return drawn.filter((_, at) => left.has(whose(asked[at] as Asked)))
}

const isLost = async (db: Database, { request, viewer, certificate }: Asked, now: Date): Promise<boolean> =>
  ((await leftSince(db, request.tenant_id, request)) ??
    (await lostSince(db, request.tenant_id, request, { asks: viewer, acting: viewer }, now)) ??
    (await closedSince(db, request, certificate, now))) !== undefined

/** Stores the signed certificates, without those whose idempotency key was used before. */
function storeTogether(house: House, batch: UnderWay, signed: Map<Drawn, Uint8Array>, now: Date): Promise<CertificateRecord[]> {
  const { tenantId } = batch.issuer
  const due = batch.drawn.flatMap((drawn, at) => {
    const [asked, der] = [batch.asked[at], signed.get(drawn)]
    return asked === undefined || der === undefined ? [] : [{ asked, drawn, der, request: issuedRequest(asked, drawn, now) }]
  })
  return house.batches.transact(tenantId, async (send) => {
    const keys = due.map(({ request }) => request.public_key as Uint8Array)
    const [rows = [], , compromised = []] =
      due.length === 0 ? [] : await send(requestsInserted(due.map(({ request }) => request)), ...lateCompromises(tenantId, keys))
    // Sends all of them the other way, which judges each by itself, because this is rare.
    if (compromised.length > 0) throw new Error('A key was compromised while certificates were signed')
    const inserted = new Set(rows.map(({ id }) => id))
    const fresh = due.filter(({ request }) => inserted.has(request.id))
    const records = fresh.map(({ asked, drawn, der, request }) =>
      certificateRecordOf(request, batch.issuer, {
        id: request.id,
        serialHex: drawn.serialHex,
        der,
        holder: asked.holder,
        validity: asked.certificate,
        now,
      }),
    )
    const certificateOf = new Map(fresh.map(({ drawn, der }) => [drawn, der]))
    const lost = batch.drawn.filter((drawn) => !certificateOf.has(drawn)).map(({ serialHex }) => serialHex)
    const events = [
      ...fresh.map(({ asked, drawn }) => issuedEvent(asked, drawn, now)),
      ...(lost.length === 0 ? [] : [voidedEvent(batch, lost, now)]),
    ]
    return {
      value: records,
      last: [
        ...batchStored(batch, certificateOf, now),
        ...(records.length === 0 ? [] : certificatesInserted(records)),
        ...quietEvents(tenantId, events),
      ],
    }
  })
}

const issuedRequest = ({ request }: Asked, { serialHex }: Drawn, now: Date): RequestRecord => ({
  ...request,
  stage: 'issued',
  serial_hex: serialHex,
  certificate_id: request.id,
  updated_at: now,
})

const voidedEvent = ({ issuer: { caId } }: Batch, lost: string[], now: Date): NewEvent =>
  doneEvent(now, issuing, {
    area: certificates.area,
    name: 'voided',
    body: { caId, serialNumbers: lost } satisfies z.input<Events['voided']>,
    about: caId,
  })

/** Makes the serials void. Recovery does it where this fails too. */
async function dropTogether(house: House, batch: UnderWay): Promise<void> {
  try {
    await house.work(batch.issuer.tenantId, issuing, async ({ db, emitFor }) => {
      const lost = await dropBatch(db, batch, house.now())
      if (lost.length > 0) emitFor(certificates)('voided', { caId: batch.issuer.caId, serialNumbers: lost }, batch.issuer.caId)
    })
  } catch (error) {
    house.log.warn({ error, caId: batch.issuer.caId }, 'serials that were not used could not be made void; that is tried again')
  }
}

/** Makes the events before the signatures: one for each requester, with all that will be signed for that person. */
function reservedEvents({ asked, drawn, issuer: { caId } }: UnderWay, now: Date): NewEvent[] {
  const ofEach = Map.groupBy(asked.keys(), (at) => `${asked[at]?.viewer.userId ?? ''} ${asked[at]?.facts.address ?? ''}`)
  return Array.from(ofEach.values(), (places) => {
    const certificatesOf: z.input<(typeof certificates.events)['reservedTogether']['body']>['certificates'] = []
    for (const at of places) {
      const { serialHex: serialNumber, tbsSha256, aboutId: requestId } = drawn[at] as Drawn
      certificatesOf.push({ requestId, serialNumber, tbsSha256 })
    }
    return eventOf(asked[places[0] ?? 0] as Asked, 'reservedTogether', { caId, certificates: certificatesOf }, '', now)
  })
}

/** Makes the event of an issued certificate. It also records the request and the signed bytes, which have events of their own when a request waits. */
function issuedEvent(asked: Asked, { serialHex, tbsSha256 }: Drawn, now: Date): NewEvent {
  const { id, ca_id: caId, class: itsClass, template_name: templateName } = asked.request
  return eventOf(
    asked,
    'issued',
    { requestId: id, certificateId: id, caId, serialNumber: serialHex, class: itsClass, templateName, tbsSha256 },
    id,
    now,
  )
}

type Events = typeof certificates.events

function eventOf<E extends keyof Events & string>(
  { viewer, facts }: Asked,
  name: E,
  body: z.input<Events[E]['body']>,
  about: string,
  at: Date,
): NewEvent {
  return doneEvent(
    at,
    { userId: viewer.userId, name: actorOf(viewer), address: facts.address, requestId: facts.id },
    { area: certificates.area, name, body, about },
  )
}
