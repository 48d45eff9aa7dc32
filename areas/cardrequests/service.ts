// What rooms above may ask of requests for cards.

import { searchPeople } from '#areas/users/service.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { presentRequests } from './server/presenter.ts'
import { findOpenRequests, findPhotoOf, pageOfRequests } from './server/store.ts'

const mostNamed = 500
export type OpenRequest = { id: string; userId: string; cardTemplateId: string }

/** Open requests page by page, the oldest first. */
export async function openRequests(
  tenancy: Tenancy,
  { text, page, size }: { text: string; page: number; size: number },
): Promise<{ rows: Awaited<ReturnType<typeof presentRequests>>; total: number }> {
  const among = text.trim() === '' ? undefined : (await searchPeople(tenancy.db, tenancy.tenantId, text, mostNamed)).map(({ id }) => id)
  const { rows, total } = await pageOfRequests(tenancy, { page, size, state: 'open', among, sort: 'madeAt', direction: 'asc' })
  return { rows: await presentRequests(tenancy, rows), total }
}

/** Those of these requests that are open. */
export async function openAmongRequests(tenancy: Tenancy, ids: readonly string[]): Promise<OpenRequest[]> {
  const rows = await findOpenRequests(tenancy, ids)
  return rows.map(({ id, user_id: userId, card_template_id: cardTemplateId }) => ({ id, userId, cardTemplateId }))
}

/** The photo that a person sent with the last request for a card of the template. */
export const requestPhoto = (
  tenancy: Tenancy,
  userId: string,
  cardTemplateId: string,
): Promise<{ type: string; bytes: Buffer } | undefined> => findPhotoOf(tenancy, userId, cardTemplateId)
