// RSA keys that share a prime with one that was certified here before: both can then be computed by anybody. A new modulus is compared with
// the product of the latest ones of its tenancy, which each process keeps and carries on with what was issued since.

import { refusalOfFinding } from '#areas/authorities/refusals.ts'
import type { Refusal } from '#core/contract/refusal.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { firstIdOf } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import type { PublicKeyInfo } from '#standards/x509/public-key-info.ts'
import { commonFactor, productOfModuli, sharedFactorFinding } from '#standards/x509/shared-factors.ts'
import { latestFrom } from './certificate-store.ts'

/** With so many a comparison takes about 3 ms. */
const mostModuli = 1024
const mostTenancies = 100

/** What was made so long before the last look is looked for again: it may have been stored only since. */
const overlapMilliseconds = 120_000

/** `read`: the ids of the latest rows, newest first; no row before `from` is looked for any more. */
type Seen = { moduli: Map<string, Uint8Array>; product: bigint; read: string[]; from: string }

const byHouse = new WeakMap<object, Map<string, Promise<Seen>>>()

/** Tells why this RSA key cannot be certified; undefined for others, and where it shares nothing with those seen. Not inside a transaction. */
export async function sharedFactorRefusal(
  house: House,
  tenantId: string,
  { modulus }: Pick<PublicKeyInfo, 'modulus'>,
): Promise<Refusal | undefined> {
  if (modulus === undefined) return undefined
  const cache = byHouse.get(house) ?? new Map<string, Promise<Seen>>()
  byHouse.set(house, cache)
  const before = cache.get(tenantId)
  const next = inTenant(house.database, tenantId, async (db) => carryOn(db, tenantId, await before?.catch(() => undefined), house.now()))
  cache.delete(tenantId)
  cache.set(tenantId, next)
  const [oldest] = cache.keys()
  if (cache.size > mostTenancies && oldest !== undefined) cache.delete(oldest)
  const { moduli, product } = await next
  return commonFactor(modulus, product, moduli.has(nameOf(modulus))) === undefined
    ? undefined
    : refusalOfFinding({ ...sharedFactorFinding, severity: 'error' }, 'csr')
}

const nameOf = (modulus: Uint8Array): string => Buffer.from(modulus).toString('base64')

async function carryOn(db: Database, tenantId: string, before: Seen | undefined, now: Date): Promise<Seen> {
  const rows = await latestFrom(db, tenantId, before?.from ?? firstIdOf(new Date(0)), before?.read ?? [], mostModuli)
  const moduli = new Map(before?.moduli)
  for (const { certificate } of rows.toReversed()) {
    const { modulus } = parseCertificate(certificate).publicKey
    if (modulus === undefined) continue
    moduli.delete(nameOf(modulus))
    moduli.set(nameOf(modulus), modulus)
  }
  const added = [...moduli.keys()].filter((name) => before?.moduli.has(name) !== true)
  const latestRead = [...rows.map(({ id }) => id), ...(before?.read ?? [])].toSorted().toReversed()
  // Many in a short time are as good as a long time: before the oldest of them nothing is of interest.
  const oldest = latestRead[mostModuli - 1] ?? ''
  const overlap = firstIdOf(new Date(now.getTime() - overlapMilliseconds))
  const from = oldest > overlap ? oldest : overlap
  const read = latestRead.filter((id) => id >= from)
  if (before !== undefined && added.length === 0) return { ...before, read, from }
  const latest = new Map([...moduli].slice(-mostModuli))
  return { moduli: latest, product: productOfModuli([...latest.values()]), read, from }
}
