// An upload's certificates, each once, and what is wrong with the pieces that are none.

import { parseCertificatesOnly } from '#standards/cms/certificates-only.ts'
import { DerError } from '#standards/der/reader.ts'
import { splitCertificateText, type CertificateTextItem } from '#standards/pem/certificate-text.ts'
import { PemError } from '#standards/pem/pem.ts'
import { fingerprint, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { mostCertificates } from '../rules.ts'

export type Upload = { certificates: Certificate[]; faults: { place: number; says: string }[] }
export type Refused = { refused: 'privateKey' | 'nothing' | 'tooMany' } | { unreadable: string }

const notCertificates: Partial<Record<CertificateTextItem['kind'], string>> = {
  csr: 'This is a request, not a certificate',
  crl: 'This is a revocation list, not a certificate',
  publicKey: 'This is a public key, not a certificate',
  unknown: 'This is not a certificate',
}

export function readUpload(text: string): Upload | Refused {
  let items: CertificateTextItem[]
  try {
    items = splitCertificateText(text)
  } catch (error) {
    return { unreadable: `This is not a certificate that can be read: ${saysOf(error)}` }
  }
  if (items.some(({ kind }) => kind === 'privateKey')) return { refused: 'privateKey' }
  const faults: Upload['faults'] = []
  const found = new Map<string, Certificate>()
  for (const [at, { kind, bytes }] of items.entries()) {
    const place = at + 1
    const says = notCertificates[kind]
    if (says !== undefined) {
      faults.push({ place, says })
      continue
    }
    try {
      for (const encoded of kind === 'pkcs7' ? parseCertificatesOnly(bytes).certificates : [bytes]) {
        const sha256 = fingerprint({ encoded })
        if (found.has(sha256)) continue
        found.set(sha256, parseCertificate(encoded))
        if (found.size > mostCertificates) return { refused: 'tooMany' }
      }
    } catch (error) {
      faults.push({ place, says: saysOf(error) })
    }
  }
  return found.size === 0 && faults.length === 0 ? { refused: 'nothing' } : { certificates: [...found.values()], faults: faults.slice(0, mostFaults) }
}

const mostFaults = 100

function saysOf(error: unknown): string {
  if (error instanceof PemError || error instanceof DerError) return error.message
  throw error
}
