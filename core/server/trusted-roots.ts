// Certificates that somebody names to be trusted besides the public ones: read where they are saved, because a way out with unreadable ones says only that it
// does not know the issuer.

import { DerError } from '#standards/der/reader.ts'
import { decodePem, PemError } from '#standards/pem/pem.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { X509Error } from '#standards/x509/error.ts'
import { invalidField } from './fault.ts'

/** What is wrong with the PEM; undefined where nothing is, or nothing is there. */
export function rootsFault(roots: string): string | undefined {
  if (roots.trim() === '') return undefined
  try {
    const blocks = decodePem(roots, 'CERTIFICATE')
    for (const { bytes } of blocks) parseCertificate(bytes)
    return blocks.length === 0 ? 'Paste certificates as PEM' : undefined
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError || error instanceof X509Error)
      return `This is no certificate: ${error.message}`
    throw error
  }
}

export function checkRoots(roots: string): void {
  const says = rootsFault(roots)
  if (says !== undefined) throw invalidField('roots', says)
}
