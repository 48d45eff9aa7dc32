// Finds what this tenancy's authorities know themselves of the certificates in a report, which is newer than any list. For an offline authority it reads the
// supplied list. An authority is asked only about certificates right below it in a path, so that none speaks for another issuer.

import { createHash } from 'node:crypto'
import { listIssuers, statusOf } from '#areas/authorities/service.ts'
import { offlineAuthorities } from '#areas/authorities/stakes.ts'
import { suppliedList } from '#areas/revocation/service.ts'
import type { Database } from '#core/server/database.ts'
import type { ParsedCrl } from '#standards/crl/parse.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { reachOf } from '#standards/verify/crl-scope.ts'
import type { VerificationReport } from '#standards/verify/report.ts'
import type { OwnStatus } from '#standards/verify/revocation.ts'

/** Answers the statuses by fingerprint, without those in `known`. */
export async function ownStatusOf(
  db: Database,
  tenantId: string,
  { path, rejected, signers, at }: VerificationReport,
  known: ReadonlyMap<string, OwnStatus>,
  now: Date,
): Promise<Map<string, OwnStatus>> {
  const sources = await sourcesOf(db, tenantId, now)
  const ownStatuses = new Map<string, OwnStatus>()
  const paths = [...(path === undefined ? rejected : [path, ...rejected]).map(({ certificates }) => certificates), ...signers]
  for (const certificates of paths) {
    for (const [place, { fingerprint, serialNumber }] of certificates.entries()) {
      const ask = sources.get(certificates[place + 1]?.fingerprint ?? '')
      if (ask === undefined || known.has(fingerprint) || ownStatuses.has(fingerprint)) continue
      const status = await ask(serialNumber, new Date(at))
      if (status !== undefined) ownStatuses.set(fingerprint, status)
    }
  }
  return ownStatuses
}

/** Answers the status of a serial at a time. Undefined where nobody knows it. */
type Source = (serialHex: string, at: Date) => Promise<OwnStatus | undefined>

/** Finds the sources by the fingerprint of the issuer's certificate. */
async function sourcesOf(db: Database, tenantId: string, now: Date): Promise<Map<string, Source>> {
  const fingerprintOf = (certificate: Uint8Array) => createHash('sha256').update(certificate).digest('hex')
  const here = (await listIssuers(db, tenantId, now)).map(
    ({ caId, certificate }) => [fingerprintOf(certificate), signedHere(db, tenantId, caId, now)] as const,
  )
  const offline = (await offlineAuthorities(db, tenantId)).map(
    ({ caId, certificate }) => [fingerprintOf(certificate), signedOffline(db, tenantId, caId)] as const,
  )
  return new Map([...here, ...offline])
}

const revokedBy = (revocation: { at: Date; reason: RevocationReason } | undefined, at: Date): OwnStatus | undefined =>
  revocation === undefined || revocation.at > at ? undefined : { state: 'revoked', since: revocation.at, reason: revocation.reason }

function signedHere(db: Database, tenantId: string, caId: string, now: Date): Source {
  return async (serialHex, at) => {
    const status = await statusOf(db, tenantId, caId, serialHex)
    if (status?.state !== 'signed') return undefined
    // Says nothing of a later time, because a revocation may come before it.
    return revokedBy(status.revocation, at) ?? (at <= now ? { state: 'good' } : undefined)
  }
}

/** Reads the newest supplied list while it is valid. What it lists is revoked; what it does not list is good only within its scope. */
function signedOffline(db: Database, tenantId: string, caId: string): Source {
  let reading: Promise<ParsedCrl | undefined> | undefined
  return async (serialHex, at) => {
    const list = await (reading ??= suppliedList(db, tenantId, caId))
    if (list?.nextUpdate === undefined) return undefined
    const entry = list.find(Buffer.from(serialHex, 'hex'))
    return (
      revokedBy(entry && { at: entry.revocationDate, reason: entry.reason }, at) ??
      (list.thisUpdate <= at && at <= list.nextUpdate ? { state: 'good', by: reachOf(list) } : undefined)
    )
  }
}
