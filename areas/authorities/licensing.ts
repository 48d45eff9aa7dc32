// What rooms above may ask about authorities that one tenancy lets another use. The key, the serials and what becomes of them stay with the owner;
// the tenancy that asks for a certificate keeps the certificate.

import { slot } from '#core/contract/slots.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { licenceRefusal, type LicenceTerm } from './rules.ts'
import { allIssuing, findIssuing } from './server/issuer-store.ts'
import { issuerOf, type Issuer } from './server/issuers.ts'
import { licencesGiven, licensedRows, putAuthorityLicence } from './server/licence-store.ts'

export { licencesGiven, putAuthorityLicence }

/** `granted`: undefined for an own authority, and false where the licence does not hold now. `licence`: what its owner grants. */
export type UsableIssuer = Issuer & { granted: boolean | undefined; licence: LicenceTerm | undefined }

const licensed = (db: Database, tenantId: string, now: Date, caId?: string): Promise<UsableIssuer[]> =>
  licensedRows(db, tenantId, caId).then((all) =>
    all.flatMap(({ row, term }) => {
      const issuer = issuerOf(row, now)
      const granted = licenceRefusal(term, now) === undefined
      return issuer === undefined ? [] : [{ ...issuer, enabled: issuer.enabled && granted, granted, licence: term }]
    }),
  )

/** The authority if it is the tenancy's own, or was ever licensed to it. `tenantId` of the answer is its owner's. */
export async function findUsableIssuer(db: Database, tenantId: string, caId: string, now: Date): Promise<UsableIssuer | undefined> {
  const row = await findIssuing(db, tenantId, caId)
  if (row === undefined) return (await licensed(db, tenantId, now, caId))[0]
  const issuer = issuerOf(row, now)
  return issuer && { ...issuer, granted: undefined, licence: undefined }
}

/** The tenancy's own authorities and those ever licensed to it, own ones first. */
export async function listUsableIssuers(db: Database, tenantId: string, now: Date): Promise<UsableIssuer[]> {
  const own = (await allIssuing(db, tenantId))
    .flatMap((row) => issuerOf(row, now) ?? [])
    .map((issuer) => ({ ...issuer, granted: undefined, licence: undefined }))
  return [...own, ...(await licensed(db, tenantId, now))]
}

/** The short form of a template, which is all that this room knows of it. */
type TemplateName = { id: string; displayName: string; class: string; templateFriendlyName: string; type: string }
export type TemplateFlags = TemplateName & {
  licensedTemplateId: string
  enabled: boolean
  anonymousEnabled: boolean
  selfServiceEligible: boolean
}

type FlagsOf = (db: Database, tenantId: string, now: Date) => Promise<Map<string, TemplateFlags[]>>

/** The room of templates, which stands above, says what an authority's list shows of them: by authority. */
export const templateFlagsOf = slot<FlagsOf>('authorities: the templates that an authority offers')

export async function licensedTemplatesOf(house: House, db: Database, tenantId: string, now: Date): Promise<Map<string, TemplateFlags[]>> {
  const [flagsOf] = house.offers(templateFlagsOf)
  return flagsOf === undefined ? new Map() : flagsOf(db, tenantId, now)
}
