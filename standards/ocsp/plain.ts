// The request that nearly every client sends, and its answer: one certificate, and a nonce or nothing. It is read by where its bytes stand, in a
// twentieth of the time that a tree of values takes, and answered by copying them. What is written in any other way, or wrongly, is left to
// parseOcspRequest, which alone says what is wrong with it.
import { SEQUENCE, clear, look, newPage, put, putHeader, putRange, written } from '../der/page.ts'
import { TAG } from '../der/reader.ts'
import { concat, nullValue, octetString, oid, sequence } from '../der/writer.ts'
import type { Certificate } from '../x509/certificate.ts'
import { OIDS } from '../x509/oids.ts'
import { CERT_ID_HASHES, certIdFor } from './cert-id.ts'
import { OCSP_MAX_NONCE_BYTES } from './request.ts'

/** Where things stand in a request, in bytes from its beginning. */
export interface PlainOcspRequest {
  bytes: Uint8Array
  certId: number
  /** the serial number, without its sign byte; it ends where the CertID does */
  serialNumber: number
  certIdEnd: number
  /** the extensions with their tag, in which stands the nonce and nothing else; the end of the request where there are none */
  extensions: number
}

/** All that stands before the serial number in a CertID of this issuer, in each way in which it can be written (RFC 6960 4.1.1, RFC 5754 section 2). */
export function plainIssuers(issuer: Pick<Certificate, 'subjectEncoded' | 'publicKey'>): Uint8Array[] {
  return CERT_ID_HASHES.flatMap((hash) => {
    const { issuerNameHash, issuerKeyHash } = certIdFor(issuer, Uint8Array.of(1), hash)
    return [sequence(oid(OIDS[hash]), nullValue()), sequence(oid(OIDS[hash]))].map((algorithm) =>
      concat(algorithm, octetString(issuerNameHash), octetString(issuerKeyHash)),
    )
  })
}

/** `issuers`: see plainIssuers. Undefined where it is about another's certificate, or not as plain as can be, or has more than 258 bytes. */
export function readPlainOcspRequest(bytes: Uint8Array, issuers: readonly Uint8Array[]): PlainOcspRequest | undefined {
  const end = bytes.length
  const tbsRequest = contentOf(bytes, contentOf(bytes, 0, SEQUENCE, end), SEQUENCE, end)
  const requestList = contentOf(bytes, tbsRequest, SEQUENCE, undefined)
  const certIdEnd = requestList + (bytes[requestList - 1] ?? 0)
  const certId = contentOf(bytes, requestList, SEQUENCE, certIdEnd)
  const inCertId = contentOf(bytes, certId, SEQUENCE, certIdEnd)
  if (inCertId === NOWHERE) return undefined
  const issuer = issuers.find((one) => standsAt(bytes, inCertId, one))
  if (issuer === undefined) return undefined
  const serialNumber = contentOf(bytes, inCertId + issuer.length, TAG.integer, certIdEnd)
  const serialBytes = certIdEnd - serialNumber
  const first = bytes[serialNumber] ?? 0
  if (serialNumber === NOWHERE || serialBytes < 2 || serialBytes > LONGEST_SERIAL || first >= 0x80) return undefined
  if (first === 0 && (bytes[serialNumber + 1] ?? 0) < 0x80) return undefined
  if (certIdEnd !== end && !isNonceAlone(bytes, certIdEnd)) return undefined
  return { bytes, certId, serialNumber: first === 0 ? serialNumber + 1 : serialNumber, certIdEnd, extensions: certIdEnd }
}

export const hasNonce = ({ bytes, extensions }: PlainOcspRequest): boolean => extensions < bytes.length

const LONGEST_SERIAL = 21
/** Nothing begins at the second byte of a request. */
const NOWHERE = 1
const EXTENSIONS_OF_REQUEST = 0xa2
const EXTENSIONS_OF_RESPONSE = 0xa1
const NONCE = oid(OIDS.ocspNonce)

/** Where the content of the value at this place begins, if it has this tag, a canonical length of one byte or two, and ends at `end`. */
function contentOf(bytes: Uint8Array, at: number, tag: number, end: number | undefined): number {
  if (at === NOWHERE || bytes[at] !== tag) return NOWHERE
  const length = bytes[at + 1] ?? 0xff
  const content = length < 0x80 ? at + 2 : length === 0x81 && (bytes[at + 2] ?? 0) >= 0x80 ? at + 3 : NOWHERE
  if (content === NOWHERE || (end !== undefined && content + (bytes[content - 1] ?? 0) !== end)) return NOWHERE
  return content
}

function standsAt(bytes: Uint8Array, at: number, piece: Uint8Array): boolean {
  for (let index = 0; index < piece.length; index += 1) if (bytes[at + index] !== piece[index]) return false
  return true
}

function isNonceAlone(bytes: Uint8Array, at: number): boolean {
  const end = bytes.length
  const extension = contentOf(bytes, contentOf(bytes, contentOf(bytes, at, EXTENSIONS_OF_REQUEST, end), SEQUENCE, end), SEQUENCE, end)
  if (extension === NOWHERE || !standsAt(bytes, extension, NONCE)) return false
  const nonce = contentOf(bytes, contentOf(bytes, extension + NONCE.length, TAG.octetString, end), TAG.octetString, end)
  return nonce !== NOWHERE && nonce < end && end - nonce <= OCSP_MAX_NONCE_BYTES
}

/** What an answer says besides, each as finished DER (see response.ts). */
export interface PlainAnswer {
  responderId: Uint8Array
  producedAt: Uint8Array
  certStatus: Uint8Array
  /** thisUpdate and nextUpdate */
  validity: Uint8Array
}

/** The ResponseData to sign: the same bytes as buildOcspResponseData gives, in memory that the next is written to. */
export function buildPlainResponseData(
  { bytes, certId, certIdEnd, extensions }: PlainOcspRequest,
  { responderId, producedAt, certStatus, validity }: PlainAnswer,
): Uint8Array {
  clear(page)
  // The nonce is sent back as it was written, in extensions that have another tag (RFC 6960 4.4.1).
  putRange(page, bytes, extensions, bytes.length)
  const since = written(page)
  if (since > 0) page.bytes[page.at] = EXTENSIONS_OF_RESPONSE
  put(page, validity)
  put(page, certStatus)
  putRange(page, bytes, certId, certIdEnd)
  putHeader(page, SEQUENCE, since)
  putHeader(page, SEQUENCE, since)
  put(page, producedAt)
  put(page, responderId)
  putHeader(page, SEQUENCE, 0)
  return look(page)
}

/** One page serves every answer, because writing one never waits. */
const page = newPage()
