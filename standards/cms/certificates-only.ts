// "PKCS#7 certificates": a CMS SignedData (RFC 5652) that signs nothing and only carries certificates, which is how
// chains travel as .p7b and .p7c files, in SCEP (RFC 8894 section 3.4) and in EST (RFC 7030 section 4.1.3).
import { say } from '#standards/say/say.ts'
import { elementsOf, fieldsOf, finish, hasMore, setElementsOf, take, takeContext } from '../der/fields.ts'
import { readDer, TAG, type DerValue } from '../der/reader.ts'
import { expectUniversal, explicitContent, faultAt, implicit, readOid, readSmallInteger } from '../der/values.ts'
import { explicit, implicitConstructed, integer, oid, sequence, set } from '../der/writer.ts'
import { OIDS } from '../x509/oids.ts'

export interface CarriedCertificates {
  /** DER, in the order of the file */
  certificates: Uint8Array[]
  /** DER */
  crls: Uint8Array[]
}

/**
 * A degenerate SignedData with these DER certificates in the order given, the leaf first by custom: CMS need not be DER,
 * so the set is not sorted, and programs that show the first certificate show the right one. Throws DerError for bytes
 * that are no SEQUENCE.
 */
export function certificatesOnly(certificates: readonly Uint8Array[]): Uint8Array {
  if (certificates.length === 0) throw new RangeError('A certificates-only message carries at least one certificate')
  return certificatesAndLists({ certificates })
}

/** The same with revocation lists, or with those alone (RFC 8894 section 3.3.4). Throws DerError for bytes that are no SEQUENCE. */
export function certificatesAndLists({
  certificates,
  lists = [],
}: {
  certificates: readonly Uint8Array[]
  lists?: readonly Uint8Array[]
}): Uint8Array {
  for (const [index, certificate] of certificates.entries())
    expectUniversal(readDer(certificate, { path: `certificates[${index}]` }), TAG.sequence)
  const carriedAt = (tag: number, all: readonly Uint8Array[]) => (all.length === 0 ? [] : [implicitConstructed(tag, ...all)])
  const signedData = sequence(integer(1), set(), sequence(oid(OIDS.data)), ...carriedAt(0, certificates), ...carriedAt(1, lists), set())
  return sequence(oid(OIDS.signedData), explicit(0, signedData))
}

/**
 * The certificates and CRLs in a SignedData. Signers and content are passed over: nobody here trusts a certificate for
 * the message it came in. Throws DerError.
 */
export function parseCertificatesOnly(der: Uint8Array): CarriedCertificates {
  const contentInfo = fieldsOf(readDer(der))
  const contentType = take(contentInfo, 'contentType')
  if (readOid(contentType) !== OIDS.signedData) throw faultAt(contentType, say`The message is not signed data`)
  const content = takeContext(contentInfo, 0, 'content')
  if (content === undefined) throw faultAt(contentType, say`The message has no content`)
  finish(contentInfo)

  const signedData = fieldsOf(explicitContent(content))
  readSmallInteger(take(signedData, 'version'), { min: 1, max: 5 })
  setElementsOf(take(signedData, 'digestAlgorithms'))
  const encapsulated = fieldsOf(take(signedData, 'encapContentInfo'))
  readOid(take(encapsulated, 'eContentType'))
  takeContext(encapsulated, 0, 'eContent')
  finish(encapsulated)
  const certificates = carried(takeContext(signedData, 0, 'certificates'))
  const crls = carried(takeContext(signedData, 1, 'crls'))
  if (hasMore(signedData)) setElementsOf(take(signedData, 'signerInfos'))
  finish(signedData)
  return { certificates, crls }
}

function carried(tagged: DerValue | undefined): Uint8Array[] {
  if (tagged === undefined) return []
  return setElementsOf(implicit(tagged, TAG.set)).map((value) => {
    // Attribute certificates and other formats carry context tags; they are neither.
    elementsOf(value)
    return value.encoded
  })
}
