// Making a list. What will be signed is made durable first, with its number and its event; then it is signed; then it is stored. A
// crash in between leaves a row with bytes and no signature, and the next making signs those same bytes instead of new ones.
//
// An authority has one whole list and, where it is set so, parts and a delta. Only what somebody must see changed is made anew: a part
// when a certificate that names it was revoked, the whole likewise or, where deltas are on, once a day. All share one series of numbers.

import { createHash } from 'node:crypto'
import { inTenant, type Database } from '#core/server/database.ts'
import type { Actor, House } from '#core/server/house.ts'
import { changesSince, crlAddressOf, findIssuer, listIssuers, revisionOf, type Issuer } from '#areas/authorities/service.ts'
import { signWithKey } from '#areas/keys/service.ts'
import { listTenancies } from '#areas/tenancy/service.ts'
import { certificateListFrame } from '#standards/crl/certificate-list.ts'
import { revocation } from '../contract.ts'
import { crlIsDue, deltaList, listState, nextCrlNumber, nextUpdateOf, periodOf, wholeList, type StatusSettings } from '../rules.ts'
import { gatherEntries, type Gathered } from './gather.ts'
import { crlSummaries, insertCrl, lastCrlNumber, latestCrl, latestSignedCrl, lockNumbers, noteAlarm, oldestLastingCrl, readCrlPieces, statusSettingsOf, storeSignedCrl, type CrlRow, type CrlSummary, type ListId } from './store.ts'

const clerk: Actor = { name: 'Revocation lists' }

export type MadeCrl = { number: number }

/** A new list if one is due, or in any case; undefined for an authority that cannot sign one (any more). Not inside a transaction. */
export async function makeCrl(house: House, list: ListId, { always = false, actor = clerk }: { always?: boolean; actor?: Actor } = {}): Promise<MadeCrl | undefined> {
  const { tenantId } = list
  const found = await inTenant(house.database, tenantId, (db) => survey(db, house, list, always))
  if (found === undefined) return undefined
  if ('current' in found) return found.current
  if ('leftOver' in found) {
    const made = await signCrl(house, found.leftOver, found.issuer.keyId)
    // It may be older than the revocation that asks for a list now.
    return (await makeCrl(house, list, { actor })) ?? made
  }
  const { issuer, settings, gathered } = found
  const recorded = await house.work(tenantId, actor, async ({ db, emitFor }) => {
    await lockNumbers(db, list.caId)
    const latest = await latestCrl(db, list)
    // Another server was quicker, and has seen more: what was gathered here would take back what its list says.
    if (latest !== undefined && (latest.etag === null || latest.revision > gathered.revision)) return undefined
    const { row, toBeSigned } = frame(issuer, settings, gathered, list, nextCrlNumber(await lastCrlNumber(db, tenantId, list.caId), house.now()))
    await insertCrl(db, row, toBeSigned)
    const event = { caId: list.caId, part: list.part, number: row.number, entries: row.entry_count, toBeSignedSha256: row.to_be_signed_sha256.toString('hex') }
    emitFor(revocation)('listRecorded', event, list.caId)
    return { row, toBeSigned }
  })
  return recorded === undefined ? makeCrl(house, list, { actor }) : signCrl(house, recorded.row, issuer.keyId, recorded.toBeSigned)
}

type Base = { number: number; revision: number }
type Found = { current: MadeCrl | undefined } | { leftOver: CrlRow; issuer: Issuer } | { issuer: Issuer; settings: StatusSettings; gathered: Gathered & { base: Base | undefined } }

/** What there is to do, and what the new list would hold. */
async function survey(db: Database, house: House, list: ListId, always: boolean): Promise<Found | undefined> {
  const { tenantId, caId, part } = list
  const now = house.now()
  const issuer = await findIssuer(db, tenantId, caId, now)
  if (issuer === undefined || issuer.status === 'ExpiredCert' || part > issuer.crlShards) return undefined
  const latest = await latestCrl(db, list)
  if (latest !== undefined && latest.etag === null) return { leftOver: latest, issuer }
  const settings = await statusSettingsOf(db, tenantId, caId)
  const due = always || (await dueParts(db, issuer, settings, latest === undefined ? [] : [latest], now)).includes(part)
  if (!due) return { current: latest && { number: latest.number } }
  const whole = part === deltaList ? await oldestLastingCrl(db, { tenantId, caId, part: wholeList }, now) : undefined
  if (part === deltaList && (!settings.delta || whole === undefined)) return undefined
  const base = whole && { number: whole.number, revision: whole.revision }
  // The entries are read by a later statement, so they hold at least what this revision says.
  const revision = await revisionOf(db, tenantId, caId)
  return { issuer, settings, gathered: { ...(await gatherEntries(db, issuer, { part, since: base?.revision, revision, now })), base } }
}

