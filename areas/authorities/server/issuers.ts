// An authority as those see it who issue with it: its certificate, its names and addresses, and the key to ask for signatures.

import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import type { Refusal } from '#core/contract/refusal.ts'
import type { SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { refusal } from '../refusals.ts'
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

/** Tells why this authority issues nothing, whatever it is asked for; undefined where it does. */
export function reasonStopped({
  friendlyName,
  enabled,
  revoked,
  revokedAbove,
}: Pick<Issuer, 'friendlyName' | 'enabled' | 'revoked' | 'revokedAbove'>): Refusal | undefined {
  if (revoked) return refusal('authorityRevoked', { authority: friendlyName })
  if (revokedAbove !== undefined) return refusal('authorityBelowRevoked', { authority: friendlyName, above: revokedAbove })
  return enabled ? undefined : refusal('authoritySwitchedOff', { authority: friendlyName })
}

/** Tells why this authority may not sign a certificate with this validity now; undefined where it may. */
export function refusalToIssue(
  issuer: Issuer,
  { notBefore, notAfter }: { notBefore: Date; notAfter: Date },
  now: Date,
): Refusal | undefined {
  const authority = issuer.friendlyName
  const stopped = reasonStopped(issuer)
  if (stopped !== undefined) return stopped
  if (now < issuer.notBefore) return refusal('authorityNotYetValid', { authority, from: issuer.notBefore.toISOString() })
  if (now > issuer.notAfter) return refusal('authorityExpired', { authority, until: issuer.notAfter.toISOString() })
  if (notAfter <= notBefore) return refusal('endBeforeBeginning', undefined)
  if (notBefore < issuer.notBefore || notAfter > issuer.notAfter)
    return refusal('outlivesAuthority', { authority, until: issuer.notAfter.toISOString() })
  return undefined
}
