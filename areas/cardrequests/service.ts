// What rooms above may ask of requests for cards.

import { searchPeople } from '#areas/users/service.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { openRequestOf, presentRequests, type OpenRequest } from './server/presenter.ts'
import { findOpenRequests, findPhoto, listPhotoRequests, pageOfRequests } from './server/store.ts'

export type { OpenRequest }
export { photoAnswer } from './server/presenter.ts'

const mostNamed = 500

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
export const openAmongRequests = async (tenancy: Tenancy, ids: readonly string[]): Promise<OpenRequest[]> =>
  (await findOpenRequests(tenancy, ids)).map(openRequestOf)

/** The photo that came with a request; never another one, since a request keeps its photo until it is withdrawn. */
export const photoOfRequest = (tenancy: Tenancy, requestId: string): Promise<{ type: string; bytes: Buffer } | undefined> =>
  findPhoto(tenancy, requestId)

/** Of each of these people and each template the last request with a photo that was not withdrawn. */
export const requestsWithPhoto = async (tenancy: Tenancy, userIds: readonly string[]): Promise<Omit<OpenRequest, 'madeAt'>[]> =>
  (await listPhotoRequests(tenancy, userIds)).map(({ id, user_id: userId, card_template_id: cardTemplateId }) => ({
    id,
    userId,
    cardTemplateId,
  }))

/** Of these requests those that have a photo. */
export { listWithPhoto as withPhoto } from './server/store.ts'
