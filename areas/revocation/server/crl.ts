// Making a CRL. What will be signed is made durable first, with its number and its event; then it is signed; then it is stored. A
// crash in between leaves a row with bytes and no signature, and the next making signs those same bytes instead of new ones.

import { createHash } from 'node:crypto'
import type { Database } from '#core/server/database.ts'
import { inTenant } from '#core/server/database.ts'
import type { Emit } from '#core/server/serve.ts'
import type { Actor, House } from '#core/server/house.ts'
import { findIssuer, listIssuers, revisionOf, revokedEntries, type Issuer } from '#areas/authorities/service.ts'
import { signWithKey } from '#areas/keys/service.ts'
import { listTenancies } from '#areas/tenancy/service.ts'
import { assembleCertificateList, buildTbsCertList } from '#standards/crl/certificate-list.ts'
import { revocation } from '../contract.ts'
import { crlIsDue, expiredStay, nextUpdateOf } from '../rules.ts'
import { crlSummaries, insertCrl, latestCrl, latestSignedCrl, lockNumbers, storeSignedCrl, type CrlRow } from './store.ts'

const clerk: Actor = { name: 'Revocation lists' }

export type MadeCrl = { number: number; der: Uint8Array }

/** A new list if one is due, or in any case; undefined for an authority that cannot sign one (any more). Not inside a transaction. */
export async function makeCrl(house: House, tenantId: string, caId: string, { always = false, actor = clerk }: { always?: boolean; actor?: Actor } = {}): Promise<MadeCrl | undefined> {
  const recorded = await house.work(tenantId, actor, async ({ db, emitFor }) => {
    const issuer = await findIssuer(db, tenantId, caId, house.now())
    if (issuer === undefined || issuer.status === 'ExpiredCert') return undefined
    await lockNumbers(db, caId)
    const latest = await latestCrl(db, tenantId, caId)
    if (latest !== undefined && latest.der === null) return { row: latest, keyId: issuer.keyId, leftOver: true }
    const revision = await revisionOf(db, tenantId, caId)
    if (!always && !crlIsDue(latest && { thisUpdate: latest.this_update, revision: latest.revision }, revision, house.now())) return undefined
    return { row: await recordCrl(db, emitFor(revocation), issuer, { number: (latest?.number ?? 0) + 1, revision, now: house.now() }), keyId: issuer.keyId, leftOver: false }
  })
  if (recorded === undefined) {
    const current = await inTenant(house.database, tenantId, (db) => latestSignedCrl(db, tenantId, caId))
    return current?.der ? { number: current.number, der: current.der } : undefined
  }
  const made = await signCrl(house, tenantId, recorded.row, recorded.keyId)
  // What a crash left unsigned may be older than the revocation that asks for a list now.
  return recorded.leftOver ? makeCrl(house, tenantId, caId, { actor }) : made
}

async function recordCrl(db: Database, emit: Emit<typeof revocation>, issuer: Issuer, { number, revision, now }: { number: number; revision: number; now: Date }): Promise<CrlRow> {
  const thisUpdate = new Date(Math.floor(now.getTime() / 1000) * 1000)
  const nextUpdate = nextUpdateOf(thisUpdate)
  let entryCount = 0
  const entries = async function* (): AsyncGenerator<Uint8Array> {
    for await (const run of revokedEntries(db, issuer.tenantId, issuer.caId, { unexpiredAt: expiredStay(now), revision })) {
      entryCount += run.count
      yield run.entries
    }
  }
  const toBeSigned = await buildTbsCertList({
    signatureAlgorithm: issuer.signatureAlgorithm,
    issuer: issuer.subjectEncoded,
    thisUpdate,
    nextUpdate,
    crlNumber: BigInt(number),
    authorityKeyIdentifier: issuer.keyIdentifier,
    entries: entries(),
  })
  const hash = createHash('sha256').update(toBeSigned).digest()
  const row: CrlRow = {
    tenant_id: issuer.tenantId,
    ca_id: issuer.caId,
    number,
    revision,
    entry_count: entryCount,
    this_update: thisUpdate,
    next_update: nextUpdate,
    algorithm: issuer.signatureAlgorithm,
    to_be_signed: Buffer.from(toBeSigned),
    to_be_signed_sha256: hash,
    der: null,
    etag: null,
  }
  await insertCrl(db, row)
  emit('listRecorded', { caId: issuer.caId, number, entries: entryCount, toBeSignedSha256: hash.toString('hex') }, issuer.caId)
  return row
}

async function signCrl(house: House, tenantId: string, row: CrlRow, keyId: string): Promise<MadeCrl> {
  if (row.to_be_signed === null) throw new Error(`The list ${row.number} of the authority ${row.ca_id} is neither signed nor to be signed`)
  const signature = await signWithKey(house, { tenantId, keyId, algorithm: row.algorithm, data: row.to_be_signed })
  const der = assembleCertificateList(row.to_be_signed, row.algorithm, signature)
  await inTenant(house.database, tenantId, (db) => storeSignedCrl(db, row, der, createHash('sha256').update(der).digest('base64url')))
  return { number: row.number, der }
}

/** Each authority's list that is due. One that fails does not keep the others from theirs. */
export async function makeDueCrls(house: House): Promise<void> {
  for (const { id: tenantId } of await listTenancies(house.database)) {
    const due = await inTenant(house.database, tenantId, async (db) => {
      const lists = new Map((await crlSummaries(db, tenantId)).map((list) => [list.ca_id, list]))
      const now = house.now()
      const found: string[] = []
      for (const { caId } of await listIssuers(db, tenantId, now)) {
        const list = lists.get(caId)
        if (crlIsDue(list && { thisUpdate: list.this_update, revision: list.revision }, await revisionOf(db, tenantId, caId), now)) found.push(caId)
      }
      return found
    })
    for (const caId of due) {
      await makeCrl(house, tenantId, caId).catch((error: unknown) => house.log.error({ error, caId }, 'a revocation list could not be made; it is tried again'))
    }
  }
}

type Publishing = { again: boolean; done: Promise<void> }

const publishings = new WeakMap<House, Map<string, Publishing>>()

/** After a revocation: makes the list, without anybody waiting. Many revocations at once become one list and one more. */
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
      await makeCrl(house, tenantId, caId).catch((error: unknown) => house.log.error({ error, caId }, 'a revocation list could not be made; the schedule makes it'))
    } while (publishing.again)
    running.delete(caId)
  })()
}

/** When the house closes: what is being made is finished. */
export async function finishPublishing(house: House): Promise<void> {
  await Promise.all([...(publishings.get(house)?.values() ?? [])].map(({ done }) => done))
}
