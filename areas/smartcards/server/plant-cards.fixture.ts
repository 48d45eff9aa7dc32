// Puts cards in as registered ones, for rooms that look at many.

import { randomUUID } from 'node:crypto'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { CardStatus } from '../rules.ts'
import { findBySerial, insertCard, updateCard } from './store.ts'

export async function plantCards(tenancy: Tenancy, serials: readonly string[], holderId: string): Promise<void> {
  for (const serial of serials) {
    const id = randomUUID()
    const card = { id, serial, atr: '', guid: '', kind: 'PIV', firmware: '', management_algorithm: '' }
    await insertCard(tenancy, { ...card, status: 'REGISTERED', read_at: tenancy.now, added_at: tenancy.now })
    await updateCard(tenancy, id, { holder_id: holderId })
  }
}

export async function moveTo(tenancy: Tenancy, serial: string, status: CardStatus): Promise<void> {
  const card = await findBySerial(tenancy, serial)
  if (card !== undefined) await updateCard(tenancy, card.id, { status })
}
