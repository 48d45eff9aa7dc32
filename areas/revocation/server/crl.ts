// Making a list. What will be signed is made durable first, with its number and its event; then it is signed; then it is stored. A
// crash in between leaves a row with bytes and no signature, and the next making signs those same bytes instead of new ones.
//
// An authority has one whole list and, where it is set so, parts and a delta. Only what somebody must see changed is made anew: a part
// when a certificate that names it was revoked, the whole likewise or, where deltas are on, once a day. All share one series of numbers.

import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { wholeSecond } from '#areas/authorities/rules.ts'
import { changesSince, crlAddressOf, findIssuer, listIssuers, revisionOf, revokedRuns, type Issuer } from '#areas/authorities/service.ts'
import { offlineAuthorities } from '#areas/authorities/stakes.ts'
import { signerOfPieces, type SigningOfPieces } from '#areas/keys/service.ts'
import { ownerOf } from '#areas/licensing/service.ts'
import { reuseBlock } from '#core/server/copy-reader.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { forEach } from '#core/server/each.ts'
import type { Actor, House } from '#core/server/house.ts'
import type { TenancyTurn } from '#core/server/serve.ts'
import { certificateListFrame, tbsCertListFrame } from '#standards/crl/certificate-list.ts'
import { revocation } from '../contract.ts'
import {
  crlIsDue,
  deltaList,
  expiredStay,
  listState,
  nextCrlNumber,
  nextUpdateOf,
  partsOf,
  periodOf,
  wholeList,
  type StatusSettings,
} from '../rules.ts'
import {
  copyCrl,
  crlSummaries,
  insertCrl,
  insertEntries,
  insertFrame,
  lastCrlNumber,
  latestCrl,
  lockNumbers,
  noteAlarm,
  oldestLastingCrl,
  piecesOf,
  readPiece,
  runsOfCrl,
  storeSignedCrl,
  type CrlPiece,
  type CrlSummary,
  type ListId,
  type PieceInMemory,
} from './crl-store.ts'
import { cacheList, cachedList, mayCacheList } from './list-cache.ts'
import { statusSettingsOf, type CrlRow } from './store.ts'

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

const clerk: Actor = { name: 'Revocation lists' }

export type MadeCrl = { number: number }

/** A list if one is due; one with all revocations of this moment, also those that may wait for the next list as they are on the delta; or a new one in any case. */
type Wanted = 'due' | 'upToDate' | 'new'

/** Undefined for an authority that cannot sign a list (any more). Not inside a transaction. */
export async function makeCrl(
  house: House,
  list: ListId,
  { wanted = 'due', actor = clerk }: { wanted?: Wanted; actor?: Actor } = {},
): Promise<MadeCrl | undefined> {
  const { tenantId } = list
  const found = await inTenant(house.database, tenantId, (db) => survey(db, house, list, wanted))
  // What others made meanwhile may be older than the revocation that asks for a list now.
  const lookAgain = { wanted: wanted === 'new' ? ('upToDate' as const) : wanted, actor }
  if (found === undefined) return undefined
  if ('current' in found) return found.current
  if ('leftOver' in found) {
    const made = await signLeftOver(house, found.leftOver, found.issuer.keyId)
    return (await makeCrl(house, list, lookAgain)) ?? made
  }
  const { issuer, settings } = found
  const begin = await signerOfPieces(house, tenantId, issuer.keyId, issuer.signatureAlgorithm)
  const recorded = await house.work(tenantId, actor, async ({ db, emitFor }) => {
    await lockNumbers(db, list.caId)
    // Another server was quicker.
    const latest = await latestCrl(db, list)
    if (latest !== undefined && (latest.etag === null || latest.number > (found.latest ?? 0))) return undefined
    const base = list.part === deltaList ? await oldestLastingCrl(db, { ...list, part: wholeList }, house.now()) : undefined
    const recording = await recordCrl(db, issuer, settings, begin, {
      list,
      base,
      latest,
      number: nextCrlNumber(await lastCrlNumber(db, tenantId, list.caId), house.now()),
      now: house.now(),
    })
    const { row } = recording
    const event = {
      caId: list.caId,
      part: list.part,
      number: row.number,
      entries: row.entry_count,
      toBeSignedSha256: row.to_be_signed_sha256.toString('hex'),
    }
    emitFor(revocation)('listRecorded', event, list.caId)
    return recording
  })
  return recorded === undefined ? makeCrl(house, list, lookAgain) : signCrl(house, recorded.row, recorded.toBeSigned)
}

