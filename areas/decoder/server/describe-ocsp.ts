// OCSP requests and responses (RFC 6960) as trees of plain text. No signature is checked: whose it would have to be stands elsewhere.

import { hexOf } from '#standards/der/values.ts'
import type { CertId } from '#standards/ocsp/cert-id.ts'
import { parseOcspRequest } from '#standards/ocsp/request.ts'
import { parseOcspResponse, type SingleResponse } from '#standards/ocsp/response.ts'
import { describeAlgorithm } from '#standards/x509/algorithms.ts'
import type { DescribedField } from '#standards/x509/described-field.ts'
import { formatName, parseName } from '#standards/x509/names.ts'

/** A pasted request may be longer than one that our own responder would answer. */
const largestRequest = 1024 * 1024
const mostCertificates = 1_000

const time = (date: Date) => date.toISOString().replace('.000', '')

/** Throws DerError. */
export function describeOcspRequest(der: Uint8Array): { title: string; field: DescribedField } {
  const { certIds, nonce } = parseOcspRequest(der, { maxBytes: largestRequest, maxCertIds: mostCertificates })
  return {
    title: certIds.length === 1 ? `about serial number ${serialOf(certIds[0])}` : `about ${certIds.length} certificates`,
    field: {
      label: 'OCSPRequest',
      children: [
        { label: 'requestList', note: `${certIds.length}`, children: certIds.map((certId) => describeCertId('reqCert', certId)) },
        ...(nonce === undefined ? [] : [{ label: 'nonce', value: hexOf(nonce) }]),
      ],
    },
  }
}

/** Throws DerError. */
export function describeOcspResponse(der: Uint8Array): { title: string; field: DescribedField } {
  const response = parseOcspResponse(der)
  if (!('responses' in response))
    return { title: response.status, field: { label: 'OCSPResponse', children: [{ label: 'responseStatus', value: response.status }] } }
  const { status, responderId, producedAt, responses, nonce, signatureAlgorithm, signature, certificates } = response
  const [first] = responses
  return {
    title:
      responses.length === 1 && first !== undefined
        ? `serial number ${serialOf(first.certId)} is ${first.status}`
        : `about ${responses.length} certificates`,
    field: {
      label: 'OCSPResponse',
      children: [
        { label: 'responseStatus', value: status },
        {
          label: 'tbsResponseData',
          children: [
            'byName' in responderId
              ? { label: 'responderID', value: formatName(parseName(responderId.byName)), note: 'by name' }
              : { label: 'responderID', value: hexOf(responderId.byKey), note: 'by the hash of its key' },
            { label: 'producedAt', value: time(producedAt) },
            { label: 'responses', note: `${responses.length}`, children: responses.map(describeResponse) },
            ...(nonce === undefined ? [] : [{ label: 'nonce', value: hexOf(nonce) }]),
          ],
        },
        { label: 'signatureAlgorithm', value: describeAlgorithm(signatureAlgorithm) },
        { label: 'signature', value: hexOf(signature) },
        ...(certificates.length === 0 ? [] : [{ label: 'certs', note: `${certificates.length}` }]),
      ],
    },
  }
}

/** The certificates that a response carries, DER. Throws DerError. */
export function certificatesOfResponse(der: Uint8Array): readonly Uint8Array[] {
  const response = parseOcspResponse(der)
  return 'responses' in response ? response.certificates : []
}

function describeResponse(response: SingleResponse): DescribedField {
  const { certId, status, thisUpdate, nextUpdate } = response
  return {
    label: 'SingleResponse',
    value: status,
    children: [
      describeCertId('certID', certId),
      { label: 'certStatus', value: status },
      ...(response.status === 'revoked'
        ? [
            { label: 'revocationTime', value: time(response.revocationTime) },
            { label: 'revocationReason', value: response.reason ?? 'unspecified' },
          ]
        : []),
      { label: 'thisUpdate', value: time(thisUpdate) },
      ...(nextUpdate === undefined ? [] : [{ label: 'nextUpdate', value: time(nextUpdate) }]),
    ],
  }
}

function describeCertId(label: string, certId: CertId): DescribedField {
  return {
    label,
    children: [
      { label: 'hashAlgorithm', value: certId.hash },
      { label: 'issuerNameHash', value: hexOf(certId.issuerNameHash) },
      { label: 'issuerKeyHash', value: hexOf(certId.issuerKeyHash) },
      { label: 'serialNumber', value: serialOf(certId) },
    ],
  }
}

const serialOf = (certId: CertId | undefined): string => (certId === undefined ? '' : hexOf(certId.serialNumber))
