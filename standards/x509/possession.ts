// Requests for keys that cannot sign (RFC 9883): X25519, X448 and ML-KEM. Such a request is signed by another key of the same subject, one
// that has a certificate already, and an attribute names that certificate. The certificate answers for the statement, so it must be one
// that the authority trusts for this subject: valid, not revoked, and with every name that is asked for.
import { say } from '#standards/say/say.ts'
import { fieldsOf, finish, hasMore, take } from '../der/fields.ts'
import { readDer } from '../der/reader.ts'
import { bytesEqual, faultAt, readUnsignedBytes } from '../der/values.ts'
import { sequence } from '../der/writer.ts'
import { checkSignature, isSignatureAlgorithm, keyFitsAlgorithm, type SignatureCheck } from './algorithms.ts'
import type { Certificate } from './certificate.ts'
import { signsNot, type Csr, type CsrAttribute } from './csr.ts'
import { findExtension } from './extensions.ts'
import { encodeGeneralName } from './general-names.ts'
import { checkPublicKey } from './key-checks.ts'
import { encodeName } from './names.ts'
import { OIDS } from './oids.ts'

export interface PossessionStatement {
  /** DER Name of the issuer of the signer's certificate */
  issuer: Uint8Array
  /** unsigned */
  serialNumber: Uint8Array
  /** the signer's certificate, where the request brings it along */
  certificate?: Uint8Array
}

/** The statement of a request, or undefined where it makes none. Throws DerError for a malformed one. */
export function readPossessionStatement({ attributes }: Pick<Csr, 'attributes'>): PossessionStatement | undefined {
  const attribute = attributes.find(({ type }) => type === OIDS.statementOfPossession)
  const [value, second] = attribute?.values ?? []
  if (value === undefined) return undefined
  const root = readDer(value, { path: 'statementOfPossession' })
  if (second !== undefined) throw faultAt(root, say`The attribute must have one value`)
  const fields = fieldsOf(root)
  const signer = fieldsOf(take(fields, 'signer'))
  const issuer = take(signer, 'issuer').encoded
  const serialNumber = readUnsignedBytes(take(signer, 'serialNumber'))
  finish(signer)
  const certificate = hasMore(fields) ? take(fields, 'cert').encoded : undefined
  finish(fields)
  return { issuer, serialNumber, ...(certificate === undefined ? {} : { certificate }) }
}

/** The attribute for a request that the holder of this certificate signs. */
export function possessionStatement(signer: Certificate, withCertificate = false): CsrAttribute {
  const serial = Uint8Array.of(2, signer.serialContent.length, ...signer.serialContent)
  return {
    type: OIDS.statementOfPossession,
    values: [sequence(sequence(signer.issuerEncoded, serial), ...(withCertificate ? [signer.encoded] : []))],
  }
}

/**
 * Whether the request is signed by the key of this certificate, which its statement names, for names that the certificate has, too. Whether
 * the certificate is trusted, valid and not revoked is for the caller to find out. Never throws for what parseCsr and parseCertificate gave.
 */
export function verifyPossession(csr: Csr, statement: PossessionStatement, signer: Certificate): SignatureCheck {
  const no = (reason: string): SignatureCheck => ({ ok: false, reason })
  if (!signsNot(csr.publicKey)) return no(`A key for ${csr.publicKey.algorithm} can sign, so its request must be signed by itself.`)
  const isNamed = bytesEqual(statement.issuer, signer.issuerEncoded) && bytesEqual(statement.serialNumber, signer.serialNumber)
  if (!isNamed) return no('The statement of possession names another certificate.')
  const unsound = [...checkPublicKey(csr.publicKey), ...checkPublicKey(signer.publicKey)].find(({ severity }) => severity === 'error')
  if (unsound !== undefined) return no(unsound.message)
  if (findExtension(signer.extensions, 'keyUsage')?.usages.includes('digitalSignature') === false)
    return no('The certificate that the statement of possession names is not for signatures.')
  if (!isSignatureAlgorithm(csr.signatureAlgorithm) || !keyFitsAlgorithm(signer.publicKey, csr.signatureAlgorithm)) {
    return no(`The key of the certificate that the statement of possession names does not sign by ${csr.signatureAlgorithm}.`)
  }
  if (!bytesEqual(encodeName(csr.subject), encodeName(signer.subject)))
    return no('The request has another subject than the certificate that its statement of possession names.')
  const own = (findExtension(signer.extensions, 'subjectAltName')?.names ?? []).map(encodeGeneralName)
  const asked = (findExtension(csr.requestedExtensions, 'subjectAltName')?.names ?? []).map(encodeGeneralName)
  if (!asked.every((name) => own.some((each) => bytesEqual(each, name))))
    return no('The request has an alternative name that the certificate does not have which its statement of possession names.')
  return checkSignature(csr.signatureAlgorithm, signer.publicKey.spki, csr.info, csr.signature)
}
