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

/** The photo that was sent with the request for the card; without one that of the person. */
export async function facePhoto(tenancy: Tenancy, userId: string | null, cardTemplateId: string): Promise<Uint8Array | undefined> {
  if (userId === null) return undefined
  return ((await requestPhoto(tenancy, userId, cardTemplateId)) ?? (await photoOf(tenancy, userId)))?.bytes
}
