// What an item is. The splitter knows certificates, requests, lists and keys by their structure; what it calls unknown is looked at
// once more here, for what only the decoder shows. Where the structure says nothing, the label of the PEM block does.

import { DerError, readDer, TAG, type DerValue } from '#standards/der/reader.ts'
import { isContext, isUniversal, readOid } from '#standards/der/values.ts'
import type { CertificateTextItem } from '#standards/pem/certificate-text.ts'
import { outlineOf } from '#standards/x509/describe-malformed.ts'
import { OIDS } from '#standards/x509/oids.ts'
import type { DecodedKind } from '../rules.ts'

const kindOfLabel: { readonly [label: string]: DecodedKind } = {
  'OCSP REQUEST': 'ocspRequest',
  'OCSP RESPONSE': 'ocspResponse',
  PKCS12: 'pkcs12',
}

export function kindOfItem({ kind, bytes, label }: CertificateTextItem): DecodedKind {
  if (kind !== 'unknown') return kind
  try {
    return shapeOf(readDer(bytes)) ?? kindOfLabel[label ?? ''] ?? 'unknown'
  } catch (error) {
    if (error instanceof DerError) return kindOfLabel[label ?? ''] ?? outlineOf(bytes) ?? 'unknown'
    throw error
  }
}

function shapeOf(value: DerValue): DecodedKind | undefined {
  const [first, second] = value.children
  if (!isUniversal(value, TAG.sequence) || first === undefined) return undefined
  if (isUniversal(first, TAG.objectIdentifier))
    return readOid(first) === OIDS.authEnvelopedData && second !== undefined && isContext(second, 0) ? 'pkcs7' : undefined
  if (isUniversal(first, TAG.enumerated) && (second === undefined || isContext(second, 0))) return 'ocspResponse'
  if (isUniversal(first, TAG.integer) && second !== undefined && isContentInfo(second)) return 'pkcs12'
  if (isUniversal(first, TAG.sequence) && (second === undefined || isContext(second, 0)) && asksAbout(first)) return 'ocspRequest'
  return undefined
}

function isContentInfo(value: DerValue): boolean {
  const [type, content] = value.children
  const types: readonly string[] = [OIDS.data, OIDS.signedData]
  return (
    type !== undefined &&
    isUniversal(type, TAG.objectIdentifier) &&
    types.includes(readOid(type)) &&
    content !== undefined &&
    isContext(content, 0)
  )
}

/** TBSRequest: a list of CertIDs, each an algorithm, two hashes and a serial number. */
function asksAbout(value: DerValue): boolean {
  const list = value.children.find((child) => isUniversal(child, TAG.sequence))
  const shape = list?.children[0]?.children[0]?.children.map(({ tagNumber }) => tagNumber)
  return shape?.join() === [TAG.sequence, TAG.octetString, TAG.octetString, TAG.integer].join()
}
