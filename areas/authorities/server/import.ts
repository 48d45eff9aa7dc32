// The answer of an outside authority: which of the certificates is ours, whether it makes an authority of our key, and the chain above it, each
// link checked by its signature. Order and wrapping do not matter; anything that does not belong to the chain is named and refused.

import { invalidField } from '#core/server/fault.ts'
import { parseCertificatesOnly } from '#standards/cms/certificates-only.ts'
import { DerError } from '#standards/der/reader.ts'
import { bytesEqual } from '#standards/der/values.ts'
import { splitCertificateText } from '#standards/pem/certificate-text.ts'
import { PemError } from '#standards/pem/pem.ts'
import { checkIssuedBy, isSelfIssued, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { formatName, nameEquals } from '#standards/x509/names.ts'

/** More links than any real chain has. */
const mostCertificates = 20

const refuse = (says: string) => invalidField('certificate', says)

export type Answer = { own: Certificate; above: Certificate[] }

/** Our certificate and those above it, nearest first. `known`: certificates that need not be supplied. Throws a Fault on the field `certificate`. */
export function readAnswer(text: string, publicKey: Uint8Array, now: Date, known: readonly Uint8Array[] = []): Answer {
  const supplied = readCertificates(text)
  const own = supplied.find((certificate) => bytesEqual(certificate.publicKey.spki, publicKey))
  if (own === undefined) {
    const found = supplied.map(({ subject }) => formatName(subject) || 'a certificate without a subject').join('; ')
    throw refuse(`None of these is for this authority's key: ${found}`)
  }
  const fault = authorityFault(own, 'The certificate', now)
  if (fault !== undefined) throw refuse(fault)
  if (isSelfIssued(own)) throw refuse('The certificate is issued by itself and not by another authority')
  return {
    own,
    above: chainOf(
      own,
      supplied,
      now,
      known.map((der) => parseCertificate(der)),
    ),
  }
}

/** An authority whose key is elsewhere: the one certificate that signed none of the others, and those above it. A root stands alone. */
export function readOffline(text: string, now: Date): Answer {
  const supplied = readCertificates(text)
  const own =
    supplied.find(
      (certificate) =>
        !supplied.some(
          (other) =>
            other !== certificate && nameEquals(other.issuer, certificate.subject) && !bytesEqual(other.encoded, certificate.encoded),
        ),
    ) ?? supplied[0]
  if (own === undefined) throw refuse('There is no certificate in this')
  const fault = authorityFault(own, formatName(own.subject) || 'The certificate', now)
  if (fault !== undefined) throw refuse(fault)
  if (isSelfIssued(own) && !checkIssuedBy(own, own).ok)
    throw refuse(`${formatName(own.subject)} names itself as its issuer, but did not sign this certificate`)
  return { own, above: chainOf(own, supplied, now, []) }
}

/** Each link checked by its signature; no supplied certificate may stand beside the chain. */
function chainOf(own: Certificate, supplied: readonly Certificate[], now: Date, known: readonly Certificate[]): Certificate[] {
  const rest = new Set(supplied.filter((certificate) => !bytesEqual(certificate.encoded, own.encoded)))
  const above: Certificate[] = []
  for (let below = own; !isSelfIssued(below);) {
    const issuer = [...rest, ...known].find(
      (candidate) => nameEquals(candidate.subject, below.issuer) && checkIssuedBy(below, candidate).ok,
    )
    if (issuer === undefined) {
      if (above.length === 0) throw refuse(`Add the certificate of ${formatName(own.issuer)}, which signed this one`)
      break
    }
    const issuerFault = authorityFault(issuer, formatName(issuer.subject), now)
    if (issuerFault !== undefined) throw refuse(issuerFault)
    rest.delete(issuer)
    above.push(issuer)
    below = issuer
  }
  const [stray] = rest
  if (stray !== undefined) throw refuse(`${formatName(stray.subject) || 'A certificate without a subject'} does not belong to the chain`)
  return above
}

function readCertificates(text: string): Certificate[] {
  try {
    const items = splitCertificateText(text)
    const other = items.find(({ kind }) => kind !== 'certificate' && kind !== 'pkcs7')
    if (other?.kind === 'csr') throw refuse('This is the request. Paste the certificate that came back for it')
    if (other?.kind === 'privateKey') throw refuse('This holds a private key. Paste certificates only, and count that key as exposed')
    if (other !== undefined) throw refuse('Paste certificates, in PEM or PKCS#7')
    const encoded = items.flatMap(({ kind, bytes }) => (kind === 'pkcs7' ? parseCertificatesOnly(bytes).certificates : [bytes]))
    if (encoded.length === 0) throw refuse('There is no certificate in this')
    if (encoded.length > mostCertificates) throw refuse(`These are ${encoded.length} certificates; a chain has at most ${mostCertificates}`)
    return encoded.map(parseCertificate)
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError) throw refuse(error.message)
    throw error
  }
}

/** Why this is no certificate of an authority that signs now. */
export function authorityFault(certificate: Certificate, name: string, now: Date): string | undefined {
  const usages = findExtension(certificate.extensions, 'keyUsage')?.usages
  if (findExtension(certificate.extensions, 'basicConstraints')?.cA !== true)
    return `${name} is not for an authority: its basicConstraints do not say cA`
  if (usages !== undefined && !usages.includes('keyCertSign')) return `${name} may not sign certificates: its keyUsage lacks keyCertSign`
  if (certificate.notAfter < now) return `${name} expired on ${certificate.notAfter.toISOString()}`
  return undefined
}
