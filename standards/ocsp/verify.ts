import { DerError } from '../der/reader.ts'
// Whether a relying party may believe an OCSP answer (RFC 6960 sections 3.2 and 4.2.2.2): it is about what was asked, its signature is right, whoever signed
// it is the issuer or was given the right by the issuer itself, and it is of now.
import { bytesEqual } from '../der/values.ts'
import { checkSignature } from '../x509/algorithms.ts'
import { checkIssuedBy, parseCertificate, type Certificate } from '../x509/certificate.ts'
import { X509Error } from '../x509/error.ts'
import { findExtension } from '../x509/extensions.ts'
import { KEY_PURPOSES } from '../x509/key-purposes.ts'
import { nameEquals } from '../x509/names.ts'
import type { CertId } from './cert-id.ts'
import { responderIdOf, type ParsedOcspResponse, type SingleResponse } from './response.ts'

/** What keeps a relying party from believing an answer. */
export type OcspFault =
  | 'otherCertificate'
  | 'otherNonce'
  | 'unknownSigner'
  | 'unauthorisedSigner'
  | 'signerNotValid'
  | 'wrongSignature'
  | 'notYet'
  | 'tooOld'

export interface OcspQuestion {
  certId: CertId
  /** whose certificate is asked about */
  issuer: Certificate
  nonce?: Uint8Array | undefined
  now: Date
  /** how far clocks may be apart; five minutes where absent */
  toleranceMilliseconds?: number | undefined
}

export type OcspVerdict = { ok: true; response: SingleResponse; signer: Certificate } | { ok: false; fault: OcspFault }

const usualTolerance = 300_000

/** Never throws. Asks nobody whether the signer is revoked: whoever wants that looks for ocspNoCheck in `signer` (RFC 6960 4.2.2.2.1). */
export function verifyOcspResponse(
  answer: ParsedOcspResponse,
  { certId, issuer, nonce, now, toleranceMilliseconds: tolerance = usualTolerance }: OcspQuestion,
): OcspVerdict {
  const response = answer.responses.find((one) => bytesEqual(one.certId.encoded, certId.encoded))
  if (response === undefined) return { ok: false, fault: 'otherCertificate' }
  if (nonce !== undefined && (answer.nonce === undefined || !bytesEqual(answer.nonce, nonce))) return { ok: false, fault: 'otherNonce' }
  const signer = [issuer, ...readAll(answer.certificates)].find((candidate) => isNamed(candidate, answer))
  if (signer === undefined) return { ok: false, fault: 'unknownSigner' }
  if (signer !== issuer) {
    const fault = delegationFault(signer, issuer, now, tolerance)
    if (fault !== undefined) return { ok: false, fault }
  }
  if (!checkSignature(answer.signatureAlgorithm, signer.publicKey.spki, answer.responseData, answer.signature).ok)
    return { ok: false, fault: 'wrongSignature' }
  if (response.thisUpdate.getTime() > now.getTime() + tolerance || answer.producedAt.getTime() > now.getTime() + tolerance)
    return { ok: false, fault: 'notYet' }
  if (response.nextUpdate !== undefined && response.nextUpdate.getTime() < now.getTime() - tolerance) return { ok: false, fault: 'tooOld' }
  return { ok: true, response, signer }
}

/** Some responders carry what is of no use; it does not spoil the answer. */
const readAll = (certificates: readonly Uint8Array[]): Certificate[] =>
  certificates.flatMap((der) => {
    try {
      return [parseCertificate(der)]
    } catch (error) {
      if (error instanceof DerError || error instanceof X509Error) return []
      throw error
    }
  })

function isNamed(candidate: Certificate, { responderId }: ParsedOcspResponse): boolean {
  if ('byName' in responderId) return bytesEqual(candidate.subjectEncoded, responderId.byName)
  const own = responderIdOf(candidate)
  return 'byKey' in own && bytesEqual(own.byKey, responderId.byKey)
}

function delegationFault(signer: Certificate, issuer: Certificate, now: Date, tolerance: number): OcspFault | undefined {
  const usages = findExtension(signer.extensions, 'keyUsage')?.usages
  const isFor =
    findExtension(signer.extensions, 'extKeyUsage')?.purposes.includes(KEY_PURPOSES.OCSPSigning) === true &&
    usages?.includes('digitalSignature') !== false
  if (!isFor || !nameEquals(signer.issuer, issuer.subject) || !checkIssuedBy(signer, issuer).ok) return 'unauthorisedSigner'
  return now.getTime() < signer.notBefore.getTime() - tolerance || now > signer.notAfter ? 'signerNotValid' : undefined
}
