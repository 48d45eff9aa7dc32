// Certificates of one key. Whoever has the key of one has the key of all: when one is revoked for compromise, the others are no better.

import { visitTenant, type Database } from '#core/server/database.ts'
import { managedBy } from '#areas/tenancy/service.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { countValidOfKey, isKeyOfAnother, othersOfKey } from './key-store.ts'
import { lifetimeOf, type Lifetime } from '../rules.ts'
import { certificateById } from './certificate-store.ts'

export type Sibling = { id: string; name: string; caId: string | undefined; caName: string; serialHex: string } & Lifetime

const keyOf = (certificate: Uint8Array): Buffer => Buffer.from(parseCertificate(certificate).publicKey.spki)

/** The others of the same key, the newest first, at most so many, and how many there are; undefined where there is no such certificate. */
export async function siblingsOf(db: Database, tenantId: string, certificateId: string, most: number): Promise<{ siblings: Sibling[]; total: number } | undefined> {
  const record = await certificateById(db, tenantId, certificateId)
  if (record === undefined) return undefined
  const { rows, total } = await othersOfKey(db, tenantId, keyOf(record.certificate), certificateId, most)
  return {
    total,
    siblings: rows.map((row) => ({ id: row.id, name: row.name, caId: row.ca_id ?? undefined, caName: row.ca_name, serialHex: row.serial_hex, ...lifetimeOf(row) })),
  }
}

/** Why this is no new key for the renewal of a certificate, as a sentence. Where the template `wantsNew`, any certificate of it, however old, has made it an old one. */
export async function oldKeyRefusal(db: Database, tenantId: string, spki: Uint8Array, certificateId: string, wantsNew: boolean): Promise<string | undefined> {
  const record = await certificateById(db, tenantId, certificateId)
  if (record !== undefined && keyOf(record.certificate).equals(spki)) return 'This is the key of the certificate that is to be renewed. Make a new one'
  return wantsNew && (await isKeyOfAnother(db, tenantId, Buffer.from(spki), certificateId)) ? 'This key is in another certificate already, and the template wants a new one. Make a new key' : undefined
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
