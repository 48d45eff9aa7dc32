// What this tenancy's authorities know themselves of the certificates in a report: newer than any list, and there without one. Only of those whose own
// certificate stands above them in a path, so that nobody speaks for another's.

import { createHash } from 'node:crypto'
import { listIssuers, statusOf } from '#areas/authorities/service.ts'
import type { Database } from '#core/server/database.ts'
import type { VerificationReport } from '#standards/verify/report.ts'
import type { ToldStatus } from '#standards/verify/revocation.ts'

/** By fingerprint, those in `known` left out. */
export async function toldOf(db: Database, tenantId: string, { path, rejected, at }: VerificationReport, known: ReadonlyMap<string, ToldStatus>, now: Date): Promise<Map<string, ToldStatus>> {
  const issuers = new Map((await listIssuers(db, tenantId, now)).map(({ caId, certificate }) => [createHash('sha256').update(certificate).digest('hex'), caId]))
  const told = new Map<string, ToldStatus>()
  for (const { certificates } of path === undefined ? rejected : [path, ...rejected]) {
    for (const [place, { fingerprint, serialNumber }] of certificates.entries()) {
      const caId = issuers.get(certificates[place + 1]?.fingerprint ?? '')
      if (caId === undefined || known.has(fingerprint) || told.has(fingerprint)) continue
      const status = await statusOf(db, tenantId, caId, serialNumber)
      if (status?.state !== 'signed') continue
      const { revocation } = status
      if (revocation !== undefined && revocation.at <= new Date(at)) told.set(fingerprint, { state: 'revoked', since: revocation.at, reason: revocation.reason })
      // Nobody knows what will be revoked by then.
      else if (new Date(at) <= now) told.set(fingerprint, { state: 'good' })
    }
  }
  return told
}
