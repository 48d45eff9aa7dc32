// What stands on a card of a person, and whether the card may be printed now.

import { openAmongRequests, photoOfRequest, requestsWithPhoto, withPhoto } from '#areas/cardrequests/service.ts'
import { photoOf } from '#areas/profiles/service.ts'
import { findPeople } from '#areas/users/service.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { FaceFacts, SkipReason } from '../rules.ts'
import type { PrintedRecord } from './store.ts'

export async function factsOf(tenancy: Tenancy, userId: string | null, cardSerial: string): Promise<FaceFacts> {
  const [person] = userId === null ? [] : await findPeople(tenancy.db, tenancy.tenantId, [userId])
  return {
    cardSerial,
    ...(person === undefined
      ? {}
      : {
          givenName: person.givenName,
          familyName: person.familyName,
          userName: person.username,
          emailAddress: person.emailAddress,
          title: person.title,
          orgOid: person.organisation,
        }),
  }
}

/** The photo that somebody else gave the person; only without one that of the request, because nobody has agreed to it. */
async function photoFor(tenancy: Tenancy, userId: string | null, requestId: string | null): Promise<Uint8Array | undefined> {
  if (userId === null) return undefined
  return ((await photoOf(tenancy, userId)) ?? (requestId === null ? undefined : await photoOfRequest(tenancy, requestId)))?.bytes
}

/** What a card that is in no batch yet would show. */
export async function facePhoto(tenancy: Tenancy, userId: string | null, cardTemplateId: string): Promise<Uint8Array | undefined> {
  if (userId === null) return undefined
  const requestId = (await photoRequests(tenancy, [userId])).get(photoKey(userId, cardTemplateId))
  return photoFor(tenancy, userId, requestId ?? null)
}

/** Never the photo of another request than that which the card was bound to when it was put into its batch. */
export const boundPhoto = (tenancy: Tenancy, row: Pick<PrintedRecord, 'user_id' | 'photo_request_id'>): Promise<Uint8Array | undefined> =>
  photoFor(tenancy, row.user_id, row.photo_request_id)

/** Whether the card shows what the person sent, which nobody else has agreed to. */
export const isOwnPhoto = async (
  tenancy: Tenancy,
  { user_id: userId, photo_request_id: id }: Pick<PrintedRecord, 'user_id' | 'photo_request_id'>,
) => userId !== null && id !== null && (await photoOf(tenancy, userId)) === undefined

export const photoKey = (userId: string, cardTemplateId: string): string => `${userId} ${cardTemplateId}`

/** The requests whose photos cards of these people are bound to now, by person and template. */
export const photoRequests = async (tenancy: Tenancy, userIds: readonly string[]): Promise<Map<string, string>> =>
  new Map(
    (await requestsWithPhoto(tenancy, [...new Set(userIds)])).map(({ id, userId, cardTemplateId }) => [
      photoKey(userId, cardTemplateId),
      id,
    ]),
  )

type Waiting = Pick<PrintedRecord, 'id' | 'user_id' | 'request_id' | 'photo_request_id'>

/** Of these cards those that may not be printed now, and why. */
export async function hindered(tenancy: Tenancy, rows: readonly Waiting[]): Promise<Map<string, SkipReason>> {
  const people = new Map(
    (
      await findPeople(
        tenancy.db,
        tenancy.tenantId,
        rows.flatMap(({ user_id: id }) => id ?? []),
      )
    ).map((person) => [person.id, person]),
  )
  const requestIds = rows.flatMap(({ request_id: id }) => id ?? [])
  const open = new Set((await openAmongRequests(tenancy, requestIds)).map(({ id }) => id))
  const photos = await withPhoto(
    tenancy,
    rows.flatMap(({ photo_request_id: id }) => id ?? []),
  )
  const reasons = new Map<string, SkipReason>()
  for (const { id, user_id: userId, request_id: requestId, photo_request_id: photoId } of rows) {
    const person = userId === null ? undefined : people.get(userId)
    if (userId === null || person === undefined) reasons.set(id, 'personGone')
    else if (!person.enabled) reasons.set(id, 'personDisabled')
    else if (requestId !== null && !open.has(requestId)) reasons.set(id, 'requestOver')
    else if (photoId !== null && !photos.has(photoId) && (await photoOf(tenancy, userId)) === undefined) reasons.set(id, 'photoGone')
  }
  return reasons
}
