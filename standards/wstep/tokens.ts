// WS-Trust X.509v3 Token Enrollment (MS-WSTEP): a request in a RequestSecurityToken, and its answers. The request itself is PKCS#10, or CMS around one:
// signed with the certificate that is renewed, or a PKIData (RFC 5272) as Windows makes by itself.

import { createHash } from 'node:crypto'
import { CmsError } from '../cms/message.ts'
import { parseSignedData, verifySignedData } from '../cms/signed-data.ts'
import { berToDer } from '../der/ber.ts'
import { elementsOf, fieldsOf, take } from '../der/fields.ts'
import { DerError, readDer, TAG } from '../der/reader.ts'
import { bytesEqual, implicit, isContext, isUniversal } from '../der/values.ts'
import { NAMESPACES, nil, SoapFault } from '../soap/soap.ts'
import type { Certificate } from '../x509/certificate.ts'
import { parseCsr, type Csr } from '../x509/csr.ts'
import { X509Error } from '../x509/error.ts'
import { OIDS } from '../x509/oids.ts'
import { attributeOf, onlyChild, type XmlElement } from '../xml/read.ts'
import { element, type Written } from '../xml/write.ts'

const TRUST = 'http://docs.oasis-open.org/ws-sx/ws-trust/200512'
const ENROLLMENT = 'http://schemas.microsoft.com/windows/pki/2009/01/enrollment'
const TOKEN_TYPE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3'
const BASE64 = `${NAMESPACES.security}#base64binary`

export const WSTEP_ACTION = `${ENROLLMENT}/RST/wstep`
export const WSTEP_ANSWER = `${ENROLLMENT}/RSTRC/wstep`

const requestTypes: Readonly<Record<string, 'issue' | 'query'>> = {
  [`${TRUST}/Issue`]: 'issue',
  // Device management of Windows says so for the same (MS-MDE 3.5.4.1.1.1).
  [`${TRUST}/Renew`]: 'issue',
  [`${ENROLLMENT}/QueryTokenStatus`]: 'query',
}

const valueTypes: ReadonlySet<string> = new Set([
  `${ENROLLMENT}#PKCS10`,
  `${ENROLLMENT}#PKCS7`,
  `${ENROLLMENT}#CMC`,
  `${NAMESPACES.security}#PKCS7`,
])

export type TokenRequest = { type: 'issue'; token: Uint8Array } | { type: 'query'; requestId: string }

/** Throws SoapFault. */
export function readTokenRequest(content: XmlElement): TokenRequest {
  if (content.namespace !== TRUST || content.name !== 'RequestSecurityToken')
    throw new SoapFault('The body holds no RequestSecurityToken of WS-Trust 1.3')
  const asked = onlyChild(content, TRUST, 'RequestType')?.text.trim() ?? ''
  const type = Object.hasOwn(requestTypes, asked) ? requestTypes[asked] : undefined
  if (type === undefined) throw new SoapFault('The RequestType must be Issue or QueryTokenStatus')
  if (type === 'query') {
    const requestId = onlyChild(content, ENROLLMENT, 'RequestID')?.text.trim() ?? ''
    if (!/^\d{1,20}$/.test(requestId)) throw new SoapFault('The RequestID must be the number of a request')
    return { type, requestId }
  }
  const token = onlyChild(content, NAMESPACES.security, 'BinarySecurityToken')
  if (token === undefined) throw new SoapFault('There must be one BinarySecurityToken')
  if (!valueTypes.has(attributeOf(token, 'ValueType') ?? ''))
    throw new SoapFault('The BinarySecurityToken must be PKCS10, PKCS7 or CMC by its ValueType')
  const encoding = attributeOf(token, 'EncodingType')
  if (encoding !== undefined && encoding.toLowerCase() !== BASE64.toLowerCase())
    throw new SoapFault('The BinarySecurityToken must be in base64 by its EncodingType')
  const base64 = token.text.replace(/\s/g, '')
  if (base64 === '' || base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw new SoapFault('The BinarySecurityToken is not base64')
  return { type, token: Buffer.from(base64, 'base64') }
}

/** Says why a token holds no request that can be read, or is not signed as it must be. */
export class TokenError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TokenError'
  }
}

export interface OpenedToken {
  csr: Csr
  /** whose key has signed the whole, checked: what is renewed */
  signer: Certificate | undefined
}

const ID_CCT_PKI_DATA = '1.3.6.1.5.5.7.12.2'
const RENEWAL_CERTIFICATE = '1.3.6.1.4.1.311.13.1'

/** Throws TokenError. The signature of the request inside is not checked here. */
export function openToken(token: Uint8Array): OpenedToken {
  try {
    const der = berToDer(token)
    const [first] = elementsOf(readDer(der))
    return first !== undefined && isUniversal(first, TAG.objectIdentifier) ? openSigned(der) : { csr: parseCsr(der), signer: undefined }
  } catch (error) {
    if (error instanceof DerError || error instanceof X509Error || error instanceof CmsError)
      throw new TokenError(`The request cannot be read: ${error.message}`)
    throw error
  }
}