function frame(issuer: Issuer, settings: StatusSettings, gathered: Gathered & { base: Base | undefined }, list: ListId, number: number): { row: CrlRow; toBeSigned: Uint8Array } {
  const { thisUpdate, revision, base, count } = gathered
  const nextUpdate = nextUpdateOf(thisUpdate, list.part, settings)
  const toBeSigned = gathered.frame({
    signatureAlgorithm: issuer.signatureAlgorithm,
    issuer: issuer.subjectEncoded,
    thisUpdate,
    nextUpdate,
    crlNumber: BigInt(number),
    authorityKeyIdentifier: issuer.keyIdentifier,
    deltaBase: base && BigInt(base.number),
    issuingDistributionPoint: list.part > 0 ? { uris: [crlAddressOf(issuer, list.part)] } : undefined,
    freshestCrlUris: list.part === wholeList && settings.delta ? [deltaAddressOf(issuer)] : [],
  })
  const row: CrlRow = {
    tenant_id: list.tenantId,
    ca_id: list.caId,
    part: list.part,
    number,
    revision,
    entry_count: count,
    this_update: thisUpdate,
    next_update: nextUpdate,
    algorithm: issuer.signatureAlgorithm,
    to_be_signed_sha256: createHash('sha256').update(toBeSigned).digest(),
    head: null,
    tail: null,
    bytes: 0,
    etag: null,
    base_number: base?.number ?? null,
    alarmed: false,
  }
  return { row, toBeSigned }
}

export const deltaAddressOf = ({ addresses }: Pick<Issuer, 'addresses'>): string => addresses.crl.replace(/\.crl$/, '/delta.crl')

async function signCrl(house: House, row: CrlRow, keyId: string, toBeSigned?: Uint8Array): Promise<MadeCrl> {
  const tenantId = row.tenant_id
  const data = toBeSigned ?? Buffer.concat(await inTenant(house.database, tenantId, (db) => readCrlPieces(db, row, 0, Number.MAX_SAFE_INTEGER)))
  const signature = await signWithKey(house, { tenantId, keyId, algorithm: row.algorithm, data })
  const { head, tail } = certificateListFrame(data.length, row.algorithm, signature)
  const etag = createHash('sha256').update(row.to_be_signed_sha256).update(signature).digest('base64url')
  const signed = { head: Buffer.from(head), tail: Buffer.from(tail), bytes: head.length + data.length + tail.length, etag }
  await inTenant(house.database, tenantId, (db) => storeSignedCrl(db, row, signed))
  return { number: row.number }
}

/** Which lists of an authority are to be made, given the newest of each. */
export async function dueParts(db: Database, issuer: Issuer, settings: StatusSettings, newest: readonly CrlSummary[], now: Date): Promise<number[]> {
  const { tenantId, caId, crlShards } = issuer
  const byPart = new Map(newest.map((list) => [list.part, list]))
  const changes = await changesSince(db, tenantId, caId, newest.length === 0 ? Number.MAX_SAFE_INTEGER : Math.min(...newest.map(({ revision }) => revision)))
  const changed = (part: number): number => {
    if (part === deltaList) return Math.max(0, ...changes.values())
    // With deltas on, revocations wait for the next whole list, as they are on the delta.
    return part === wholeList && settings.delta ? 0 : (changes.get(part) ?? 0)
  }
  const parts = [wholeList, ...(settings.delta ? [deltaList] : []), ...Array.from({ length: crlShards }, (_part, at) => at + 1)]
  return parts.filter((part) => {
    const list = byPart.get(part)
    return crlIsDue(list && { thisUpdate: list.this_update, revision: list.revision }, changed(part), now, periodOf(part, settings))
  })
}

