// Clients that work while the ground is pulled away. Each certificate is an errand: ask, have it decided, fetch the bytes, perhaps revoke. What the
// server acknowledged is written down the moment that it did; an errand that a crash cut short is taken up again with the same keys, as a
// client that retries would.

import { generateKeyPairSync, randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { certificates } from '#areas/certificates/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { nameOf } from '#standards/x509/names.ts'
import { CallRefused } from './caller.ts'
import type { CrashSite } from './crash-site.ts'
import { until } from './until.ts'

export type Errand = {
  /** Sent as Idempotency-Key; the revocation's has an ending of its own. */
  key: string
  name: string
  csr: string
  spki: Uint8Array
  verdict: 'none' | 'approve' | 'deny'
  toRevoke: boolean
  /** Acknowledged by the server, each as soon as it was. */
  requestId?: string
  decided?: true
  denied?: true
  certificate?: { id: string; caId: string; serialHex: string }
  der?: Buffer
  revokedAt?: Date
}

export type Ledger = { errands: Errand[]; repeated: number; longestWaitMilliseconds: number; refusals: string[] }

export const emptyLedger = (): Ledger => ({ errands: [], repeated: 0, longestWaitMilliseconds: 0, refusals: [] })

export const isDone = ({ denied, der, toRevoke, revokedAt }: Errand): boolean =>
  denied === true || (der !== undefined && (!toRevoke || revokedAt !== undefined))

/** The server acknowledged the request, and it is on its way. */
class StillUnderWay extends Error {
  override name = 'StillUnderWay'
}

function newErrand(): Errand {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const key = randomUUID()
  const name = `device-${key.slice(0, 13)}.example.org`
  const info = buildCsrInfo({
    subject: nameOf(['CN', name]),
    publicKey: spki,
    requestedExtensions: [{ type: 'subjectAltName', critical: false, names: [{ type: 'dNSName', value: name }] }],
  })
  const csr = encodePem('CERTIFICATE REQUEST', assembleSigned(info, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, info)))
  const verdict = (['none', 'none', 'approve', 'deny', 'approve'] as const)[randomInt(5)] ?? 'none'
  return { key, name, csr, spki, verdict, toRevoke: randomInt(3) === 0 }
}

/** Runs errands until told to stop. Whatever a client meets then is for the next start to settle. */
export async function work(site: CrashSite, ledger: Ledger, clients: number, stop: AbortSignal): Promise<void> {
  const client = async () => {
    while (!stop.aborted) {
      const errand = newErrand()
      ledger.errands.push(errand)
      try {
        await run(site, ledger, errand)
      } catch (error) {
        note(ledger, errand, error)
        // The killing is under way; nobody hammers on a closed door.
        await pause(20)
      }
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** After the recovery: takes up every errand that was cut short. Each must come to its end now. */
export async function takeUp(site: CrashSite, ledger: Ledger): Promise<void> {
  for (const errand of ledger.errands.filter((one) => !isDone(one))) {
    ledger.repeated += 1
    let met: unknown
    const goOn = async () => {
      try {
        await run(site, ledger, errand)
      } catch (error) {
        met = error
        note(ledger, errand, error)
      }
      return isDone(errand)
    }
    await until(`the end of the errand for ${errand.name}`, goOn, { every: 100, state: () => [errand, met] })
  }
}

/** A lost connection and an answer of 5xx leave the outcome open, which is what crashes do; any other refusal is one too many. */
function note(ledger: Ledger, errand: Errand, error: unknown): void {
  if (error instanceof CallRefused && error.status < 500) ledger.refusals.push(`${errand.name}: ${error.message}`)
}

async function run(site: CrashSite, ledger: Ledger, errand: Errand): Promise<void> {
  if (errand.requestId === undefined) await ask(site, ledger, errand)
  if (errand.verdict !== 'none' && errand.decided === undefined) await decide(site, ledger, errand)
  if (errand.denied !== true && errand.certificate === undefined) await look(site, ledger, errand)
  if (errand.certificate !== undefined && errand.der === undefined) errand.der = await fetchBytes(site, ledger, errand.certificate)
  if (errand.certificate !== undefined && errand.toRevoke && errand.revokedAt === undefined)
    await revoke(site, ledger, errand, errand.certificate.id)
}

async function ask({ requester, templateIds }: CrashSite, ledger: Ledger, errand: Errand): Promise<void> {
  const templateId = errand.verdict === 'none' ? templateIds.direct : templateIds.approved
  // The one template reads names from the form, the other from the CSR.
  const values = errand.verdict === 'none' ? { CommonName: [errand.name], DNS: [errand.name] } : {}
  const answer = await timed(
    ledger,
    requester.call(certificates.calls.requestForDevice, { templateId, csr: errand.csr, values }, { 'idempotency-key': errand.key }),
  )
  errand.requestId = answer.requestId
  if (answer.status === 'error') throw new Error(`The request for ${errand.name} failed: ${answer.error}`)
  if (answer.certificateId !== undefined)
    errand.certificate = { id: answer.certificateId, caId: answer.caId, serialHex: answer.serialNumber ?? '' }
}

async function decide({ approver }: CrashSite, ledger: Ledger, errand: Errand): Promise<void> {
  const verdict = errand.verdict === 'deny' ? 'deny' : 'approve'
  try {
    const answer = await timed(ledger, approver.call(certificates.calls.decide, { requestId: errand.requestId ?? '', round: 1, verdict }))
    if (answer.status === 'denied') errand.denied = true
  } catch (error) {
    // The vote was counted before the crash and its answer was lost.
    if (!(error instanceof CallRefused && (error.code === 'closed' || error.code === 'twice'))) throw error
    if (verdict === 'deny') errand.denied = true
  }
  errand.decided = true
}

async function look({ requester }: CrashSite, ledger: Ledger, errand: Errand): Promise<void> {
  const details = await timed(ledger, requester.call(certificates.calls.statusByRequest, { rid: errand.requestId ?? '' }))
  if (details.status === 'issued') errand.certificate = { id: details.certificate_id, caId: details.ca_id, serialHex: details.serialNumber }
  else throw new StillUnderWay(`The request for ${errand.name} stands at ${details.status}`)
}

export async function fetchBytes({ requester }: CrashSite, ledger: Ledger, certificate: { id: string }): Promise<Buffer> {
  const { content } = await timed(ledger, requester.call(certificates.calls.download, { certId: certificate.id, format: 'der' }))
  return Buffer.from(content, 'base64')
}

async function revoke({ requester }: CrashSite, ledger: Ledger, errand: Errand, certId: string): Promise<void> {
  const answer = await timed(
    ledger,
    requester.call(revocation.calls.revoke, { certId, reason: 'superseded' }, { 'idempotency-key': `${errand.key}-revoke` }),
  )
  if (answer.status !== 'revoked') throw new Error(`The revocation of ${errand.name} stands at ${answer.status}`)
  errand.revokedAt = new Date()
}

/** Notes how long the client waited, whatever came of it. */
async function timed<T>(ledger: Ledger, answer: Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await answer
  } finally {
    ledger.longestWaitMilliseconds = Math.max(ledger.longestWaitMilliseconds, performance.now() - began)
  }
}
