// What must hold after every crash, looked at from three sides: the answers of the API, the rows of the database (read as their owner, past
// the server), and the signatures themselves.

import { createHash, randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { verifyDatabase } from '#areas/audit/server/verify.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { connect } from '#core/server/database.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { certIdFor } from '#standards/ocsp/cert-id.ts'
import { buildOcspRequest } from '#standards/ocsp/request.ts'
import { parseOcspResponse } from '#standards/ocsp/response.ts'
import { verifySignature } from '#standards/x509/algorithms.ts'
import { checkIssuedBy, parseCertificate } from '#standards/x509/certificate.ts'
import { commonNameOf } from '#standards/x509/names.ts'
import { fetchBytes, type Errand, type Ledger } from './crash-clients.ts'
import type { CrashSite } from './crash-site.ts'

export type Breach = (says: string) => void

/** What earlier rounds have seen, for what may never go back. */
export type Memory = {
  checkpoint: string | undefined
  crlNumber: bigint
  auditRows: number
  checked: Set<string>
  /** The times of this round's records say nothing of their order. */
  clockJumped: boolean
}

export const emptyMemory = (): Memory => ({ checkpoint: undefined, crlNumber: 0n, auditRows: 0, checked: new Set(), clockJumped: false })

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** How long requests and events stayed half-way. No client helps along meanwhile. */
export async function secondsHalfWay(site: CrashSite, limitSeconds: number): Promise<number> {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  for (;;) {
    const halfWay = await asOwner(site, async (query) => {
      const [row] = await query<{
        count: number
      }>(`select (select count(*) from certificate_requests where stage in ('approved', 'reserved'))
        + (select count(*) from serials where state = 'reserved') + (select count(*) from reservations) + (select count(*) from events where sequence is null) as count`)
      return row?.count ?? 0
    })
    if (halfWay === 0 || seconds() > limitSeconds) return seconds()
    await wait(50)
  }
}

/** `all`: every certificate of every round by the API and OCSP; otherwise those of the last round and some of the earlier ones. */
export async function check(site: CrashSite, ledger: Ledger, memory: Memory, since: number, all: boolean, breach: Breach): Promise<void> {
  const earlier = ledger.errands.slice(0, since)
  const sample = all
    ? ledger.errands
    : [
        ...ledger.errands.slice(since),
        ...Array.from({ length: 25 }, () => earlier[randomInt(Math.max(earlier.length, 1))]).filter((one) => one !== undefined),
      ]
  await checkRows(site, ledger, memory, breach)
  await checkAnswers(site, ledger, sample, breach)
  await checkOcsp(site, sample, breach)
  await checkCrl(site, ledger, memory, breach)
  await checkAudit(site, memory, breach)
}

type Query = <R extends pg.QueryResultRow>(statement: string) => Promise<R[]>

async function asOwner<T>(site: CrashSite, action: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client(site.server.connection)
  await client.connect()
  try {
    return await action(async (statement) => (await client.query(statement)).rows)
  } finally {
    await client.end()
  }
}

type CertificateRow = {
  id: string
  ca_id: string
  serial_hex: string
  request_id: string
  certificate: Buffer
  state: string | null
  certificate_hash: Buffer | null
  reserved_at: Date | null
  signed_at: Date | null
}
type RequestRow = { id: string; stage: string; needed: number; certificate_id: string | null; approvals: number }
type EventRow = { name: string; body: string; sequence: number | null }

async function checkRows(site: CrashSite, ledger: Ledger, memory: Memory, breach: Breach): Promise<void> {
  const rows = await asOwner(site, async (query) => ({
    certificates:
      await query<CertificateRow>(`select c.id, c.ca_id, c.serial_hex, c.request_id, c.certificate, s.state, s.certificate_hash, s.reserved_at, s.signed_at
      from certificates c left join serials s on s.tenant_id = c.tenant_id and s.ca_id = c.ca_id and s.serial = decode(c.serial_hex, 'hex')`),
    requests: await query<RequestRow>(`select r.id, r.stage, r.approvers_needed as needed, r.certificate_id,
      (select count(*) from approvals a join approval_votes v on v.tenant_id = a.tenant_id and v.approval_id = a.id and v.round = a.round
        where a.tenant_id = r.tenant_id and a.subject_id = r.id and v.verdict = 'approve' and v.voter_id <> r.requester_id) as approvals
      from certificate_requests r`),
    events: await query<EventRow>(
      `select name, body, sequence from events where area = 'certificates' and name in ('reserved', 'reservedTogether', 'issued') order by sequence`,
    ),
    signed: await query<{ count: number }>(`select count(*) from serials where about_kind = 'certificate' and state = 'signed'`),
  }))
  const requests = new Map(rows.requests.map((row) => [row.id, row]))
  const certificates = new Map(rows.certificates.map((row) => [row.id, row]))

  const serials = new Set(rows.certificates.map(({ ca_id, serial_hex }) => `${ca_id}:${serial_hex}`))
  if (serials.size < rows.certificates.length) breach(`${rows.certificates.length} certificates have ${serials.size} serials`)
  if (rows.signed[0]?.count !== rows.certificates.length)
    breach(`${rows.signed[0]?.count} serials are signed and ${rows.certificates.length} certificates are there`)

  const reserved = new Map<string, { tbsSha256: string; sequence: number | null }>()
  const issued = new Map<string, (number | null)[]>()
  for (const { name, body, sequence } of rows.events) {
    const told: { certificateId: string; certificates?: { requestId: string; tbsSha256: string }[] } & {
      requestId: string
      tbsSha256: string
    } = JSON.parse(body)
    if (name === 'issued') issued.set(told.certificateId, [...(issued.get(told.certificateId) ?? []), sequence])
    else
      for (const { requestId, tbsSha256 } of told.certificates ?? [told]) {
        if (reserved.has(requestId)) breach(`The request ${requestId} was reserved twice`)
        else reserved.set(requestId, { tbsSha256, sequence })
      }
  }

  for (const row of rows.certificates) {
    const events = issued.get(row.id) ?? []
    if (events.length !== 1) breach(`The certificate ${row.id} has ${events.length} issued events`)
    if (memory.checked.has(row.id)) continue
    memory.checked.add(row.id)
    const certificate = parseCertificate(row.certificate)
    const record = reserved.get(row.request_id)
    if (record?.tbsSha256 !== sha256(certificate.tbs)) breach(`The certificate ${row.id} is not what was recorded before it was signed`)
    // What has no number yet comes after all that has one.
    if (record !== undefined && (record.sequence ?? Infinity) > (events[0] ?? Infinity))
      breach(`The certificate ${row.id} was recorded after it was issued`)
    if (row.state !== 'signed' || row.certificate_hash?.toString('hex') !== sha256(row.certificate))
      breach(`The serial of the certificate ${row.id} is ${row.state ?? 'missing'} and does not name these bytes`)
    if (row.reserved_at === null || row.signed_at === null || (row.reserved_at > row.signed_at && !memory.clockJumped))
      breach(`The serial of the certificate ${row.id} was signed before it was reserved`)
    if (certificate.serialHex !== row.serial_hex) breach(`The certificate ${row.id} has another serial than its row`)
    if (!checkIssuedBy(certificate, site.authority.certificate).ok) breach(`The signature of the certificate ${row.id} does not hold`)
    const request = requests.get(row.request_id)
    if (request?.certificate_id !== row.id || request.stage !== 'issued')
      breach(`The certificate ${row.id} belongs to a request that stands at ${request?.stage ?? 'nothing'}`)
    if (request !== undefined && request.approvals < request.needed)
      breach(`The certificate ${row.id} was issued with ${request.approvals} of ${request.needed} approvals`)
  }
  for (const { id, stage, needed, approvals } of rows.requests) {
    if (needed > 0 && approvals >= needed && stage !== 'issued') breach(`The request ${id} was approved and stands at ${stage}`)
  }
  for (const errand of ledger.errands) checkErrand(errand, requests, certificates, breach)
}

function checkErrand(
  errand: Errand,
  requests: ReadonlyMap<string, RequestRow>,
  certificates: ReadonlyMap<string, CertificateRow>,
  breach: Breach,
): void {
  if (errand.requestId === undefined) return
  const request = requests.get(errand.requestId)
  if (request === undefined) breach(`The request for ${errand.name} was acknowledged and is missing`)
  if (errand.denied === true && (request?.stage !== 'denied' || request.certificate_id !== null))
    breach(`The request for ${errand.name} was denied and stands at ${request?.stage ?? 'nothing'}`)
  if (errand.certificate === undefined) return
  const row = certificates.get(errand.certificate.id)
  if (row === undefined) breach(`The certificate for ${errand.name} was acknowledged and is missing`)
  else if (row.ca_id !== errand.certificate.caId || row.serial_hex !== errand.certificate.serialHex)
    breach(`The certificate for ${errand.name} was acknowledged under another serial`)
  if (row !== undefined && errand.der !== undefined && !row.certificate.equals(errand.der))
    breach(`The certificate for ${errand.name} has other bytes than those handed out`)
}

/** By the API: the same bytes as before, and what was approved: this name and this key. */
async function checkAnswers(site: CrashSite, ledger: Ledger, errands: readonly Errand[], breach: Breach): Promise<void> {
  for (const errand of errands) {
    if (errand.certificate === undefined) continue
    const bytes = await fetchBytes(site, ledger, errand.certificate).catch((error: unknown) =>
      breach(`The certificate for ${errand.name} cannot be read: ${String(error)}`),
    )
    if (bytes === undefined) continue
    if (errand.der !== undefined && !bytes.equals(errand.der)) breach(`The API gives other bytes for ${errand.name} than before`)
    const { subject, publicKey, extensions } = parseCertificate(bytes)
    const names = extensions.flatMap((extension) => (extension.type === 'subjectAltName' ? extension.names : []))
    const asAsked =
      commonNameOf(subject) === errand.name &&
      names.length === 1 &&
      names[0]?.type === 'dNSName' &&
      names[0].value === errand.name &&
      Buffer.compare(publicKey.spki, errand.spki) === 0
    if (!asAsked) breach(`The certificate for ${errand.name} is not what was asked for`)
  }
}

async function checkOcsp({ authority }: CrashSite, errands: readonly Errand[], breach: Breach): Promise<void> {
  for (const { name, certificate, revokedAt } of errands) {
    if (certificate === undefined) continue
    const request = buildOcspRequest({ certIds: [certIdFor(authority.certificate, Buffer.from(certificate.serialHex, 'hex'))] })
    const answer = await fetch(authority.ocspUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/ocsp-request' },
      body: request,
    })
    const response = parseOcspResponse(new Uint8Array(await answer.arrayBuffer()))
    if (response.status !== 'successful') breach(`OCSP answers ${response.status} about ${name}`)
    else {
      if (!verifySignature(response.signatureAlgorithm, authority.certificate.publicKey.spki, response.responseData, response.signature))
        breach(`The signature of OCSP's answer about ${name} does not hold`)
      const status = response.responses[0]?.status
      const right = revokedAt === undefined ? 'good' : 'revoked'
      if (status !== right) breach(`OCSP says ${status ?? 'nothing'} about ${name}, which is ${right}`)
    }
  }
}

