// What stands on a card of a person.

import { requestPhoto } from '#areas/cardrequests/service.ts'
import { photoOf } from '#areas/profiles/service.ts'
import { findPeople } from '#areas/users/service.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { FaceFacts } from '../rules.ts'

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

/** The photo that somebody else gave the person; only without one that which the person sent with the request, because nobody has agreed to it. */
export async function facePhoto(tenancy: Tenancy, userId: string | null, cardTemplateId: string): Promise<Uint8Array | undefined> {
  if (userId === null) return undefined
  return ((await photoOf(tenancy, userId)) ?? (await requestPhoto(tenancy, userId, cardTemplateId)))?.bytes
}
