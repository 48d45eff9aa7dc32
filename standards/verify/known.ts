// A certificate with what path building asks of it again and again: its names in a form that can be looked up, and the hints
// by which the key that signed it may be told from others of the same name.
import { hexOf } from '../der/values.ts'
import type { Certificate } from '../x509/certificate.ts'
import { fingerprint } from '../x509/certificate.ts'
import { findExtension } from '../x509/extensions.ts'
import { comparableName } from '../x509/names.ts'
import { keyIdentity } from './work.ts'

export interface Known {
  certificate: Certificate
  /** equal for names that are equal by RFC 5280 7.1 */
  subject: string
  issuer: string
  /** of its own key, as it says */
  keyIdentifier: string | undefined
  /** of its issuer's key, as it says */
  authorityKeyIdentifier: string | undefined
  /** equal for equal keys */
  key: string
  /** lower-case hex of the SHA-256 */
  fingerprint: string
  /** among the trusted roots */
  anchor: boolean
}

export function know(certificate: Certificate, anchor: boolean): Known {
  const { extensions } = certificate
  const own = findExtension(extensions, 'subjectKeyIdentifier')?.keyIdentifier
  const authority = findExtension(extensions, 'authorityKeyIdentifier')?.keyIdentifier
  return {
    certificate,
    subject: comparableName(certificate.subject),
    issuer: comparableName(certificate.issuer),
    keyIdentifier: own && hexOf(own),
    authorityKeyIdentifier: authority && hexOf(authority),
    key: keyIdentity(certificate.publicKey),
    fingerprint: fingerprint(certificate),
    anchor,
  }
}

/** RFC 5280 6.1: the same name stands as subject and issuer. */
export function isSelfIssued({ subject, issuer }: Known): boolean {
  return subject === issuer
}
