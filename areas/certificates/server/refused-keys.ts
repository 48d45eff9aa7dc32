// Keys that are never certified, however good they are: those of certificates revoked for key compromise, and those that authorities here
// sign with (whose certificates only authorities give).

import { hash } from 'node:crypto'
import { inTenant, type Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { keptKeys } from '#areas/keys/service.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { insertCompromisedKey, isAnyCompromised, isCompromised } from './key-store.ts'
import type { CertificateRecord } from './store.ts'

const fingerprintOf = (spki: Uint8Array): string => hash('sha256', spki, 'hex')

const compromisedSays = 'This key cannot be certified again, because a certificate of it was revoked for key compromise'
const authoritySays = 'This is the key of an authority, and each certificate needs a key of its own'

/** In the transaction of the revocation. */
export async function recordCompromise(db: Database, record: Pick<CertificateRecord, 'tenant_id' | 'id' | 'certificate'>, since: Date): Promise<void> {
  const key_sha256 = fingerprintOf(parseCertificate(record.certificate).publicKey.spki)
  await insertCompromisedKey(db, { tenant_id: record.tenant_id, key_sha256, since, certificate_id: record.id })
}

/** Why this key cannot have a certificate, as a sentence; undefined where nothing is known against it. */
export async function keyRefusal(db: Database, tenantId: string, spki: Uint8Array): Promise<string | undefined> {
  const fingerprint = fingerprintOf(spki)
  if (await isCompromised(db, tenantId, fingerprint)) return compromisedSays
  return (await keptFingerprints(db, tenantId)).has(fingerprint) ? authoritySays : undefined
}

const keptFingerprints = async (db: Database, tenantId: string): Promise<Set<string>> => new Set((await keptKeys(db, tenantId)).map(fingerprintOf))

/** The same out of memory, and without a question to the database where no key of the tenancy was ever compromised. */
export async function rememberedKeyRefusal(house: House, tenantId: string, spki: Uint8Array): Promise<string | undefined> {
  const known = await house.memory.recall(`refused keys ${tenantId}`, () =>
    inTenant(house.database, tenantId, async (db) => ({ anyCompromised: await isAnyCompromised(db, tenantId), kept: await keptFingerprints(db, tenantId) })),
  )
  const fingerprint = fingerprintOf(spki)
  if (known.kept.has(fingerprint)) return authoritySays
  return known.anyCompromised && (await inTenant(house.database, tenantId, (db) => isCompromised(db, tenantId, fingerprint))) ? compromisedSays : undefined
}
