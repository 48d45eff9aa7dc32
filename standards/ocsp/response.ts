import { say } from '#standards/say/say.ts'
import { reasonFromCode, REVOCATION_REASONS, type RevocationReason } from '../crl/reasons.ts'
// OCSP responses (RFC 6960 section 4.2, in the lightweight profile of RFC 5019): first the data to be signed, then, once
// someone has signed it, the whole. An error is a response of its own that nobody signs.
import { elementsOf, fieldsOf, finish, readInside, take, takeContext } from '../der/fields.ts'
import { SEQUENCE, clear, look, newPage, put, putByte, putGeneralizedTime, putHeader, putOid, tearOff, written } from '../der/page.ts'
import { readDer, TAG, type DerValue } from '../der/reader.ts'
import {
  expectUniversal,
  explicitContent,
  faultAt,
  implicit,
  isContext,
  readBitStringBytes,
  readEnumerated,
  readNull,
  readOctetString,
  readOid,
  readSmallInteger,
  readTime,
} from '../der/values.ts'
import { enumerated, explicit, generalizedTime, implicitConstructed, implicitPrimitive, octetString, sequence } from '../der/writer.ts'
import {
  encodeAlgorithmIdentifier,
  parseAlgorithmIdentifier,
  type SignatureAlgorithm,
  type SignatureAlgorithmName,
} from '../x509/algorithms.ts'
import type { Certificate } from '../x509/certificate.ts'
import { parseExtensions } from '../x509/extensions.ts'
import { parseName } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import { keyIdentifierSha1 } from '../x509/public-key.ts'
import { readCertId, type CertId } from './cert-id.ts'
import { nonceExtension, readNonce } from './request.ts'

/** RFC 6960 4.2.1. 4 is not used. */
const STATUSES = {
  successful: 0,
  malformedRequest: 1,
  internalError: 2,
  tryLater: 3,
  sigRequired: 5,
  unauthorized: 6,
} as const
export type OcspResponseStatus = keyof typeof STATUSES
export type OcspErrorStatus = Exclude<OcspResponseStatus, 'successful'>

const statusOf = new Map<number, OcspResponseStatus>(
  (Object.entries(STATUSES) as [OcspResponseStatus, number][]).map(([name, code]) => [code, name]),
)

export type CertStatus =
  | { status: 'good' }
  /** unspecified is left out of the response */
  | { status: 'revoked'; revocationTime: Date; reason?: RevocationReason | undefined }
  | { status: 'unknown' }

export type SingleResponse = CertStatus & {
  certId: CertId
  /** when this was known to be so */
  thisUpdate: Date
  /** until when the answer may be kept; without it, newer word is to be had always */
  nextUpdate?: Date | undefined
}

export type ResponderId = { byKey: Uint8Array } | { byName: Uint8Array }

export interface OcspResponseDataInput {
  /** see responderIdOf */
  responderId: ResponderId
  producedAt: Date
  responses: readonly SingleResponse[]
  /** that of the request */
  nonce?: Uint8Array | undefined
}

export interface SignedOcspResponse {
  /** what the signature is over */
  responseData: Uint8Array
  signatureAlgorithm: SignatureAlgorithm
  signature: Uint8Array
  /** DER; a delegated signer puts its certificate here, the authority itself nothing */
  certificates?: readonly Uint8Array[] | undefined
}

export interface ParsedOcspResponse {
  status: 'successful'
  responseData: Uint8Array
  responderId: ResponderId
  producedAt: Date
  responses: SingleResponse[]
  nonce: Uint8Array | undefined
  signatureAlgorithm: SignatureAlgorithmName
  signature: Uint8Array
  certificates: Uint8Array[]
}

/** The responder's key hash: shorter than its name, and RFC 5019 2.2.1 asks for it. */
export function responderIdOf(signer: Pick<Certificate, 'publicKey'>): ResponderId {
  return { byKey: keyIdentifierSha1(signer.publicKey) }
}

