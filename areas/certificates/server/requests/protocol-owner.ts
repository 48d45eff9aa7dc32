// In whose name an enrolment protocol asks: whoever saved its directory or profile last, with what that person may do now, and the templates that it may offer.

import { certificateClasses, type Entity } from '#areas/templates/rules.ts'
import { listTemplates, type Template } from '#areas/templates/service.ts'
import { rightsHere } from '#areas/users/rights.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

const requestPermission = 'certSigningRequest'

/** Undefined where they may not ask any more. `credentialId`: the directory or profile that asks. */
export async function protocolViewer(
  { db, tenantId }: Tenancy,
  { userId, credentialId }: { userId: string; credentialId: string },
): Promise<Viewer | undefined> {
  const rights = await rightsHere(db, tenantId, userId)
  if (rights === undefined || !rights.permission.api.includes(requestPermission)) return undefined
  return {
    userId,
    username: rights.person.username,
    tenantId,
    homeTenantId: rights.person.tenantId,
    permission: rights.permission,
    via: 'job',
    credentialId,
  }
}

/** The same of a person who asks for a certificate of their own, at home: undefined where they may not, or not with this template. */
export async function personalViewer(
  { db, tenantId }: Tenancy,
  { userId, template, credentialId }: { userId: string; template: Pick<Template, 'selfServiceEligible'>; credentialId: string },
): Promise<Viewer | undefined> {
  const rights = await rightsHere(db, tenantId, userId)
  if (rights === undefined || rights.person.tenantId !== tenantId) return undefined
  if (!template.selfServiceEligible && !rights.permission.api.includes('certSigningRequestUser')) return undefined
  const { person, permission } = rights
  return { userId, username: person.username, tenantId, homeTenantId: tenantId, permission, via: 'job', credentialId }
}

/** Those that `entities` may have, and that whoever will own the directory or profile may ask with. Most protocols prove no person: devices alone. */
export async function protocolTemplates(
  { db, tenantId, now }: Tenancy,
  { permission: { api } }: Viewer,
  entities: readonly Entity[] = ['device'],
): Promise<Template[]> {
  return (await listTemplates(db, tenantId, now)).filter(
    ({ enabled, class: kind, accessLevel, rules }) =>
      enabled &&
      rules.cardsOnly !== true &&
      certificateClasses[kind].entities.some((entity) => entities.includes(entity)) &&
      (accessLevel !== 'ADMINISTRATOR' || api.includes('manageCAs')),
  )
}
