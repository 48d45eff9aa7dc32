// Certificates that somebody brings, as text: PEM, PKCS#7 or bare base64.

import * as z from 'zod'

/** In characters; the hint of a field tells the same. */
export const longestCertificate = 100_000
export const longestChain = 200_000

const Supplied = z.string().trim().min(1, 'Paste the certificate, or drop its file')

export const CertificateText = Supplied.max(longestCertificate, 'This is too long for one certificate')
/** A certificate and those above it, in any order. */
export const ChainText = Supplied.max(longestChain, 'This is too long for a chain of certificates')
