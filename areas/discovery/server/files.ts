// Reads certificates out of uploaded files: PEM, DER as base64 or hexadecimal text, and PKCS#7.

import { createHash } from 'node:crypto'
import { parseCertificatesOnly } from '#standards/cms/certificates-only.ts'
import { DerError } from '#standards/der/reader.ts'
import { splitCertificateText } from '#standards/pem/certificate-text.ts'
import { PemError } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import type { Found } from './provider-page.ts'

const mostInFiles = 2_000

/** `at`: which of the file's certificates it is, counted from 1. */
type FoundInFile = Found & { file: string; at: number; fingerprint: string }
type Read = { found: FoundInFile[]; faults: { file: string; says: string }[] }

/** So many digits of a fingerprint stand with the file's name: enough to tell the certificates of one tenancy apart. */
const shownDigits = 16

/**
 * The place of a finding is the file's name with the beginning of the certificate's fingerprint: what was pasted, and files of one name, stand side by side, because
 * nobody can tell whether one should replace the other. A file with a private key is left out whole.
 */
export function readFiles(files: readonly { name: string; content: string }[]): Read {
  const read: Read = { found: [], faults: [] }
  for (const { name, content } of files) {
    const bundle = bundleOf(content)
    if ('says' in bundle) {
      read.faults.push({ file: name, says: bundle.says })
      continue
    }
    if (read.found.length + bundle.certificates.length > mostInFiles) {
      read.faults.push({ file: name, says: say`These are more than 2,000 certificates: upload this file by itself or in parts` })
      continue
    }
    for (const [index, certificate] of bundle.certificates.entries()) {
      const fingerprint = createHash('sha256').update(certificate).digest('hex')
      const place = `${name} (${fingerprint.slice(0, shownDigits)})`
      read.found.push({ place, certificate, chain: bundle.certificates, file: name, at: index + 1, fingerprint })
    }
  }
  return { ...read, found: [...new Map(read.found.map((one) => [one.place, one])).values()] }
}

type Before = { place: string; fingerprint: string; expected: string | null }

/**
 * Where a certificate of a file stood before, under the plain name: the place where it is awaited, or else that of its own fingerprint. A place is given once: of a
 * bundle that keeps the certificate before beside the renewed one, the other would be lost.
 */
export function settlePlaces(found: readonly FoundInFile[], before: readonly Before[]): FoundInFile[] {
  const given = new Set<string>()
  const settled = new Map<FoundInFile, string>()
  const give = (one: FoundInFile, place: string) => {
    given.add(place)
    settled.set(one, place)
  }
  for (const rows of [Map.groupBy(before, ({ expected }) => expected ?? ''), Map.groupBy(before, ({ fingerprint }) => fingerprint)])
    for (const one of found) {
      const row = rows.get(one.fingerprint)?.find(({ place }) => isOfFile(place, one.file) && !given.has(place))
      if (row !== undefined && !settled.has(one)) give(one, row.place)
    }
  for (const one of found) {
    if (settled.has(one)) continue
    let place = one.place
    for (let number = 2; given.has(place); number += 1) place = `${one.place} #${number}`
    give(one, place)
  }
  return found.map((one) => ({ ...one, place: settled.get(one) ?? one.place }))
}

const isOfFile = (place: string, file: string): boolean => place === file || place.startsWith(`${file} (`) || place.startsWith(`${file} #`)

function bundleOf(content: string): { certificates: Uint8Array[] } | { says: string } {
  try {
    const items = splitCertificateText(content)
    if (items.some(({ kind }) => kind === 'privateKey'))
      return { says: say`This holds a private key. It was not kept; count that key as exposed and replace its certificate` }
    const certificates = items.flatMap(({ kind, bytes }) =>
      kind === 'pkcs7' ? parseCertificatesOnly(bytes).certificates : kind === 'certificate' ? [bytes] : [],
    )
    return certificates.length === 0 ? { says: say`There is no certificate in this file` } : { certificates }
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError)
      return { says: say`This is not a certificate that can be read: ${error.message}` }
    throw error
  }
}