type Found =
  | { current: MadeCrl | undefined }
  | { leftOver: CrlRow; issuer: Issuer }
  | { issuer: Issuer; settings: StatusSettings; latest: number | undefined }

/** What there is to do. */
async function survey(db: Database, house: House, list: ListId, wanted: Wanted): Promise<Found | undefined> {
  const { tenantId, caId, part } = list
  const now = house.now()
  const issuer = await findIssuer(db, tenantId, caId, now)
  if (issuer === undefined || issuer.status === 'ExpiredCert' || part > issuer.crlShards) return undefined
  const latest = await latestCrl(db, list)
  if (latest !== undefined && latest.etag === null) return { leftOver: latest, issuer }
  const settings = await statusSettingsOf(db, tenantId, caId)
  const isBehind = wanted === 'upToDate' && latest !== undefined && latest.revision < (await revisionOf(db, tenantId, caId))
  const due =
    wanted === 'new' || isBehind || (await dueParts(db, issuer, settings, latest === undefined ? [] : [latest], now)).includes(part)
  if (!due) return { current: latest && { number: latest.number } }
  if (part === deltaList && (!settings.delta || (await oldestLastingCrl(db, { tenantId, caId, part: wholeList }, now)) === undefined))
    return undefined
  return { issuer, settings, latest: latest?.number }
}

type Draft = { list: ListId; base: CrlRow | undefined; latest: CrlRow | undefined; number: number; now: Date }

/** What is to be signed, gone by already; `pieces` are those of a list that may be kept, in the place of the one `before`. */
type ToBeSigned = {
  length: number
  sha256: Buffer
  signing: SigningOfPieces
  pieces: readonly PieceInMemory[]
  before?: Buffer | undefined
}
type BeginSigning = (length: number) => SigningOfPieces

async function recordCrl(
  db: Database,
  issuer: Issuer,
  settings: StatusSettings,
  begin: BeginSigning,
  { list, base, latest, number, now }: Draft,
): Promise<{ row: CrlRow; toBeSigned: ToBeSigned }> {
  const { tenantId, caId, part } = list
  const key = { tenant_id: tenantId, ca_id: caId, part, number }
  const thisUpdate = wholeSecond(now)
  const nextUpdate = nextUpdateOf(thisUpdate, part, settings)
  // The entries are read by a later statement, so they hold at least what this revision says.
  const revision = await revisionOf(db, tenantId, caId)
  // A delta has its own beginning each time. And where the clock was set back, what had expired has not.
  const known =
    latest === undefined || base !== undefined || latest.this_update > now
      ? undefined
      : { runs: runsOfCrl(latest), revision: latest.revision }
  const runs = await insertEntries(
    db,
    key,
    revokedRuns(
      { tenantId, caId, unexpiredAt: expiredStay(now), shard: part > 0 ? part : undefined, since: base?.revision, revision },
      known,
    ),
  )
  const bytes = sum(runs.map(({ length }) => length))
  const frame = tbsCertListFrame(
    {
      signatureAlgorithm: issuer.signatureAlgorithm,
      issuer: issuer.subjectEncoded,
      thisUpdate,
      nextUpdate,
      crlNumber: BigInt(number),
      authorityKeyIdentifier: issuer.keyIdentifier,
      deltaBase: base && BigInt(base.number),
      issuingDistributionPoint: scopeOf(issuer, part, base?.this_update ?? thisUpdate),
      freshestCrlUris: part === wholeList && settings.delta ? [deltaAddressOf(issuer)] : [],
    },
    bytes,
  )
  const [head, tail] = await insertFrame(db, key, frame)
  const before = latest?.to_be_signed_sha256
  const toBeSigned = await readToBeSigned(db, key, begin, [head, ...runs, tail], [head, tail, ...((before && cachedList(before)) ?? [])])
  const row: CrlRow = {
    ...key,
    revision,
    entry_count: sum(runs.map(({ entries }) => entries)),
    this_update: thisUpdate,
    next_update: nextUpdate,
    algorithm: issuer.signatureAlgorithm,
    to_be_signed_sha256: toBeSigned.sha256,
    head: null,
    tail: null,
    bytes: 0,
    etag: null,
    base_number: base?.number ?? null,
    alarmed: false,
  }
  await insertCrl(db, row)
  return { row, toBeSigned: { ...toBeSigned, before } }
}

