import type { Issuer } from '#areas/authorities/service.ts'
import type { RevocationRow } from '../contract.ts'
import type { DrillView } from '../drills.ts'
import type { DrillRecord, RevocationRecord } from './store.ts'

/** What leaves the server of a revocation, field by field. */
export const presentRevocation = (row: RevocationRecord, caName: string): RevocationRow => ({
  revocationId: row.id,
  certificateId: row.certificate_id,
  caId: row.ca_id ?? undefined,
  caName,
  serialNumber: row.serial_hex,
  subject: row.subject,
  reason: row.reason,
  invalidityDate: row.invalidity_date?.toISOString(),
  note: row.note,
  state: row.state,
  failureCode: row.failure_code ?? undefined,
  requester: row.requester,
  requestedAt: row.requested_at.toISOString(),
  decidedBy: row.decided_by ?? undefined,
  decidedAt: row.decided_at?.toISOString(),
})

/** Whether those who ask by OCSP hear of a revocation at once: the authority still answers. */
export const isOnline = (issuer: Issuer | undefined): boolean => issuer !== undefined && issuer.status !== 'ExpiredCert'

export const resultOf = (row: RevocationRecord, issuer: Issuer | undefined) => ({
  ok: row.state === 'revoked' || row.state === 'released' || row.state === 'pending',
  status: row.state,
  online: isOnline(issuer),
  revocationId: row.id,
  failureCode: row.failure_code ?? undefined,
})

export const presentDrill = ({ id, at, by_name: by, name, query, report }: DrillRecord): DrillView => ({
  drillId: id,
  at: at.toISOString(),
  by,
  name,
  query,
  figures: { ...report, held: report.held ?? 0 },
})
