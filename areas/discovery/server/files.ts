// Reads certificates out of uploaded files: PEM, DER as base64 or hexadecimal text, and PKCS#7.

import { parseCertificatesOnly } from '#standards/cms/certificates-only.ts'
import { DerError } from '#standards/der/reader.ts'
import { splitCertificateText } from '#standards/pem/certificate-text.ts'
import { PemError } from '#standards/pem/pem.ts'
import type { Found } from './provider-page.ts'

const mostInFiles = 2_000

type Read = { found: Found[]; faults: { file: string; says: string }[] }

/** The place of a finding is the file's name, with a number from its second certificate on. A file with a private key is left out whole. */
export function readFiles(files: readonly { name: string; content: string }[]): Read {
  const read: Read = { found: [], faults: [] }
  for (const { name, content } of files) {
    const bundle = bundleOf(content)
    if ('says' in bundle) {
      read.faults.push({ file: name, says: bundle.says })
      continue
    }
    if (read.found.length + bundle.certificates.length > mostInFiles) {
      read.faults.push({ file: name, says: 'These are more than 2,000 certificates: upload this file by itself or in parts' })
      continue
    }
    for (const [at, certificate] of bundle.certificates.entries())
      read.found.push({ place: at === 0 ? name : `${name} #${at + 1}`, certificate, chain: bundle.certificates })
  }
  // Of two files of one name the last stands: a place holds one certificate.
  return { ...read, found: [...new Map(read.found.map((one) => [one.place, one])).values()] }
}

function bundleOf(content: string): { certificates: Uint8Array[] } | { says: string } {
  try {
    const items = splitCertificateText(content)
    if (items.some(({ kind }) => kind === 'privateKey'))
      return { says: 'This holds a private key. It was not kept; count that key as exposed and replace its certificate' }
    const certificates = items.flatMap(({ kind, bytes }) =>
      kind === 'pkcs7' ? parseCertificatesOnly(bytes).certificates : kind === 'certificate' ? [bytes] : [],
    )
    return certificates.length === 0 ? { says: 'There is no certificate in this file' } : { certificates }
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError)
      return { says: `This is not a certificate that can be read: ${error.message}` }
    throw error
  }
}