async function checkCrl(site: CrashSite, ledger: Ledger, memory: Memory, breach: Breach): Promise<void> {
  const { authority, requester } = site
  // As the crash left it, then made anew: neither may go back, and each holds all that was revoked before it.
  await look(({ revokedAt }, thisUpdate) => revokedAt <= thisUpdate && thisUpdate.getTime() <= Date.now())
  await requester.call(revocation.calls.makeList, { caId: authority.caId })
  await look(() => true)

  /** A list that was dated while the clock ran ahead does not tell which revocations it has seen; one that was made just now has seen all. */
  async function look(due: (revoked: { revokedAt: Date }, thisUpdate: Date) => boolean): Promise<void> {
    const answer = await fetch(authority.crlUrl)
    if (!answer.ok) return breach(`The revocation list answers ${answer.status}`)
    const list = parseCrl(new Uint8Array(await answer.arrayBuffer()))
    const number = list.crlNumber ?? 0n
    if (number < memory.crlNumber) breach(`The revocation list went back from ${memory.crlNumber} to ${number}`)
    memory.crlNumber = number
    if (!verifySignature(list.signatureAlgorithm, authority.certificate.publicKey.spki, list.tbsCertList, list.signature))
      breach(`The signature of the revocation list ${number} does not hold`)
    const hash = sha256(list.tbsCertList)
    const recorded = await asOwner(site, (query) =>
      query(`select 1 as found from events where area = 'revocation' and name = 'listRecorded' and body like '%${hash}%'`),
    )
    if (recorded.length !== 1) breach(`The revocation list ${number} was recorded ${recorded.length} times`)
    const listed = new Set(Array.from(list.entries(), ({ serialNumber }) => Buffer.from(serialNumber).toString('hex')))
    for (const { name, certificate, revokedAt } of ledger.errands) {
      if (certificate !== undefined && revokedAt !== undefined && due({ revokedAt }, list.thisUpdate) && !listed.has(certificate.serialHex))
        breach(`The revocation list ${number} omits ${name}`)
    }
  }
}

async function checkAudit({ server }: CrashSite, memory: Memory, breach: Breach): Promise<void> {
  const auditor = connect(server.connection, 'chancery_auditor', 2)
  try {
    let newest = memory.checkpoint
    const verdict = await verifyDatabase(
      auditor.database,
      { checkpoint: memory.checkpoint },
      { key: () => {}, row: () => {}, checkpoint: (note) => void (newest = note) },
    )
    if (!verdict.ok) return breach(`The audit log does not verify: ${verdict.message}`)
    if (verdict.rows < memory.auditRows) breach(`The audit log went back from ${memory.auditRows} rows to ${verdict.rows}`)
    memory.auditRows = verdict.rows
    memory.checkpoint = newest
  } finally {
    await auditor.close()
  }
}
