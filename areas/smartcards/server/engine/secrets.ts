// The keys of cards that are kept here: the master from which management keys follow, and the PUK of each card, sealed under the tenancy's key.

import { randomBytes, randomInt } from 'node:crypto'
import { sealForTenant, unsealForTenant } from '#areas/keys/sealing.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { factory, managementAlgorithms, type ManagementAlgorithm } from '#standards/piv/identifiers.ts'
import { diversify, type ManagementKey } from '#standards/piv/management-key.ts'
import { findMaster, insertMaster, type CardRecord } from '../store.ts'

const masterPurpose = 'card_masters'
const pukPurpose = (cardId: string) => `cards ${cardId} puk`

/** The master of the tenancy; made when it is first needed. */
export async function masterKey(house: House, tenantId: string): Promise<Buffer> {
  return withTenancy(house, tenantId, async (tenancy) => {
    if ((await findMaster(tenancy)) === undefined) {
      const { sealed, tenantKeyId } = await sealForTenant(tenancy.db, house, {
        tenantId,
        purpose: masterPurpose,
        plain: randomBytes(32),
        now: tenancy.now,
      })
      await insertMaster(tenancy, { master_sealed: sealed, tenant_key_id: tenantKeyId })
    }
    const row = await findMaster(tenancy)
    if (row === undefined) throw new Error('The master key of the cards is gone')
    return unsealForTenant(tenancy.db, house, {
      tenantId,
      purpose: masterPurpose,
      sealed: row.master_sealed,
      tenantKeyId: row.tenant_key_id,
    })
  })
}

/** The management key of a card in one of its versions; 0 is what cards leave the factory with. */
export function managementKeyOf(
  master: Uint8Array,
  algorithm: ManagementAlgorithm,
  { serial, version }: { serial: string; version: number },
): ManagementKey {
  if (version > 0) return diversify(master, algorithm, { serial, version })
  const { key: length } = managementAlgorithms[algorithm]
  return { algorithm, key: Buffer.concat([factory.managementKey, factory.managementKey]).subarray(0, length) }
}

export const newPuk = (): string => Array.from({ length: 8 }, () => randomInt(10)).join('')

export async function sealPuk(house: House, { db, tenantId, now }: Tenancy, cardId: string, puk: string) {
  const { sealed, tenantKeyId } = await sealForTenant(db, house, { tenantId, purpose: pukPurpose(cardId), plain: Buffer.from(puk), now })
  return { puk_next_sealed: sealed, puk_next_key_id: tenantKeyId }
}

const unseal = async (house: House, { db, tenantId }: Tenancy, cardId: string, sealed: Buffer | null, tenantKeyId: string | null) =>
  sealed === null || tenantKeyId === null
    ? undefined
    : (await unsealForTenant(db, house, { tenantId, purpose: pukPurpose(cardId), sealed, tenantKeyId })).toString()

/** What the PUK of a card may be: the one that is being set first, then the one that was. */
export async function pukCandidates(
  house: House,
  tenancy: Tenancy,
  card: CardRecord,
): Promise<{ next: string | undefined; current: string | undefined }> {
  return {
    next: await unseal(house, tenancy, card.id, card.puk_next_sealed, card.puk_next_key_id),
    current: await unseal(house, tenancy, card.id, card.puk_sealed, card.puk_key_id),
  }
}