/** The ResponseData to sign. Throws RangeError for no response or a nonce out of bounds. */
export function buildOcspResponseData({ responderId, producedAt, responses, nonce }: OcspResponseDataInput): Uint8Array {
  if (responses.length === 0) throw new RangeError('An OCSP response answers about at least one certificate')
  clear(page)
  if (nonce !== undefined) {
    put(page, nonceExtension(nonce).value)
    putHeader(page, TAG.octetString, 0)
    putOid(page, OIDS.ocspNonce)
    putHeader(page, SEQUENCE, 0)
    putHeader(page, SEQUENCE, 0)
    putHeader(page, contextTag(1), 0)
  }
  const since = written(page)
  for (const response of responses.toReversed()) putSingleResponse(response)
  putHeader(page, SEQUENCE, since)
  putGeneralizedTime(page, producedAt)
  put(page, encodeResponderId(responderId))
  putHeader(page, SEQUENCE, 0)
  return tearOff(page)
}

/** The ResponderID as it stands in a response. */
export function encodeResponderId(responderId: ResponderId): Uint8Array {
  return 'byKey' in responderId ? explicit(2, octetString(responderId.byKey)) : explicit(1, responderId.byName)
}

/** One page serves every response, because writing one never waits. */
const page = newPage()
/** Of a constructed value. */
const contextTag = (number: number): number => 0xa0 | number

function putSingleResponse(response: SingleResponse): void {
  const { certId, thisUpdate, nextUpdate } = response
  const since = written(page)
  if (nextUpdate !== undefined) {
    putGeneralizedTime(page, nextUpdate)
    putHeader(page, contextTag(0), since)
  }
  putGeneralizedTime(page, thisUpdate)
  put(page, encodeCertStatus(response))
  put(page, certId.encoded)
  putHeader(page, SEQUENCE, since)
}

/** The CertStatus as it stands in a response. */
export function encodeCertStatus(certStatus: CertStatus): Uint8Array {
  if (certStatus.status !== 'revoked') return certStatus.status === 'good' ? GOOD : UNKNOWN
  const { revocationTime, reason = 'unspecified' } = certStatus
  const at = generalizedTime(revocationTime)
  return reason === 'unspecified'
    ? implicitConstructed(1, at)
    : implicitConstructed(1, at, explicit(0, enumerated(REVOCATION_REASONS[reason].code)))
}

const GOOD = implicitPrimitive(0, new Uint8Array(0))
const UNKNOWN = implicitPrimitive(2, new Uint8Array(0))

/** The OCSPResponse from its signed data and the signature. */
export function assembleOcspResponse(signed: SignedOcspResponse): Uint8Array {
  putOcspResponse(signed)
  return tearOff(page)
}

/** The same in memory that the next response is written to: for who copies it at once. */
export function peekOcspResponse(signed: SignedOcspResponse): Uint8Array {
  putOcspResponse(signed)
  return look(page)
}

function putOcspResponse({ responseData, signatureAlgorithm, signature, certificates = [] }: SignedOcspResponse): void {
  clear(page)
  if (certificates.length > 0) {
    for (const certificate of certificates.toReversed()) put(page, certificate)
    putHeader(page, SEQUENCE, 0)
    putHeader(page, contextTag(0), 0)
  }
  const since = written(page)
  put(page, signature)
  putByte(page, 0)
  putHeader(page, TAG.bitString, since)
  put(page, encodeAlgorithmIdentifier(signatureAlgorithm))
  put(page, responseData)
  putHeader(page, SEQUENCE, 0)
  putHeader(page, TAG.octetString, 0)
  putOid(page, OCSP_BASIC)
  putHeader(page, SEQUENCE, 0)
  putHeader(page, contextTag(0), 0)
  put(page, SUCCESSFUL)
  putHeader(page, SEQUENCE, 0)
}

const SUCCESSFUL = enumerated(STATUSES.successful)
const OCSP_BASIC = '1.3.6.1.5.5.7.48.1.1'

/** An answer that says only why there is none. */
export function ocspErrorResponse(status: OcspErrorStatus): Uint8Array {
  return sequence(enumerated(STATUSES[status]))
}

