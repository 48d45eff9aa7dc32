// Keys that are never certified, however good they are: those of certificates revoked for key compromise, and those that authorities here
// sign with (whose certificates only authorities give).

import { hash } from 'node:crypto'
import { refusal } from '#areas/authorities/refusals.ts'
import { retainedKeys } from '#areas/keys/service.ts'
import { atOwner, ownerOf } from '#areas/licensing/service.ts'
import type { Refusal } from '#core/contract/refusal.ts'
import type { Statement } from '#core/server/batch.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import type { CertificateRecord } from '../store.ts'
import { compromisedAmong, compromisesHeld, holdCompromises, insertCompromisedKey, isAnyCompromised, isCompromised } from './key-store.ts'

const compromised = () => refusal('keyCompromised', undefined)

const fingerprintOf = (spki: Uint8Array): string => hash('sha256', spki, 'hex')

/** In the transaction of the revocation. The owner of a licensed authority knows it, too: that authority certifies the key for nobody. */
export async function recordCompromises(
  db: Database,
  tenantId: string,
  records: readonly Pick<CertificateRecord, 'id' | 'ca_id' | 'certificate'>[],
  since: Date,
): Promise<void> {
  const owners = new Map<string, string>()
  for (const { ca_id: caId } of records) if (caId !== null && !owners.has(caId)) owners.set(caId, await ownerOf(db, tenantId, caId, since))
  await holdCompromises(db, [tenantId, ...owners.values()], 'alone')
  for (const { id, ca_id: caId, certificate } of records) {
    const key_sha256 = fingerprintOf(parseCertificate(certificate).publicKey.spki)
    for (const tenant_id of new Set([tenantId, owners.get(caId ?? '') ?? tenantId])) {
      await atOwner(db, tenantId, tenant_id, () => insertCompromisedKey(db, { tenant_id, key_sha256, since, certificate_id: id }))
    }
  }
}

/** Tells why this key cannot have a certificate of an authority of that owner; undefined where nothing is known against it. */
export async function keyRefusal(db: Database, tenantId: string, spki: Uint8Array, ownerId = tenantId): Promise<Refusal | undefined> {
  const fingerprint = fingerprintOf(spki)
  if (await isCompromised(db, tenantId, fingerprint)) return compromised()
  if (ownerId !== tenantId && (await atOwner(db, tenantId, ownerId, () => isCompromised(db, ownerId, fingerprint)))) return compromised()
  return (await retainedFingerprints(db, tenantId)).has(fingerprint) ? refusal('keyOfAuthority', undefined) : undefined
}

/** The same in the transaction that stores the certificate, from where on nobody takes the key out of use before its commit. */
export async function lateKeyRefusal(db: Database, tenantId: string, spki: Uint8Array, ownerId: string): Promise<Refusal | undefined> {
  await holdCompromises(db, [tenantId, ownerId], 'together')
  return keyRefusal(db, tenantId, spki, ownerId)
}

/** The same for many in one breath: the second gives a row for each that was compromised. */
export const lateCompromises = (tenantId: string, keys: readonly Uint8Array[]): readonly Statement[] => [
  compromisesHeld(tenantId),
  compromisedAmong(tenantId, keys.map(fingerprintOf)),
]

const retainedFingerprints = async (db: Database, tenantId: string): Promise<Set<string>> =>
  new Set((await retainedKeys(db, tenantId)).map(fingerprintOf))

/** The same out of memory, and without a question to the database where no key of the tenancy was ever compromised. */
export async function rememberedKeyRefusal(house: House, tenantId: string, spki: Uint8Array): Promise<Refusal | undefined> {
  const known = await house.cache.get(`refused keys ${tenantId}`, () =>
    inTenant(house.database, tenantId, async (db) => ({
      anyCompromised: await isAnyCompromised(db, tenantId),
      retained: await retainedFingerprints(db, tenantId),
    })),
  )
  const fingerprint = fingerprintOf(spki)
  if (known.retained.has(fingerprint)) return refusal('keyOfAuthority', undefined)
  return known.anyCompromised && (await inTenant(house.database, tenantId, (db) => isCompromised(db, tenantId, fingerprint)))
    ? compromised()
    : undefined
}
