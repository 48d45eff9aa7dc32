// Finds the certificates of one key, because a key that is compromised for one certificate is compromised for all of them.

import { refusal } from '#areas/authorities/refusals.ts'
import { managedBy } from '#areas/tenancy/service.ts'
import type { Refusal } from '#core/contract/refusal.ts'
import { visitTenant, type Database } from '#core/server/database.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { wantsNewKey } from '../../renewal-rules.ts'
import { lifetimeOf, type Lifetime } from '../../rules.ts'
import type { RequestRecord } from '../store.ts'
import { certificateById } from './certificate-store.ts'
import { countValidOfKey, holdKey, isKeyOfAnother, isKeyOfRequest, othersOfKey } from './key-store.ts'

export type Sibling = { id: string; name: string; caId: string | undefined; caName: string; serialHex: string } & Lifetime

const keyOf = (certificate: Uint8Array): Buffer => Buffer.from(parseCertificate(certificate).publicKey.spki)

/** Lists the other certificates of the same key, the newest first and at most `most`, with their total. Undefined where the certificate does not exist. */
export async function siblingsOf(
  db: Database,
  tenantId: string,
  certificateId: string,
  most: number,
): Promise<{ siblings: Sibling[]; total: number } | undefined> {
  const record = await certificateById(db, tenantId, certificateId)
  if (record === undefined) return undefined
  const { rows, total } = await othersOfKey(db, tenantId, keyOf(record.certificate), certificateId, most)
  return {
    total,
    siblings: rows.map((row) => ({
      id: row.id,
      name: row.name,
      caId: row.ca_id ?? undefined,
      caName: row.ca_name,
      serialHex: row.serial_hex,
      ...lifetimeOf(row),
    })),
  }
}

/** Whether two certificates of ours are of one key. */
export async function areOfOneKey(db: Database, tenantId: string, one: string, other: string): Promise<boolean> {
  const [first, second] = [await certificateById(db, tenantId, one), await certificateById(db, tenantId, other)]
  return first !== undefined && second !== undefined && keyOf(first.certificate).equals(keyOf(second.certificate))
}

/** Names the renewal for which a key must be new. With `wantsNew` a key is old once it has any certificate. `requestId` is the request that supplies the key, once it exists. */
type SaidToBeNew = { renews: string; wantsNew: boolean; requestId?: string }

/** Refuses a key that is not new enough for the renewal. */
export async function oldKeyRefusal(
  db: Database,
  tenantId: string,
  spki: Uint8Array,
  { renews, wantsNew, requestId }: SaidToBeNew,
): Promise<Refusal | undefined> {
  const key = Buffer.from(spki)
  const record = await certificateById(db, tenantId, renews)
  if (record !== undefined && keyOf(record.certificate).equals(key)) return refusal('keyOfRenewed', undefined)
  if (!wantsNew) return undefined
  const inRequest = await isKeyOfRequest(db, tenantId, key, ['waiting', 'approved', 'reserved'], requestId)
  if (await isKeyOfAnother(db, tenantId, key, renews)) return refusal('keyInCertificate', undefined)
  return inRequest ? refusal('keyInRequest', undefined) : undefined
}

/**
 * The same in the transaction that reserves the certificate, where of those who bring one key at the same moment one goes first: the others wait here until
 * it has ended, and then see it.
 */
export async function takenKeyRefusal(
  db: Database,
  { id, tenant_id: tenantId, renews, csr, plan }: RequestRecord,
  spki: Uint8Array,
): Promise<Refusal | undefined> {
  if (renews === null || csr === null || !wantsNewKey(plan)) return undefined
  const key = Buffer.from(spki)
  await holdKey(db, tenantId, key)
  // Requests first: one that gets its certificate between the two looks is seen by the second.
  return (await isKeyOfRequest(db, tenantId, key, ['reserved'], id)) || (await isKeyOfAnother(db, tenantId, key, renews))
    ? refusal('keyInCertificate', undefined)
    : undefined
}

/** For the people of a managing tenancy: how many valid certificates of the key there are in those that it manages. Which, only they themselves see. */
export async function siblingsElsewhere(db: Database, tenantId: string, certificateId: string, now: Date): Promise<number | undefined> {
  const managed = await managedBy(db, tenantId)
  const record = managed.length === 0 ? undefined : await certificateById(db, tenantId, certificateId)
  if (record === undefined) return undefined
  const key = keyOf(record.certificate)
  let count = 0
  for (const { id } of managed) {
    count += await visitTenant(db, { home: tenantId, tenantId: id }, () => countValidOfKey(db, id, key, now))
  }
  return count
}
