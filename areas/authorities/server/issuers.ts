// An authority as those see it who issue with it: its certificate, its names and addresses, and the key to ask for signatures.

import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import { commonFault, invalidField, type Fault } from '#core/server/fault.ts'
import type { SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { authorityStatus, type AuthorityStatus } from '../rules.ts'
import type { IssuingRow } from './issuer-store.ts'

export type Issuer = {
  caId: string
  tenantId: string
  publicId: string
  friendlyName: string
  status: AuthorityStatus
  /** False where an administrator has stopped issuing, or it or something above is revoked; revocation and status go on. */
  enabled: boolean
  /** The name of a revoked authority in its chain: nobody trusts what it would issue. */
  revokedAbove: string | undefined
  /** Its own certificate is. */
  revoked: boolean
  /** DER. */
  certificate: Uint8Array
  /** The DER Name, as the certificate has it. */
  subjectEncoded: Uint8Array
  /** The subject in the text of RFC 4514. */
  subject: string
  keyId: string
  algorithm: KeyAlgorithm
  signatureAlgorithm: SignatureAlgorithm
  notBefore: Date
  notAfter: Date
  /** Undefined is without limit. */
  pathLength: number | undefined
  keyIdentifier: Uint8Array
  /** Own certificate first, up to the root as far as it is known. DER. */
  chain: Uint8Array[]
  /** As they stand in what it issues. */
  addresses: { crl: string; ocsp: string; caIssuers: string }
  /** In so many parts its list is published besides the whole; 0 is the whole alone. */
  crlShards: number
  /** Since then another key signs under the same name: its lists say for which addresses they speak. */
  nameSharedSince: Date | undefined
}

/** The part of the list on which this certificate would stand, by its serial; 0 is the whole list. A certificate keeps it when parts are added. */
export const crlShardOf = ({ crlShards }: Pick<Issuer, 'crlShards'>, serial: Uint8Array): number =>
  crlShards === 0 ? 0 : 1 + (new DataView(serial.buffer, serial.byteOffset, serial.byteLength).getUint32(serial.byteLength - 4) % crlShards)

/**
 * Where a part is found, and the whole for 0. A part has four digits always, so that a prepared certificate can have them
 * patched in place beside its serial.
 */
export const crlAddressOf = ({ addresses }: Pick<Issuer, 'addresses'>, shard: number): string =>
  shard === 0 ? addresses.crl : addresses.crl.replace(/\.crl$/, `/${String(shard).padStart(4, '0')}.crl`)

/** Undefined for an authority that has no certificate yet, and for one whose key is not here. */
export function issuerOf(row: IssuingRow, now: Date): Issuer | undefined {
  const { certificate, key_id: keyId, not_before: notBefore, not_after: notAfter } = row
  if (certificate === null || keyId === null || notBefore === null || notAfter === null) return undefined
  return {
    caId: row.id,
    tenantId: row.tenant_id,
    publicId: row.public_id,
    friendlyName: row.friendly_name,
    status: authorityStatus({ notBefore, notAfter }, now),
    enabled: row.issuing && !row.revoked && row.revoked_above === null,
    revokedAbove: row.revoked_above ?? undefined,
    revoked: row.revoked,
    certificate,
    subjectEncoded: row.subject,
    subject: row.subject_text,
    keyId,
    algorithm: row.key_algorithm,
    signatureAlgorithm: row.signature_algorithm,
    notBefore,
    notAfter,
    pathLength: row.path_length ?? undefined,
    keyIdentifier: row.key_identifier,
    chain: [certificate, ...row.issuer_chain],
    addresses: { crl: row.crl_url, ocsp: row.ocsp_url, caIssuers: row.ca_issuers_url },
    crlShards: row.crl_shards,
    nameSharedSince: row.name_shared_since ?? undefined,
  }
}

/** Why this authority issues nothing, whatever it is asked for; undefined where it does. */
export function reasonStopped({
  friendlyName,
  enabled,
  revoked,
  revokedAbove,
}: Pick<Issuer, 'friendlyName' | 'enabled' | 'revoked' | 'revokedAbove'>): string | undefined {
  if (revoked) return `${friendlyName} is revoked: nobody would trust what it issues`
  if (revokedAbove !== undefined) return `${friendlyName} stands below ${revokedAbove}, which is revoked: nobody would trust what it issues`
  return enabled ? undefined : `Issuing by ${friendlyName} is switched off`
}

/** Why this authority may not sign a certificate with this validity now; undefined where it may. `field` is the one to blame in the caller's form. */
export function refusalToIssue(issuer: Issuer, { notBefore, notAfter }: { notBefore: Date; notAfter: Date }, now: Date): Fault | undefined {
  const name = issuer.friendlyName
  const stopped = reasonStopped(issuer)
  if (stopped !== undefined) return invalidField('caId', stopped)
  if (now < issuer.notBefore) return invalidField('caId', `${name} is not valid before ${issuer.notBefore.toISOString()}`)
  if (now > issuer.notAfter) return invalidField('caId', `${name} expired on ${issuer.notAfter.toISOString()}`)
  if (notAfter <= notBefore) return invalidField('notAfter', 'The end must be after the beginning')
  if (notBefore < issuer.notBefore || notAfter > issuer.notAfter) {
    return commonFault('invalid', {
      fields: [{ field: 'notAfter', says: `The certificate would outlive ${name}, which is valid until ${issuer.notAfter.toISOString()}` }],
    })
  }
  return undefined
}
