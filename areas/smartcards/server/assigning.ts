// Whose a card will be, before anything is made on it.

import { findPerson } from '#areas/users/service.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { assignableStatuses, type CardStatus } from '../rules.ts'
import { findSettings, listReplacing } from './life-store.ts'
import { isBusy } from './life.ts'
import { listCurrent } from './operation-store.ts'
import { isBeyond } from './policy.ts'
import { findTemplateRow, lockCard, updateCard, type CardRecord } from './store.ts'

export type Assigning = { cardId: string; userId: string; cardTemplateId: string; extensions: CardRecord['extensions'] }
export type AssignRefusal = 'wrongStatus' | 'unknownPerson' | 'unknownTemplate' | 'beyond'

/** Says whose the card will be; undefined where it is done. The caller's transaction records it. */
export async function assignCard(
  house: Pick<House, 'offers'>,
  tenancy: Tenancy,
  viewer: Viewer,
  { cardId, userId, cardTemplateId, extensions }: Assigning,
  temporary?: { replacesId: string; days: number },
): Promise<{ refused: AssignRefusal; status: CardStatus } | undefined> {
  const card = await lockCard(tenancy, cardId)
  const status = card?.status ?? 'UNREGISTERED'
  const refuse = (refused: AssignRefusal) => ({ refused, status })
  if (card === undefined || !assignableStatuses.includes(status) || (await isBusy(tenancy, cardId))) return refuse('wrongStatus')
  // Its keys may be good still, and whoever gets the card would have them.
  if (status === 'UNKNOWN' && (await listCurrent(tenancy, [cardId])).length > 0) return refuse('wrongStatus')
  const person = await findPerson(tenancy.db, tenancy.tenantId, userId)
  if (person === undefined || !person.enabled) return refuse('unknownPerson')
  if (await isBeyond(house, tenancy, viewer, userId)) return refuse('beyond')
  const template = await findTemplateRow(tenancy, cardTemplateId)
  if (template === undefined || !template.enabled) return refuse('unknownTemplate')
  await updateCard(tenancy, cardId, {
    status: 'ASSIGNED',
    holder_id: userId,
    card_template_id: cardTemplateId,
    assigned_at: tenancy.now,
    extensions,
    temporary: temporary !== undefined,
    replaces_id: temporary?.replacesId ?? null,
    temporary_days: temporary?.days ?? null,
    passphrase_hash: null,
  })
  return undefined
}

/** False where it is not assigned. */
export async function unassignCard(tenancy: Tenancy, cardId: string): Promise<{ status: CardStatus } | undefined> {
  const card = await lockCard(tenancy, cardId)
  if (card?.status !== 'ASSIGNED' || (await isBusy(tenancy, cardId))) return { status: card?.status ?? 'UNREGISTERED' }
  await updateCard(tenancy, cardId, {
    status: 'REGISTERED',
    holder_id: null,
    card_template_id: null,
    assigned_at: null,
    extensions: {},
    temporary: false,
    replaces_id: null,
    temporary_days: null,
  })
  return undefined
}

export type ReplaceRefusal = { refused: 'notReplaceable' | 'replacedAlready'; serial: string }

/** Why a card cannot be stood for by another one, the card that would do so set aside. */
export async function replaceRefusal(tenancy: Tenancy, old: CardRecord, cardId: string): Promise<ReplaceRefusal | undefined> {
  if (old.temporary || old.id === cardId || (old.status !== 'ISSUED' && old.status !== 'SUSPENDED') || old.holder_id === null)
    return { refused: 'notReplaceable', serial: old.serial }
  const other = (await listReplacing(tenancy, old.id)).find(({ id }) => id !== cardId)
  return other === undefined ? undefined : { refused: 'replacedAlready', serial: other.serial }
}

/** For how many days a temporary card is good: as somebody says, or as the tenancy has set it. */
export async function temporaryDaysOf(tenancy: Tenancy, given: number | undefined): Promise<number> {
  if (given !== undefined) return given
  const found = await findSettings(tenancy)
  return found === undefined || found.unlimited_is_default ? 0 : found.temporary_days
}