function openSigned(der: Uint8Array): OpenedToken {
  const message = parseSignedData(der)
  if (message.content === undefined) throw new TokenError('The signed message holds no request')
  const isData = message.contentType === OIDS.data
  if (!isData && message.contentType !== ID_CCT_PKI_DATA) throw new TokenError('The signed message holds something else than a request')
  const csr = parseCsr(isData ? message.content : requestOf(message.content))
  // Windows signs its PKIData with the new key besides, by its identifier alone: the request inside proves that key already.
  const isOwnKey = ({ reference }: (typeof message.signers)[number]) =>
    !isData && 'keyIdentifier' in reference && bytesEqual(reference.keyIdentifier, keyIdentifierOf(csr))
  const signers = verifySignedData(message).filter((one) => !(one.certificate === undefined && isOwnKey(one)))
  const [signer, more] = signers
  if (more !== undefined) throw new TokenError('The request is signed with more than one certificate')
  if (signer === undefined) {
    if (isData) throw new TokenError('The message is signed by nobody')
    return { csr, signer: undefined }
  }
  if (!signer.check.ok) throw new TokenError(`The signature around the request is not good: ${signer.check.reason}`)
  refuseOther(csr, signer.certificate)
  return { csr, signer: signer.certificate }
}

/** RFC 5280 4.2.1.2 (1), as Windows makes it of a key that has no certificate yet. */
function keyIdentifierOf({ publicKey }: Csr): Uint8Array {
  const [, key] = elementsOf(readDer(publicKey.spki))
  return createHash('sha1')
    .update(key?.content.subarray(1) ?? new Uint8Array())
    .digest()
}

/** RFC 5272 3.2.1: the one PKCS#10 in a PKIData. Controls say nothing that is heard here. */
function requestOf(content: Uint8Array): Uint8Array {
  const fields = fieldsOf(readDer(content))
  take(fields, 'controlSequence')
  const [request, more] = elementsOf(take(fields, 'reqSequence'))
  if (request === undefined || more !== undefined || !isContext(request, 0))
    throw new TokenError('The message must hold one request (PKCS#10)')
  const tagged = fieldsOf(implicit(request, TAG.sequence))
  take(tagged, 'bodyPartID')
  return take(tagged, 'certificationRequest').encoded
}

/** MS-WCCE: a request may say which certificate it renews. It is the one that signs, and no other. */
function refuseOther(csr: Csr, signer: Certificate | undefined): void {
  const named = csr.attributes.find(({ type }) => type === RENEWAL_CERTIFICATE)?.values
  if (named === undefined) return
  const isSigner = named.length === 1 && named[0] !== undefined && signer !== undefined && bytesEqual(named[0], signer.encoded)
  if (!isSigner) throw new TokenError('The request renews another certificate than the one that signs it')
}

const TRUST_NAMESPACES = { xmlns: TRUST, 'xmlns:e': ENROLLMENT, 'xmlns:o': NAMESPACES.security, 'xmlns:i': NAMESPACES.instance }

const answered = (says: string, requestId: string, ...tokens: Written[]): Written =>
  element(
    'RequestSecurityTokenResponseCollection',
    [
      element('RequestSecurityTokenResponse', [
        element('TokenType', TOKEN_TYPE),
        element('e:DispositionMessage', says, { 'xml:lang': 'en-US' }),
        ...tokens,
        element('e:RequestID', requestId),
      ]),
    ],
    TRUST_NAMESPACES,
  )

const binary = (valueType: string, bytes: Uint8Array): Written =>
  element('o:BinarySecurityToken', Buffer.from(bytes).toString('base64'), { ValueType: valueType, EncodingType: BASE64 })

/** `chain`: a certificates-only message, the leaf first. */
export const writeIssued = ({
  requestId,
  certificate,
  chain,
}: {
  requestId: string
  certificate: Uint8Array
  chain: Uint8Array
}): Written =>
  answered(
    'Issued',
    requestId,
    binary(`${NAMESPACES.security}#PKCS7`, chain),
    element('RequestedSecurityToken', [binary(TOKEN_TYPE, certificate)]),
  )

/** `url`: where its status is asked for. */
export const writePending = ({ requestId, url }: { requestId: string; url: string }): Written =>
  answered(
    'Taken Under Submission',
    requestId,
    element('RequestedSecurityToken', [element('o:SecurityTokenReference', [element('o:Reference', [], { URI: url })])]),
  )

/** What Windows tells its user by number. */
export const WSTEP_ERRORS = {
  /** E_INVALIDARG */
  invalid: 0x80070057,
  /** CERTSRV_E_UNSUPPORTED_CERT_TYPE */
  template: 0x80094800,
  /** E_ACCESSDENIED */
  access: 0x80070005,
} as const

/** MS-WSTEP 3.1.4.1.2.1 CertificateEnrollmentWSDetail */
export const writeErrorDetail = (error: keyof typeof WSTEP_ERRORS, requestId?: string): Written =>
  element(
    'CertificateEnrollmentWSDetail',
    [
      nil('BinaryResponse'),
      element('ErrorCode', WSTEP_ERRORS[error] | 0),
      element('InvalidRequest', error !== 'access'),
      requestId === undefined ? nil('RequestID') : element('RequestID', requestId),
    ],
    { xmlns: ENROLLMENT, 'xmlns:i': NAMESPACES.instance },
  )
