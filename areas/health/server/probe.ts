// Going out and coming back in by the public address, as a relying party would: through whatever stands between, with no knowledge but what is
// in the certificates. What comes back is judged and never thrown.

import { randomBytes } from 'node:crypto'
import type { Issuer } from '#areas/authorities/service.ts'
import { DerError } from '#standards/der/reader.ts'
import { certIdFor } from '#standards/ocsp/cert-id.ts'
import { buildOcspRequest, OCSP_NONCE_BYTES } from '#standards/ocsp/request.ts'
import { parseOcspResponse } from '#standards/ocsp/response.ts'
import { verifyOcspResponse } from '#standards/ocsp/verify.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { X509Error } from '#standards/x509/error.ts'
import { fine, problems, servedGraceMilliseconds, textOf, type Finding, type Problem } from '../rules.ts'

const patienceMilliseconds = 5_000
/** More than any answer about one certificate. */
const mostAnswerBytes = 200_000

/** Whether what is given out is the list that was made last. Only the head of the answer is read: a list may have many megabytes. */
export async function probeList(url: string, made: { thisUpdate: Date } | undefined, now: Date): Promise<Finding> {
  // A young authority has no list before somebody asks for one.
  const reached = await reach(url, {}, async (response) => {
    const modified = Date.parse(response.headers.get('last-modified') ?? '')
    await response.body?.cancel()
    return { status: response.status, modified }
  })
  if ('problem' in reached) return { name: 'servedUnreachable', params: { problem: problems[reached.problem].says } }
  const { status, modified } = reached
  if (status !== 200) return { name: 'servedRefused', params: { status: `HTTP ${status}` } }
  const isOld =
    made !== undefined &&
    !Number.isNaN(modified) &&
    modified < made.thisUpdate.getTime() &&
    now.getTime() - made.thisUpdate.getTime() > servedGraceMilliseconds
  return isOld ? { name: 'servedOld', params: { at: textOf(new Date(modified)) } } : fine
}

/** Asks about one serial, whatever the answer: that it is one, believable, and signed just now, so that the key that signs was there. */
export async function probeOcsp({ addresses, certificate }: Issuer, serialNumber: Uint8Array, now: Date): Promise<Finding> {
  const issuer = parseCertificate(certificate)
  const certId = certIdFor(issuer, serialNumber)
  const nonce = randomBytes(OCSP_NONCE_BYTES)
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/ocsp-request' },
    body: Buffer.from(buildOcspRequest({ certIds: [certId], nonce })),
  }
  const reached = await reach(addresses.ocsp, request, async (response) => ({ status: response.status, body: await readShort(response) }))
  if ('problem' in reached) return { name: 'ocspUnreachable', params: { problem: problems[reached.problem].says } }
  const { status, body } = reached
  if (status !== 200) return { name: 'ocspRefused', params: { status: `HTTP ${status}` } }
  try {
    const answer = parseOcspResponse(body)
    if (answer.status !== 'successful') return { name: 'ocspRefused', params: { status: answer.status } }
    const verdict = verifyOcspResponse(answer, { certId, issuer, nonce, now })
    return verdict.ok ? fine : { name: 'ocspWrong', params: { problem: problems[verdict.fault].says } }
  } catch (error) {
    if (error instanceof DerError || error instanceof X509Error) return { name: 'ocspWrong', params: { problem: problems.malformed.says } }
    throw error
  }
}

async function reach<T>(url: string, request: RequestInit, read: (response: Response) => Promise<T>): Promise<T | { problem: Problem }> {
  try {
    return await read(await fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(patienceMilliseconds) }))
  } catch (error) {
    return { problem: problemOf(error) }
  }
}

const problemsByCode: Record<string, Problem> = {
  ECONNREFUSED: 'connectionRefused',
  ENOTFOUND: 'nameUnknown',
  EAI_AGAIN: 'nameUnknown',
  UND_ERR_CONNECT_TIMEOUT: 'timedOut',
}

function problemOf(error: unknown): Problem {
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) return 'timedOut'
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return problemsByCode[code] ?? 'connectionFailed'
}

async function readShort(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.length
    if (length > mostAnswerBytes) break
    parts.push(part)
  }
  return Buffer.concat(parts)
}