/** Throws DerError. Checks no signature: that is over `responseData`. */
export function parseOcspResponse(der: Uint8Array): ParsedOcspResponse | { status: OcspErrorStatus } {
  const outer = fieldsOf(readDer(der))
  const statusValue = take(outer, 'responseStatus')
  const status = statusOf.get(readEnumerated(statusValue))
  if (status === undefined) throw faultAt(statusValue, say`The number is no status of a response`)
  const bytes = takeContext(outer, 0, 'responseBytes')
  finish(outer)
  if (status !== 'successful') {
    if (bytes !== undefined) throw faultAt(bytes, say`An error response carries nothing`)
    return { status }
  }
  if (bytes === undefined) throw faultAt(statusValue, say`A successful response must carry its answer`)
  const responseBytes = fieldsOf(explicitContent(bytes))
  const type = take(responseBytes, 'responseType')
  if (readOid(type) !== OCSP_BASIC) throw faultAt(type, say`The response is not of the basic type`)
  const wrapped = take(responseBytes, 'response')
  finish(responseBytes)

  const basic = fieldsOf(readInside(wrapped, readOctetString(wrapped)))
  const responseData = take(basic, 'tbsResponseData')
  const signatureAlgorithm = parseAlgorithmIdentifier(take(basic, 'signatureAlgorithm'))
  const signature = readBitStringBytes(take(basic, 'signature'))
  const carried = takeContext(basic, 0, 'certs')
  const certificates =
    carried === undefined
      ? []
      : elementsOf(explicitContent(carried)).map((certificate) => {
          expectUniversal(certificate, TAG.sequence)
          return certificate.encoded
        })
  finish(basic)
  return { status, responseData: responseData.encoded, ...readResponseData(responseData, der), signatureAlgorithm, signature, certificates }
}

function readResponseData(
  value: DerValue,
  der: Uint8Array,
): Pick<ParsedOcspResponse, 'responderId' | 'producedAt' | 'responses' | 'nonce'> {
  const fields = fieldsOf(value)
  const version = takeContext(fields, 0, 'version')
  if (version !== undefined) readSmallInteger(explicitContent(version), { max: 0 })
  const responderId = readResponderId(take(fields, 'responderID'))
  const producedAt = readGeneralizedTime(take(fields, 'producedAt'))
  const responses = elementsOf(take(fields, 'responses'), 1).map(readSingleResponse)
  const extensions = takeContext(fields, 1, 'responseExtensions')
  const nonce = extensions === undefined ? undefined : readNonce(explicitContent(extensions), der)
  finish(fields)
  return { responderId, producedAt, responses, nonce }
}

function readResponderId(value: DerValue): ResponderId {
  if (isContext(value, 2)) return { byKey: readOctetString(explicitContent(value)) }
  if (!isContext(value, 1)) throw faultAt(value, say`A responder is named by its name or by the hash of its key`)
  const name = explicitContent(value)
  parseName(name)
  return { byName: name.encoded }
}

function readSingleResponse(value: DerValue): SingleResponse {
  const fields = fieldsOf(value)
  const certId = readCertId(take(fields, 'certID'))
  const status = readCertStatus(take(fields, 'certStatus'))
  const thisUpdate = readGeneralizedTime(take(fields, 'thisUpdate'))
  const next = takeContext(fields, 0, 'nextUpdate')
  const extensions = takeContext(fields, 1, 'singleExtensions')
  if (extensions !== undefined) parseExtensions(explicitContent(extensions))
  finish(fields)
  return { certId, ...status, thisUpdate, nextUpdate: next === undefined ? undefined : readGeneralizedTime(explicitContent(next)) }
}

function readCertStatus(value: DerValue): CertStatus {
  if (isContext(value, 0) || isContext(value, 2)) {
    readNull(implicit(value, TAG.null))
    return { status: value.tagNumber === 0 ? 'good' : 'unknown' }
  }
  if (!isContext(value, 1)) throw faultAt(value, say`A certificate is good, revoked or unknown`)
  const fields = fieldsOf(implicit(value, TAG.sequence))
  const revocationTime = readGeneralizedTime(take(fields, 'revocationTime'))
  const reasonValue = takeContext(fields, 0, 'revocationReason')
  finish(fields)
  const reason = reasonValue === undefined ? 'unspecified' : reasonFromCode(readEnumerated(explicitContent(reasonValue)))
  if (reason === undefined) throw faultAt(value, say`The number is no reason for revocation`)
  return { status: 'revoked', revocationTime, reason }
}

function readGeneralizedTime(value: DerValue): Date {
  expectUniversal(value, TAG.generalizedTime)
  return readTime(value)
}
