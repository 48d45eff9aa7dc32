// Whether a certificate signs a person in. What was shown is compared byte by byte with what our own authority issued, so that our own record says whose it
// is and whether it is revoked, at this moment.

import { allOfTenancy } from '#areas/authorities/service.ts'
import { findRecord, knownByFingerprint } from '#areas/certificates/service.ts'
import { findPerson, type Person } from '#areas/users/service.ts'
import type { Database } from '#core/server/database.ts'
import { inTenant } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { fingerprint, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { otherNameText } from '#standards/x509/general-names.ts'
import { KEY_PURPOSES } from '#standards/x509/key-purposes.ts'
import { OIDS } from '#standards/x509/oids.ts'
import type { RefusalReason } from '../rules.ts'
import { findAuthorities, type PolicyRecord } from './store.ts'

export const keyIdOf = (der: Uint8Array): string | undefined => {
  const found = findExtension(parseCertificate(der).extensions, 'subjectKeyIdentifier')
  return found && Buffer.from(found.keyIdentifier).toString('hex')
}

/** Finds the certificate that was shown among those that the tenancies have issued. Undefined for anything else that a browser may show. */
export async function recognise(db: Database, der: Uint8Array): Promise<{ tenantId: string; certificateId: string } | undefined> {
  const shown = read(der)
  const issuer = shown && findExtension(shown.extensions, 'authorityKeyIdentifier')?.keyIdentifier
  if (shown === undefined || issuer === undefined) return undefined
  const print = fingerprint(shown)
  for (const { tenant_id: tenantId, ca_id: caId } of await findAuthorities(db, Buffer.from(issuer).toString('hex'))) {
    const certificateId = await inTenant(db, tenantId, async (within) => {
      const known = (await knownByFingerprint(within, tenantId, [print])).get(print)
      const record = known?.caId === caId ? await findRecord(within, tenantId, { certId: known.id }) : undefined
      return record !== undefined && record.certificate.equals(der) ? record.id : undefined
    })
    if (certificateId !== undefined) return { tenantId, certificateId }
  }
  return undefined
}

function read(der: Uint8Array): Certificate | undefined {
  try {
    return parseCertificate(der)
  } catch {
    return undefined
  }
}

export type Verdict = { person: Person; refusal?: never } | { refusal: RefusalReason }

export async function judge(tenancy: Tenancy, policy: PolicyRecord | undefined, certificateId: string): Promise<Verdict> {
  const { db, tenantId, now } = tenancy
  const record = await findRecord(db, tenantId, { certId: certificateId })
  if (record === undefined) return { refusal: 'unknown' }
  if (policy?.enabled !== true || record.ca_id === null || !policy.authorities.includes(record.ca_id)) return { refusal: 'off' }
  if (!(await standsFirm(tenancy, record.ca_id))) return { refusal: 'authority' }
  if (record.not_before > now || record.not_after <= now) return { refusal: 'validity' }
  if (record.revoked_at !== null) return { refusal: 'revoked' }
  const { extensions } = parseCertificate(record.certificate)
  const purposes = findExtension(extensions, 'extKeyUsage')?.purposes ?? []
  if (!purposes.some((oid) => oid === KEY_PURPOSES.clientAuth || oid === KEY_PURPOSES.microsoftSmartcardLogon))
    return { refusal: 'purpose' }
  const person = record.holder_user_id === null ? undefined : await findPerson(db, tenantId, record.holder_user_id)
  if (person === undefined) return { refusal: 'holder' }
  if (!namesHolder(policy, { extensions }, person)) return { refusal: 'mapping' }
  return person.enabled && person.activated ? { person } : { refusal: 'disabled' }
}

/** The authority and all above it that are ours: none revoked, each valid now. */
async function standsFirm({ db, tenantId, now }: Tenancy, caId: string): Promise<boolean> {
  const all = new Map((await allOfTenancy(db, tenantId, now)).map((authority) => [authority.caId, authority]))
  for (let at: string | undefined = caId, depth = 0; at !== undefined && depth < 16; depth += 1) {
    const authority = all.get(at)
    if (authority === undefined || authority.revoked || authority.notAfter === undefined || authority.notAfter <= now) return false
    at = authority.issuerId
  }
  return true
}

function namesHolder({ mapping }: PolicyRecord, { extensions }: Pick<Certificate, 'extensions'>, person: Person): boolean {
  if (mapping === 'sid') {
    const sid = findExtension(extensions, 'microsoftSecurityIdentifier')?.sid
    return sid !== undefined && person.securityIdentifier !== '' && sid === person.securityIdentifier
  }
  if (mapping === 'serial') return true
  const names = findExtension(extensions, 'subjectAltName')?.names ?? []
  const principals = names.flatMap((name) =>
    name.type === 'otherName' && name.typeId === OIDS.userPrincipalName ? [otherNameText(name)?.toLowerCase() ?? ''] : [],
  )
  return principals.length === 1 && [person.username.toLowerCase(), person.emailAddress.toLowerCase()].includes(principals[0] ?? '')
}