/**
 * Of which addresses a list speaks. A part always says its own. The whole list of a name that two keys sign under says all of them: by the name alone the list
 * of the one key would vouch for what the other has signed. A delta says what the whole list does that it builds upon (RFC 5280 5.2.4).
 */
function scopeOf(issuer: Issuer, part: number, builtAt: Date): { uris: string[] } | undefined {
  if (part > 0) return { uris: [crlAddressOf(issuer, part)] }
  if (issuer.nameSharedSince === undefined || builtAt < wholeSecond(issuer.nameSharedSince)) return undefined
  return { uris: Array.from({ length: issuer.crlShards + 1 }, (_address, at) => crlAddressOf(issuer, at)) }
}

/** A list that is kept is made of what is in memory and the pieces that are new. Of no other is more in memory than a block, unless its key takes it no other way. */
async function readToBeSigned(
  db: Database,
  key: Parameters<typeof copyCrl>[1],
  begin: BeginSigning,
  all: readonly CrlPiece[],
  inMemory: readonly PieceInMemory[],
): Promise<ToBeSigned> {
  const length = sum(all.map((piece) => piece.length))
  const signing = begin(length)
  const digest = createHash('sha256')
  let seen = 0
  const take = (bytes: Buffer): void => {
    digest.update(bytes)
    seen += bytes.length
    if (seen <= length) signing.update(bytes)
  }
  const pieces: PieceInMemory[] = []
  if (mayCacheList(length)) {
    for (const piece of all) {
      const whole =
        inMemory.find(({ position, source }) => position === piece.position && source === piece.source) ?? (await readPiece(db, key, piece))
      pieces.push(whole)
      take(whole.bytes)
      // Others have their turn between two pieces.
      await setImmediate()
    }
  } else {
    for await (const block of copyCrl(db, key)) {
      take(block.bytes)
      reuseBlock(block)
    }
  }
  if (seen !== length) throw new Error(`The list ${key.number} has ${seen} bytes and should have ${length}`)
  return { length, sha256: digest.digest(), signing, pieces }
}

export const deltaAddressOf = ({ addresses }: Pick<Issuer, 'addresses'>): string => addresses.crl.replace(/\.crl$/, '/delta.crl')

async function signLeftOver(house: House, row: CrlRow, keyId: string): Promise<MadeCrl> {
  const begin = await signerOfPieces(house, row.tenant_id, keyId, row.algorithm)
  return signCrl(
    house,
    row,
    await inTenant(house.database, row.tenant_id, async (db) => readToBeSigned(db, row, begin, await piecesOf(db, row), [])),
  )
}

/** Of a list that is on record. */
async function signCrl(house: House, row: CrlRow, { length, sha256, signing, pieces, before }: ToBeSigned): Promise<MadeCrl> {
  const tenantId = row.tenant_id
  if (!sha256.equals(row.to_be_signed_sha256)) throw new Error(`The list ${row.number} is not what is on record: nothing was signed`)
  const signature = await signing.sign()
  const { head, tail } = certificateListFrame(length, row.algorithm, signature)
  const etag = createHash('sha256').update(row.to_be_signed_sha256).update(signature).digest('base64url')
  const signed = { head: Buffer.from(head), tail: Buffer.from(tail), bytes: head.length + length + tail.length, etag }
  await inTenant(house.database, tenantId, (db) => storeSignedCrl(db, row, signed))
  cacheList(sha256, pieces, length, before)
  return { number: row.number }
}

