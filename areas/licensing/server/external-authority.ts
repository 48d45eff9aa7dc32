// Checks the certificate of an external authority before anything trusts it: one certificate, of an authority, with a sound key, within its validity, and
// with a right signature where it is self-signed.

import { invalidField } from '#core/server/fault.ts'
import { DerError } from '#standards/der/reader.ts'
import { splitCertificateText } from '#standards/pem/certificate-text.ts'
import { PemError } from '#standards/pem/pem.ts'
import { checkIssuedBy, fingerprint, isSelfIssued, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { checkPublicKey } from '#standards/x509/key-checks.ts'
import { formatName } from '#standards/x509/names.ts'
import { describeKey } from '#standards/x509/public-key.ts'

const refuse = (says: string) => invalidField('certificate', says)

/** Throws a Fault on the field `certificate`. `root`: it must have signed itself. */
export function readExternalAuthority(text: string, now: Date, { root }: { root: boolean }): Certificate {
  const certificate = readOne(text)
  const usages = findExtension(certificate.extensions, 'keyUsage')?.usages
  if (findExtension(certificate.extensions, 'basicConstraints')?.cA !== true)
    throw refuse('This certificate is not for an authority: its basicConstraints do not say cA')
  if (usages !== undefined && !usages.includes('keyCertSign'))
    throw refuse('This certificate may not sign certificates: its keyUsage lacks keyCertSign')
  if (certificate.notAfter < now) throw refuse(`This certificate expired on ${certificate.notAfter.toISOString()}`)
  const unsound = checkPublicKey(certificate.publicKey).find(({ severity }) => severity === 'error')
  if (unsound !== undefined) throw refuse(unsound.message)
  if (isSelfIssued(certificate)) {
    const signed = checkIssuedBy(certificate, certificate)
    if (!signed.ok) throw refuse(`It claims to have signed itself, but: ${signed.reason}`)
  } else if (root) throw refuse(`This is no root: it was issued by ${formatName(certificate.issuer)}`)
  return certificate
}

function readOne(text: string): Certificate {
  try {
    const items = splitCertificateText(text)
    const [item] = items
    if (item === undefined) throw refuse('There is no certificate in this')
    if (items.some(({ kind }) => kind === 'privateKey'))
      throw refuse('This holds a private key. Paste the certificate only, and count that key as exposed')
    if (items.length > 1) throw refuse(`There are ${items.length} items in this text. Paste one certificate`)
    if (item.kind !== 'certificate') throw refuse('This is not a certificate')
    return parseCertificate(item.bytes)
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError) throw refuse(`This is not a certificate that can be read: ${error.message}`)
    throw error
  }
}

/** The columns that are read out of a certificate. */
export const columnsOf = (certificate: Certificate) => ({
  subject: formatName(certificate.subject),
  serial_hex: certificate.serialHex,
  key_text: describeKey(certificate.publicKey),
  not_before: certificate.notBefore,
  not_after: certificate.notAfter,
  fingerprint_sha256: fingerprint(certificate),
  certificate: Buffer.from(certificate.encoded),
})
