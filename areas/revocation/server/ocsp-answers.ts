// How an OCSP answer is made: the statuses of the serials, the data to be signed, and the signature.

import type { SerialStatus } from '#areas/authorities/service.ts'
import { signWithKey } from '#areas/keys/service.ts'
import type { House } from '#core/server/house.ts'
import { concat, explicit, generalizedTime } from '#standards/der/writer.ts'
import { issuerFingerprint, type CertId } from '#standards/ocsp/cert-id.ts'
import { buildPlainResponseData, type PlainOcspRequest } from '#standards/ocsp/plain.ts'
import type { OcspRequest } from '#standards/ocsp/request.ts'
import {
  assembleOcspResponse,
  buildOcspResponseData,
  encodeCertStatus,
  peekOcspResponse,
  type CertStatus,
  type SingleResponse,
} from '#standards/ocsp/response.ts'
import { answerValidMilliseconds, mostCachedAnswers } from '../rules.ts'
import type { Made, OcspAnswer, ServedAuthority, Times } from './ocsp-authorities.ts'

/** Gives bytes as a text of as many characters, which a map finds quickest. */
export const keyOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

export const isOf = (authority: ServedAuthority, certId: CertId): boolean => authority.fingerprints.has(issuerFingerprint(certId))

export async function makeAnswer(house: House, authority: ServedAuthority, request: OcspRequest): Promise<Made> {
  const {
    tenantId,
    signer: { keyId, algorithm, certificates },
  } = authority
  const statuses = await Promise.all(
    request.certIds.map((certId) => (isOf(authority, certId) ? statusOf(authority, certId.serialNumber) : unknown)),
  )
  const { thisUpdate, responseData } = dataOf(authority, request, statuses, house.now())
  const signature =
    authority.signInPlace?.(algorithm, responseData) ?? (await signWithKey(house, { tenantId, keyId, algorithm, data: responseData }))
  return {
    answer: {
      bytes: assembleOcspResponse({ responseData, signatureAlgorithm: algorithm, signature, certificates }),
      about: thisUpdate,
      signature,
    },
    // A certificate may be issued under a serial that is unknown now, and issuing raises no revision.
    lasting: statuses.every(({ status }) => status !== 'unknown'),
  }
}

/** Answers a plain request where its status is known and the key signs without waiting. The bytes are to be copied before anything else is asked. */
export function plainAnswer(authority: ServedAuthority, bytes: Buffer, plain: PlainOcspRequest, now: Date): OcspAnswer | undefined {
  const status = authority.statuses.get(bytes.toString('latin1', plain.serialNumber, plain.certIdEnd))
  if (status === undefined || authority.signInPlace === undefined) return undefined
  const { thisUpdate, producedAt, validity } = timesOf(authority, now)
  const responseData = buildPlainResponseData(plain, {
    responderId: authority.plain.responderId,
    producedAt,
    certStatus: encodeCertStatus(status),
    validity,
  })
  const { algorithm: signatureAlgorithm, certificates } = authority.signer
  const signature = authority.signInPlace(signatureAlgorithm, responseData)
  return { bytes: peekOcspResponse({ responseData, signatureAlgorithm, signature, certificates }), about: thisUpdate, signature }
}

const unknown: CertStatus = { status: 'unknown' }

async function statusOf(authority: ServedAuthority, serial: Uint8Array): Promise<CertStatus> {
  const known = authority.lease?.valid === true ? authority.statuses.get(keyOf(serial)) : undefined
  if (known !== undefined) return known
  const status = statusFrom(await authority.readStatus(serial))
  // Read under the right to keep: a change since then has taken it back. What is unknown may be issued at any time.
  if (status.status !== 'unknown' && authority.lease?.valid === true) keepIn(authority.statuses, keyOf(serial), status)
  return status
}

function dataOf(
  authority: ServedAuthority,
  { certIds, nonce }: OcspRequest,
  statuses: readonly CertStatus[],
  now: Date,
): { thisUpdate: Date; responseData: Uint8Array } {
  const { thisUpdate, nextUpdate } = timesOf(authority, now)
  const responses = certIds.map((certId, at): SingleResponse => ({ ...(statuses[at] ?? unknown), certId, thisUpdate, nextUpdate }))
  const { responderId } = authority
  return { thisUpdate, responseData: buildOcspResponseData({ responderId, producedAt: thisUpdate, responses, nonce }) }
}

/** Thousands of answers are given in one second, and say the same of it. None is valid for longer than the certificate of who signs it. */
function timesOf(authority: ServedAuthority, now: Date): Times {
  const second = Math.floor(now.getTime() / 1000) * 1000
  if (authority.times?.thisUpdate.getTime() === second) return authority.times
  const usual = second + answerValidMilliseconds(authority.settings)
  const [thisUpdate, nextUpdate] = [
    new Date(second),
    new Date(authority.signerEnds > second ? Math.min(usual, authority.signerEnds) : usual),
  ]
  const producedAt = generalizedTime(thisUpdate)
  return (authority.times = { thisUpdate, nextUpdate, producedAt, validity: concat(producedAt, explicit(0, generalizedTime(nextUpdate))) })
}

/** The oldest goes where there are too many. */
export function keepIn<T>(map: Map<string, T>, key: string, one: T): void {
  map.set(key, one)
  const oldest = map.size > mostCachedAnswers ? map.keys().next().value : undefined
  if (oldest !== undefined) map.delete(oldest)
}

/** What was reserved and never signed is not a certificate. */
function statusFrom(found: SerialStatus | undefined): CertStatus {
  if (found?.revocation !== undefined) return { status: 'revoked', revocationTime: found.revocation.at, reason: found.revocation.reason }
  return found?.state === 'signed' ? { status: 'good' } : { status: 'unknown' }
}