/** Which lists of an authority are to be made, given the newest of each. */
export async function dueParts(
  db: Database,
  issuer: Issuer,
  settings: StatusSettings,
  newest: readonly CrlSummary[],
  now: Date,
): Promise<number[]> {
  const { tenantId, caId } = issuer
  const byPart = new Map(newest.map((list) => [list.part, list]))
  const changes = await changesSince(
    db,
    tenantId,
    caId,
    newest.length === 0 ? Number.MAX_SAFE_INTEGER : Math.min(...newest.map(({ revision }) => revision)),
  )
  const changed = (part: number): number => {
    if (part === deltaList) return Math.max(0, ...changes.values())
    // With deltas on, revocations wait for the next whole list, as they are on the delta.
    return part === wholeList && settings.delta ? 0 : (changes.get(part) ?? 0)
  }
  return partsOf(issuer, settings).filter((part) => {
    const list = byPart.get(part)
    // Another key signs under the same name since then: the list must say for which addresses it speaks.
    if (
      list !== undefined &&
      part <= wholeList &&
      issuer.nameSharedSince !== undefined &&
      list.this_update < wholeSecond(issuer.nameSharedSince)
    )
      return true
    // Another life is set since then: who reads the list counts by what it says.
    if (list !== undefined && list.next_update.getTime() !== nextUpdateOf(list.this_update, part, settings).getTime()) return true
    return crlIsDue(list && { thisUpdate: list.this_update, revision: list.revision }, changed(part), now, periodOf(part, settings))
  })
}

/** Makes what is due of one authority. */
async function makeDue(house: House, tenantId: string, caId: string): Promise<void> {
  const due = await inTenant(house.database, tenantId, async (db) => {
    const issuer = await findIssuer(db, tenantId, caId, house.now())
    return issuer === undefined || issuer.status === 'ExpiredCert'
      ? []
      : dueParts(db, issuer, await statusSettingsOf(db, tenantId, caId), await crlSummaries(db, tenantId, caId), house.now())
  })
  for (const part of due) await makeCrl(house, { tenantId, caId, part })
}

/** The lists are the authority's owner's, in whichever tenancy something was revoked. */
const makeDueOfOwner = async (house: House, tenantId: string, caId: string): Promise<void> =>
  makeDue(house, await inTenant(house.database, tenantId, (db) => ownerOf(db, tenantId, caId, house.now())), caId)

/** Job: each authority's lists that are due. One that fails does not keep the others from theirs; where one nears its end, that is told. */
export async function makeDueCrls({ house, tenantId }: TenancyTurn): Promise<void> {
  const issuers = await inTenant(house.database, tenantId, (db) => listIssuers(db, tenantId, house.now()))
  const living = issuers.filter(({ status }) => status !== 'ExpiredCert').map(({ caId }) => caId)
  for (const caId of living)
    await makeDue(house, tenantId, caId).catch((error: unknown) =>
      house.log.error({ error, caId }, 'a revocation list could not be made; it is tried again'),
    )
  // Nobody here can make those of others anew: that one nears its end is all that can be done about it.
  const offline = await inTenant(house.database, tenantId, (db) => offlineAuthorities(db, tenantId))
  await forEach([...living, ...offline.filter(({ notAfter }) => notAfter > house.now()).map(({ caId }) => caId)], (caId) =>
    tellOfEnding(house, tenantId, caId),
  )
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
      await makeDueOfOwner(house, tenantId, caId).catch((error: unknown) =>
        house.log.error({ error, caId }, 'a revocation list could not be made; the schedule makes it'),
      )
    } while (publishing.again)
    running.delete(caId)
  })()
}

/** When the house closes: what is being made is finished. */
export async function finishPublishing(house: House): Promise<void> {
  await Promise.all([...(publishings.get(house)?.values() ?? [])].map(({ done }) => done))
}
