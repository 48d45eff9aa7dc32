// What rooms above may ask: which cards there are and whose, who shall have one, and whether its certificates are good.

import type { Tenancy } from '#core/server/tenancy.ts'
import type { CardStatus } from './rules.ts'
import { listOfHolder } from './server/life-store.ts'
import {
  findBySerial,
  findCardRow,
  findCardRows,
  findTemplateRow,
  listBySerial,
  listCardTemplates,
  type CardRecord,
  type CardTemplateRecord,
} from './server/store.ts'

export { assignCard, unassignCard, type Assigning, type AssignRefusal } from './server/assigning.ts'
export { reportLost, resumeCard, revokeCard, suspendCard, type Moved } from './server/life.ts'
export type { Acting } from './server/policy.ts'
export { isBeyond } from './server/policy.ts'

/** A card as rooms above see it; its keys and secrets stay here. */
export type Card = Pick<CardRecord, 'id' | 'serial' | 'atr' | 'kind' | 'firmware' | 'temporary' | 'extensions' | 'label' | 'custody'> & {
  status: CardStatus
  holderId: string | undefined
  cardTemplateId: string | undefined
  expires: Date | undefined
}

const cardOf = (row: CardRecord): Card => ({
  id: row.id,
  serial: row.serial,
  atr: row.atr,
  kind: row.kind,
  firmware: row.firmware,
  status: row.status,
  temporary: row.temporary,
  extensions: row.extensions,
  label: row.label,
  custody: row.custody,
  holderId: row.holder_id ?? undefined,
  cardTemplateId: row.card_template_id ?? undefined,
  expires: row.expires_at ?? undefined,
})

export async function findCardById(tenancy: Tenancy, id: string): Promise<Card | undefined> {
  const row = await findCardRow(tenancy, id)
  return row && cardOf(row)
}

export async function findCardBySerial(tenancy: Tenancy, serial: string): Promise<Card | undefined> {
  const row = await findBySerial(tenancy, serial)
  return row && cardOf(row)
}

/** Registered cards in the order of their serial numbers, those behind one. */
export const listCardsAfter = async (tenancy: Tenancy, serial: string, most: number): Promise<Card[]> =>
  (await listBySerial(tenancy, serial, most)).map(cardOf)

export const findCards = async (tenancy: Tenancy, ids: readonly string[]): Promise<Card[]> => (await findCardRows(tenancy, ids)).map(cardOf)

export const cardsOfPerson = async (tenancy: Tenancy, userId: string): Promise<Card[]> => (await listOfHolder(tenancy, userId)).map(cardOf)

/** Takes a card's row for `suspendCard` and its like. */
export const findCardForMove = findCardRow

export type CardTemplate = Pick<CardTemplateRecord, 'id' | 'name' | 'enabled' | 'slots'>
export const listTemplatesOfCards = (tenancy: Tenancy): Promise<CardTemplate[]> => listCardTemplates(tenancy)
export const findTemplateOfCards = (tenancy: Tenancy, id: string): Promise<CardTemplate | undefined> => findTemplateRow(tenancy, id)