/** Makes what is due of one authority. */
async function makeDue(house: House, tenantId: string, caId: string): Promise<void> {
  const due = await inTenant(house.database, tenantId, async (db) => {
    const issuer = await findIssuer(db, tenantId, caId, house.now())
    return issuer === undefined || issuer.status === 'ExpiredCert' ? [] : dueParts(db, issuer, await statusSettingsOf(db, tenantId, caId), await crlSummaries(db, tenantId, caId), house.now())
  })
  for (const part of due) await makeCrl(house, { tenantId, caId, part })
}

/** Each authority's lists that are due. One that fails does not keep the others from theirs; where one nears its end, that is told. */
export async function makeDueCrls(house: House): Promise<void> {
  for (const { id: tenantId } of await listTenancies(house.database)) {
    const issuers = await inTenant(house.database, tenantId, (db) => listIssuers(db, tenantId, house.now()))
    for (const { caId } of issuers.filter(({ status }) => status !== 'ExpiredCert')) {
      await makeDue(house, tenantId, caId).catch((error: unknown) => house.log.error({ error, caId }, 'a revocation list could not be made; it is tried again'))
      await tellOfEnding(house, tenantId, caId)
    }
  }
}

async function tellOfEnding(house: House, tenantId: string, caId: string): Promise<void> {
  const ending = (await inTenant(house.database, tenantId, (db) => crlSummaries(db, tenantId, caId))).filter(
    (list) => !list.alarmed && listState({ thisUpdate: list.this_update, nextUpdate: list.next_update }, house.now()) !== 'fresh',
  )
  if (ending.length === 0) return
  await house.work(tenantId, clerk, async ({ db, emitFor }) => {
    for (const list of ending) {
      if (!(await noteAlarm(db, { ...list, tenant_id: tenantId }))) continue
      emitFor(revocation)('listEnding', { caId, part: list.part, number: list.number, nextUpdate: list.next_update.toISOString() }, caId)
    }
  })
}

type Publishing = { again: boolean; done: Promise<void> }

const publishings = new WeakMap<House, Map<string, Publishing>>()

/** After a revocation: makes the lists, without anybody waiting. Many revocations at once become one list and one more. */
export function publishSoon(house: House, tenantId: string, caId: string): void {
  const running = publishings.get(house) ?? new Map<string, Publishing>()
  publishings.set(house, running)
  const current = running.get(caId)
  if (current !== undefined) {
    current.again = true
    return
  }
  const publishing: Publishing = { again: false, done: Promise.resolve() }
  running.set(caId, publishing)
  publishing.done = (async () => {
    do {
      publishing.again = false
      await makeDue(house, tenantId, caId).catch((error: unknown) => house.log.error({ error, caId }, 'a revocation list could not be made; the schedule makes it'))
    } while (publishing.again)
    running.delete(caId)
  })()
}

/** When the house closes: what is being made is finished. */
export async function finishPublishing(house: House): Promise<void> {
  await Promise.all([...(publishings.get(house)?.values() ?? [])].map(({ done }) => done))
}

export type StoredCrl = CrlRow & { head: Buffer; tail: Buffer; etag: string }

/** The newest signed list of a kind; undefined where there is none. */
export async function currentCrl(house: House, list: ListId): Promise<StoredCrl | undefined> {
  const row = await inTenant(house.database, list.tenantId, (db) => latestSignedCrl(db, list))
  return row?.head == null || row.tail === null || row.etag === null ? undefined : { ...row, head: row.head, tail: row.tail, etag: row.etag }
}

/** So many pieces are read at once; no transaction stays open while a slow client takes them. */
const piecesAtOnce = 4

/** The file, bit by bit. */
export async function* bytesOf(house: House, list: StoredCrl): AsyncGenerator<Uint8Array> {
  yield list.head
  for (let from = 0; ; from += piecesAtOnce) {
    const pieces = await inTenant(house.database, list.tenant_id, (db) => readCrlPieces(db, list, from, piecesAtOnce))
    if (pieces.length === 0) break
    yield* pieces
  }
  yield list.tail
}
