// What the room of certificates asks: to keep the key of a certificate that it has just made.

import { sealForTenant } from '#areas/keys/sealing.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId, writeEvents } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { archive } from './contract.ts'
import { archivePurpose } from './server/purpose.ts'
import { insertArchivedKey } from './server/store.ts'

export type KeyToArchive = {
  tenantId: string
  certificateId: string
  name: string
  subject: string
  caId: string
  caName: string
  serialHex: string
  holder: string
  holderUserId: string | null
  templateName: string
  keyKind: string
  notAfter: Date
  certificate: Uint8Array
  /** From the issuer up. */
  chain: readonly Uint8Array[]
  /** PKCS#8. The caller wipes it. */
  privateKey: Uint8Array
  recoveryApprovers: number
  /** Who fetched the key, for the record. */
  by: { userId: string; name: string; address: string }
}

/** Seals and stores the key in the open transaction, beside its certificate. */
export async function archiveKey(db: Database, house: House, key: KeyToArchive, now: Date): Promise<void> {
  const id = timeOrderedId(now)
  const { tenantId } = key
  const { sealed, tenantKeyId } = await sealForTenant(db, house, {
    tenantId,
    purpose: archivePurpose(tenantId, id),
    plain: key.privateKey,
    now,
  })
  await insertArchivedKey(db, {
    tenant_id: tenantId,
    id,
    certificate_id: key.certificateId,
    name: key.name,
    subject: key.subject,
    ca_id: key.caId,
    ca_name: key.caName,
    serial_hex: key.serialHex,
    holder: key.holder,
    holder_user_id: key.holderUserId,
    template_name: key.templateName,
    key_kind: key.keyKind,
    not_after: key.notAfter,
    certificate: Buffer.from(key.certificate),
    chain: key.chain.map((der) => Buffer.from(der)),
    sealed,
    tenant_key_id: tenantKeyId,
    recovery_approvers: Math.max(1, key.recoveryApprovers),
    archived_at: now,
  })
  const body = { archivedKeyId: id, certificateId: key.certificateId, serialNumber: key.serialHex }
  await writeEvents(db, tenantId, [
    {
      at: now,
      actor_id: key.by.userId,
      actor: key.by.name,
      address: key.by.address,
      area: archive.area,
      name: 'archived',
      outcome: 'done',
      about: key.certificateId,
      body: JSON.stringify(body),
      request_id: '',
    },
  ])
}
