// An upload's certificates, each once, and what is wrong with the pieces that are none.

import { parseCertificatesOnly } from '#standards/cms/certificates-only.ts'
import { DerError } from '#standards/der/reader.ts'
import { splitCertificateText, type CertificateTextItem } from '#standards/pem/certificate-text.ts'
import { PemError } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import { fingerprint, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { mostCertificates } from '../rules.ts'

export type Uploaded = { text?: string | undefined; files?: readonly { name: string; content: string }[] | undefined }

type FaultFound = { file?: string; place?: number; says: string }
export type Upload = { found: { certificate: Certificate; file: string | undefined }[]; faults: FaultFound[] }
export type Refused = { refused: 'privateKey' | 'nothing' | 'tooMany' } | { unreadable: string }

const notCertificates: Partial<Record<CertificateTextItem['kind'], string>> = {
  csr: 'This is a request, not a certificate',
  crl: 'This is a revocation list, not a certificate',
  publicKey: 'This is a public key, not a certificate',
  unknown: 'This is not a certificate',
}

/** A file that cannot be read, or should not be here, is left out by its name, and the others stay; what was pasted is one thing, and is refused whole. */
export function readUpload({ text = '', files = [] }: Uploaded): Upload | Refused {
  const found = new Map<string, Upload['found'][number]>()
  const faults: FaultFound[] = []
  const pasted = text === '' ? [] : itemsOf(text)
  if (!Array.isArray(pasted)) return pasted
  gather(pasted, undefined, { found, faults })
  for (const { name, content } of files) {
    const items = itemsOf(content)
    if (Array.isArray(items)) gather(items, name, { found, faults })
    else
      faults.push({
        file: name,
        says:
          'unreadable' in items
            ? items.unreadable
            : say`This holds a private key. It was not kept; count that key as exposed and replace its certificate`,
      })
  }
  if (found.size > mostCertificates) return { refused: 'tooMany' }
  return found.size === 0 && faults.length === 0
    ? { refused: 'nothing' }
    : { found: [...found.values()], faults: faults.slice(0, mostFaults) }
}

function itemsOf(text: string): CertificateTextItem[] | { refused: 'privateKey' } | { unreadable: string } {
  try {
    const items = splitCertificateText(text)
    return items.some(({ kind }) => kind === 'privateKey') ? { refused: 'privateKey' } : items
  } catch (error) {
    return { unreadable: `This is not a certificate that can be read: ${saysOf(error)}` }
  }
}

type Gathered = { found: Map<string, Upload['found'][number]>; faults: FaultFound[] }

/** Each certificate once, by the first place where it stands. */
function gather(items: readonly CertificateTextItem[], file: string | undefined, { found, faults }: Gathered): void {
  const wrong = (at: number, says: string) => void faults.push({ ...(file === undefined ? {} : { file }), place: at + 1, says })
  for (const [at, { kind, bytes }] of items.entries()) {
    const says = notCertificates[kind]
    if (says !== undefined) {
      wrong(at, says)
      continue
    }
    try {
      for (const encoded of kind === 'pkcs7' ? parseCertificatesOnly(bytes).certificates : [bytes]) {
        // It is more than is taken, and need not be read.
        if (found.size > mostCertificates) return
        const sha256 = fingerprint({ encoded })
        if (!found.has(sha256)) found.set(sha256, { certificate: parseCertificate(encoded), file })
      }
    } catch (error) {
      wrong(at, saysOf(error))
    }
  }
}

const mostFaults = 100

function saysOf(error: unknown): string {
  if (error instanceof PemError || error instanceof DerError) return error.message
  throw error
}
