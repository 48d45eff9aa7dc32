// What rooms above need to issue and revoke under a licence: the way to the owner's tenancy and back within one commit, and the owner's record of it.

import type * as z from 'zod'
import { findUsableIssuer, type UsableIssuer } from '#areas/authorities/licensing.ts'
import { refusal } from '#areas/authorities/refusals.ts'
import { licenceRefusal } from '#areas/authorities/rules.ts'
import type { Template } from '#areas/templates/service.ts'
import type { Refusal } from '#core/contract/refusal.ts'
import { visitTenant, type Database } from '#core/server/database.ts'
import { doneEvent, writeEvents } from '#core/server/events.ts'
import { licensing } from './contract.ts'
import { allRoots } from './server/store.ts'

/** Does `work` in the tenancy of the authority's owner, in the same transaction. With an own authority there is nowhere to go. */
export const atOwner = <T>(db: Database, tenantId: string, ownerId: string, work: () => Promise<T>): Promise<T> =>
  ownerId === tenantId ? work() : visitTenant(db, { home: tenantId, tenantId: ownerId }, work)

/** The tenancy whose authority it is: the own one, unless the authority is licensed. */
export const ownerOf = async (db: Database, tenantId: string, caId: string, now: Date): Promise<string> =>
  (await findUsableIssuer(db, tenantId, caId, now))?.tenantId ?? tenantId

/** The roots of TPM manufacturers that the tenancy accepts. */
export const listAttestationRoots = (db: Database, tenantId: string) => allRoots(db, tenantId)

type Asked = Pick<Template, 'displayName' | 'templateName' | 'granted' | 'licence'>

/** Tells why the licences of another's authority and template do not allow issuing now; undefined where they do, and for what is one's own. */
export function licenceFault(
  issuer: Pick<UsableIssuer, 'friendlyName' | 'licence'>,
  template: Asked | undefined,
  now: Date,
): Refusal | undefined {
  const ofAuthority = issuer.licence && licenceRefusal(issuer.licence, now)
  if (ofAuthority !== undefined) return refusal('authorityLicence', { authority: issuer.friendlyName, reason: ofAuthority })
  const ofTemplate = template?.licence && licenceRefusal(template.licence, now)
  if (template === undefined || ofTemplate === undefined) return undefined
  return refusal('templateLicence', { template: template.displayName || template.templateName, reason: ofTemplate })
}

type OwnersEvents = Pick<typeof licensing.events, 'licensedReserved' | 'licensedIssued' | 'licensedRevoked' | 'licensedReleased'>

/** What a licensee did with an own authority, in the owner's record. The transaction's tenant is the owner. */
export async function tellOwner<E extends keyof OwnersEvents>(
  db: Database,
  ownerId: string,
  event: E,
  body: z.input<OwnersEvents[E]['body']>,
  now: Date,
): Promise<void> {
  await writeEvents(db, ownerId, [doneEvent(now, { name: 'Licensee' }, { area: licensing.area, name: event, body, about: body.caId })])
}
