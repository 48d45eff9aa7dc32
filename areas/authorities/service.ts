// What other rooms may ask of the authorities: who can issue, the two ways to a signed certificate (one by one, and in batches), and what is revoked.

import { randomUUID } from 'node:crypto'
import type { DraftOf } from '#core/contract/contract.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { parseShape } from '#core/server/steps/input.ts'
import { authorities } from './contract.ts'
import { authorityStatus, type AuthorityKind, type AuthorityStatus } from './rules.ts'
import { createAuthorityAs, makerFor } from './server/create.ts'
import { allIssuing, findIssuing } from './server/issuer-store.ts'
import { issuerOf, type Issuer } from './server/issuers.ts'
import { allAuthorities, revokedAuthorities } from './server/store.ts'

export type { Issuer } from './server/issuers.ts'
export { crlAddressOf, reasonStopped, refusalToIssue } from './server/issuers.ts'
export type { CertificateDraft, Reserved } from './server/issuing.ts'
export { reservationAbout, reserve, signReserved, storeSigned, tbsOf, voidReservation } from './server/issuing.ts'
export { batchStored, dropBatch, dropBatchesLeft, leaveBatch, reserveBatch, signDrawn, type Batch, type Drawn } from './server/batches.ts'
export type { SerialStatus } from './server/revocation.ts'
export { markAllRevoked, markRevoked, releaseHold, setCrlShards, statusesOf, statusOf } from './server/revocation.ts'
export { changesSince, revisionOf, revokedRuns, statusChannel, tellStatusChange } from './server/revoked-store.ts'
export { revokedAuthorities } from './server/store.ts'

/** Undefined for a missing authority, another tenancy's, and one that has no certificate yet. */
export async function findIssuer(db: Database, tenantId: string, caId: string, now: Date): Promise<Issuer | undefined> {
  const row = await findIssuing(db, tenantId, caId)
  return row && issuerOf(row, now)
}

/** Every authority of the tenancy that has a certificate, by name; those not active or switched off among them. */
export async function listIssuers(db: Database, tenantId: string, now: Date): Promise<Issuer[]> {
  return (await allIssuing(db, tenantId)).flatMap((row) => issuerOf(row, now) ?? [])
}

export type AuthorityInTree = {
  caId: string
  friendlyName: string
  subject: string
  kind: AuthorityKind
  issuerId: string | undefined
  status: AuthorityStatus
  revoked: boolean
  issuing: boolean
  keyAlgorithm: string
  notAfter: Date | undefined
  /** DER; undefined while it waits for its certificate. */
  certificate: Uint8Array | undefined
  /** The certificates above its own, as far as they are known. DER. */
  chainAbove: Uint8Array[]
  /** Where its certificates say that its lists and OCSP answers are. */
  address: string
}

/** Every authority of the tenancy, those that wait for their certificate among them: who signed whom. */
export async function allOfTenancy(db: Database, tenantId: string, now: Date): Promise<AuthorityInTree[]> {
  const revoked = await revokedAuthorities(db, tenantId)
  return (await allAuthorities(db, tenantId)).map((row) => ({
    caId: row.id,
    friendlyName: row.friendly_name,
    subject: row.subject_text,
    kind: row.kind,
    issuerId: row.issuer_id ?? undefined,
    status:
      row.certificate === null
        ? 'PendingCert'
        : authorityStatus({ notBefore: row.not_before ?? undefined, notAfter: row.not_after ?? undefined }, now),
    revoked: revoked.has(row.id),
    issuing: row.issuing,
    keyAlgorithm: row.key_algorithm,
    notAfter: row.not_after ?? undefined,
    certificate: row.certificate ?? undefined,
    chainAbove: row.issuer_chain,
    address: new URL(row.crl_url).origin,
  }))
}

export type AuthorityDraft = DraftOf<typeof authorities.calls.create>

/**
 * Makes an authority without a call: for the set-up wizard and scripts. The same `requestKey` gives the same authority again. Throws a
 * Fault that names the wrong fields. Not inside a transaction.
 */
export async function createAuthority(
  house: House,
  actor: { tenantId: string; userId?: string; name: string },
  draft: AuthorityDraft,
  requestKey: string = randomUUID(),
): Promise<{ caId: string }> {
  const { tenantId, userId, name } = actor
  const maker = makerFor(house, tenantId, { userId, name }, requestKey)
  return { caId: await createAuthorityAs(house, maker, parseShape(authorities.calls.create.input, draft)) }
}
