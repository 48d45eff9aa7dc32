// OCSP requests (RFC 6960 section 4.1) as they come in at a door that is open to all: small, few certificates at once,
// and nothing in them believed. A signature on a request is passed over; a nonce is kept within the bounds of RFC 9654.
import { say } from '#standards/say/say.ts'
import { elementsOf, fieldsOf, finish, take, takeContext } from '../der/fields.ts'
import { DerError, readDer, TAG, type DerValue } from '../der/reader.ts'
import { expectUniversal, explicitContent, faultAt, readBitStringBytes, readOctetString, readSmallInteger } from '../der/values.ts'
import { explicit, octetString, sequence } from '../der/writer.ts'
import type { Extension, UnknownExtension } from '../x509/extension-types.ts'
import { encodeExtensions, extensionOid, parseExtensions } from '../x509/extensions.ts'
import { parseGeneralName } from '../x509/general-names.ts'
import { OIDS } from '../x509/oids.ts'
import { readCertId, type CertId } from './cert-id.ts'

export interface OcspRequest {
  certIds: CertId[]
  /** 1 to 128 bytes; to be sent back as it is */
  nonce: Uint8Array | undefined
}

export interface OcspRequestLimits {
  maxBytes?: number
  maxCertIds?: number
}

export const OCSP_MAX_REQUEST_BYTES = 16_384
export const OCSP_MAX_CERT_IDS = 16

/** RFC 9654 section 2.1: clients send 32 bytes; what is longer than 128 must be refused. */
export const OCSP_NONCE_BYTES = 32
export const OCSP_MAX_NONCE_BYTES = 128

/** Throws DerError for anything that deserves the answer malformedRequest. */
export function parseOcspRequest(
  der: Uint8Array,
  { maxBytes = OCSP_MAX_REQUEST_BYTES, maxCertIds = OCSP_MAX_CERT_IDS }: OcspRequestLimits = {},
): OcspRequest {
  const outer = fieldsOf(readDer(der, { maxBytes, maxDepth: 16, maxValues: 2000 }))
  const fields = fieldsOf(take(outer, 'tbsRequest'))
  const signature = takeContext(outer, 0, 'optionalSignature')
  if (signature !== undefined) checkSignatureOutline(explicitContent(signature))
  finish(outer)

  const version = takeContext(fields, 0, 'version')
  // DER leaves the default out, but clients exist that write it.
  if (version !== undefined) readSmallInteger(explicitContent(version), { max: 0 })
  const requestorName = takeContext(fields, 1, 'requestorName')
  if (requestorName !== undefined) parseGeneralName(explicitContent(requestorName))
  const list = take(fields, 'requestList')
  const requests = elementsOf(list, 1)
  if (requests.length > maxCertIds)
    throw faultAt(list, say`At most ${maxCertIds} certificates are asked about at once, not ${requests.length}`)
  const certIds = requests.map(readSingleRequest)
  const extensions = takeContext(fields, 2, 'requestExtensions')
  const nonce = extensions === undefined ? undefined : readNonce(explicitContent(extensions), der)
  finish(fields)
  return { certIds, nonce }
}

function readSingleRequest(value: DerValue): CertId {
  const fields = fieldsOf(value)
  const certId = readCertId(take(fields, 'reqCert'))
  const extensions = takeContext(fields, 0, 'singleRequestExtensions')
  if (extensions !== undefined) {
    const list = explicitContent(extensions)
    for (const extension of parseExtensions(list)) refuseCritical(extension, list)
  }
  finish(fields)
  return certId
}

/** The nonce among request or response extensions, whose bytes are a window on `der`. */
export function readNonce(list: DerValue, der: Uint8Array): Uint8Array | undefined {
  let nonce: Uint8Array | undefined
  for (const extension of parseExtensions(list)) {
    if (extension.type !== 'unknown' || extension.oid !== OIDS.ocspNonce) {
      refuseCritical(extension, list)
      continue
    }
    const value = readDer(extension.value, { offset: extension.value.byteOffset - der.byteOffset, path: `${list.path}(nonce)` })
    nonce = readOctetString(value)
    if (nonce.length < 1 || nonce.length > OCSP_MAX_NONCE_BYTES)
      throw faultAt(value, say`A nonce has 1 to ${OCSP_MAX_NONCE_BYTES} bytes, not ${nonce.length}`)
  }
  return nonce
}

function refuseCritical(extension: Extension, at: DerValue): void {
  if (extension.critical) throw faultAt(at, say`The critical extension ${extensionOid(extension)} is not known here`)
}

function checkSignatureOutline(value: DerValue): void {
  const fields = fieldsOf(value)
  expectUniversal(take(fields, 'signatureAlgorithm'), TAG.sequence)
  readBitStringBytes(take(fields, 'signature'))
  const certificates = takeContext(fields, 0, 'certs')
  if (certificates !== undefined) elementsOf(explicitContent(certificates))
  finish(fields)
}

/** A request, unsigned. Throws RangeError for an empty list or a nonce out of bounds. */
export function buildOcspRequest({ certIds, nonce }: { certIds: readonly CertId[]; nonce?: Uint8Array | undefined }): Uint8Array {
  if (certIds.length === 0) throw new RangeError('An OCSP request asks about at least one certificate')
  const requestList = sequence(...certIds.map(({ encoded }) => sequence(encoded)))
  return sequence(
    nonce === undefined ? sequence(requestList) : sequence(requestList, explicit(2, encodeExtensions([nonceExtension(nonce)]))),
  )
}

/** Throws RangeError for a nonce out of bounds. */
export function nonceExtension(nonce: Uint8Array): UnknownExtension {
  if (nonce.length < 1 || nonce.length > OCSP_MAX_NONCE_BYTES) throw new RangeError(`A nonce has 1 to ${OCSP_MAX_NONCE_BYTES} bytes`)
  return { type: 'unknown', oid: OIDS.ocspNonce, critical: false, value: octetString(nonce) }
}

/**
 * The request in the path of a GET, after the responder's address (RFC 6960 A.1): Base64, escaped for URLs. Clients and
 * what stands between them and us differ in what they escape, drop padding and turn `+` into a space; all of these are
 * read, and so is a slash too many, as the address may end in one. Throws DerError.
 */
export function decodeOcspGetPath(path: string): Uint8Array {
  // Escaping makes three characters of one, and Base64 four of three bytes.
  if (path.length > OCSP_MAX_REQUEST_BYTES * 4) throw new DerError(say`The path is too long`, 0, 'path')
  let base64: string
  try {
    base64 = decodeURIComponent(path.replace(/^\/+/, ''))
  } catch {
    throw new DerError(say`The path has a broken % escape`, 0, 'path')
  }
  base64 = base64.replaceAll(' ', '+').replace(/={1,2}$/, '')
  if (!/^[A-Za-z0-9+/]+$/.test(base64) || base64.length % 4 === 1) throw new DerError(say`The path is not Base64`, 0, 'path')
  return Buffer.from(base64, 'base64')
}

/** The path for a GET, to be put after the responder's address. */
export function encodeOcspGetPath(request: Uint8Array): string {
  return `/${encodeURIComponent(Buffer.from(request).toString('base64'))}`
}
