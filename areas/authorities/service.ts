// What other rooms may ask of the authorities: who can issue, the one path to a signed certificate, and what is revoked.

import type { Database } from '#core/server/database.ts'
import { issuerOf, type Issuer } from './server/issuers.ts'
import { allAuthorities, findAuthority } from './server/store.ts'

export type { Issuer } from './server/issuers.ts'
export { refusalToIssue } from './server/issuers.ts'
export type { About, CertificateDraft, Reservation, Reserved } from './server/issuing.ts'
export { reservationAbout, reserve, signReserved, storeSigned, tbsOf, unsignedReservations } from './server/issuing.ts'
export type { Revocation, RevocationOrder, RevokedSerial, SerialStatus } from './server/revocation.ts'
export { markRevoked, releaseHold, revokedOf, statusOf } from './server/revocation.ts'

/** Undefined for a missing authority, another tenancy's, and one that has no certificate yet. */
export async function findIssuer(db: Database, tenantId: string, caId: string, now = new Date()): Promise<Issuer | undefined> {
  const row = await findAuthority(db, tenantId, caId)
  return row && issuerOf(row, now)
}

/** Every authority of the tenancy that has a certificate, by name; those not active or switched off among them. */
export async function listIssuers(db: Database, tenantId: string, now = new Date()): Promise<Issuer[]> {
  return (await allAuthorities(db, tenantId)).flatMap((row) => issuerOf(row, now) ?? [])
}
