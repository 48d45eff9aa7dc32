import { cardKinds } from '#areas/smartcards/holders.ts'
import { findPeople, fullName } from '#areas/users/service.ts'
import type { EndpointAnswer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { listWithPhoto, type RequestRecord } from './store.ts'

export async function presentRequests(tenancy: Tenancy, rows: readonly RequestRecord[]) {
  const people = new Map(
    (await findPeople(tenancy.db, tenancy.tenantId, [...new Set(rows.map(({ user_id: id }) => id))])).map((person) => [person.id, person]),
  )
  const kinds = new Map((await cardKinds(tenancy)).map(({ id, name }) => [id, name]))
  const withPhoto = await listWithPhoto(
    tenancy,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => {
    const person = people.get(row.user_id)
    return {
      id: row.id,
      state: row.state,
      person: { id: row.user_id, name: person === undefined ? '' : fullName(person), username: person?.username ?? '' },
      cardTemplateId: row.card_template_id,
      cardTemplateName: kinds.get(row.card_template_id) ?? '',
      ...(row.due_at === null ? {} : { dueDate: row.due_at.toISOString() }),
      deliverTo: row.deliver_to,
      by: row.by_name,
      madeAt: row.made_at.toISOString(),
      hasPhoto: withPhoto.has(row.id),
    }
  })
}

export type OpenRequest = { id: string; userId: string; cardTemplateId: string; madeAt: Date }
export const openRequestOf = ({ id, user_id: userId, card_template_id: cardTemplateId, made_at: madeAt }: RequestRecord): OpenRequest => ({
  id,
  userId,
  cardTemplateId,
  madeAt,
})

/** A photo that a browser shows and does nothing else with. */
export const photoAnswer = ({ type, bytes }: { type: string; bytes: Buffer }): EndpointAnswer => ({
  headers: {
    'content-type': type,
    'content-length': String(bytes.length),
    'content-disposition': `attachment; filename="photo.${type === 'image/png' ? 'png' : 'jpg'}"`,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  },
  body: bytes,
})
