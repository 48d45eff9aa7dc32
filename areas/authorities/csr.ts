// Reads and proves certificate requests (CSR), for every door that takes one: asking for certificates, templates, cross-certificates, the decoder. A request gets
// the same answer at each. What only the tables of certificates know (compromised keys, shared primes) is looked at by `readCsr` of that room.

import type { Refusal } from '#core/contract/refusal.ts'
import { DerError } from '#standards/der/reader.ts'
import { splitCertificateText, type CertificateTextKind } from '#standards/pem/certificate-text.ts'
import { PemError } from '#standards/pem/pem.ts'
import { parseCsr, signsNot, verifyCsr, type Csr } from '#standards/x509/csr.ts'
import { checkPublicKey, checkRequestedKey } from '#standards/x509/key-checks.ts'
import type { KeyFinding } from '#standards/x509/key-finding.ts'
import { readPossessionStatement, type PossessionStatement } from '#standards/x509/possession.ts'
import { refusal, refusalOfFinding } from './refusals.ts'

/** Holds a request with a key in which nothing wrong is quickly seen. What takes longer to see, and whether its maker holds the key, is not known yet. */
export type OpenedCsr = {
  csr: Csr
  /** Names the certificate that proves a key that cannot sign (RFC 9883): whoever issues must check the statement. */
  statement: PossessionStatement | undefined
}

/** Holds a request whose maker has the key, unless there is a statement to check. `warnings` are about the key. */
export type ProvenCsr = OpenedCsr & { warnings: readonly KeyFinding[] }

export type UnfitCsr = { faults: Refusal[] }

/** `statements`: a key that cannot sign may be proven by another certificate, which the caller then checks. */
export type CsrOptions = { statements?: boolean }

const unfit = (...faults: Refusal[]): UnfitCsr => ({ faults })

/** What people send in place of a request. */
const otherKinds: Partial<
  Record<CertificateTextKind, 'csrIsPrivateKey' | 'csrIsCertificate' | 'csrIsPkcs7' | 'csrIsList' | 'csrIsPublicKey'>
> = {
  privateKey: 'csrIsPrivateKey',
  certificate: 'csrIsCertificate',
  pkcs7: 'csrIsPkcs7',
  crl: 'csrIsList',
  publicKey: 'csrIsPublicKey',
}

/** Reads one request in PEM, hex or base64. Costs less than a millisecond, so that it runs before anything that is slow. */
export function openCsr(text: string, options: CsrOptions = {}): OpenedCsr | UnfitCsr {
  try {
    const items = splitCertificateText(text, 'CERTIFICATE REQUEST')
    const [item] = items
    if (item === undefined) return unfit(refusal('csrMissing', undefined))
    if (items.length > 1) return unfit(refusal('csrNotAlone', { count: items.length }))
    const other = otherKinds[item.kind]
    if (other !== undefined) return unfit(refusal(other, undefined))
    return openCsrBytes(item.bytes, options)
  } catch (error) {
    return unreadable(error)
  }
}

/** Reads one request in DER. */
export function openCsrBytes(der: Uint8Array, { statements = false }: CsrOptions = {}): OpenedCsr | UnfitCsr {
  try {
    const csr = parseCsr(der)
    const statement = statements && signsNot(csr.publicKey) ? readPossessionStatement(csr) : undefined
    return unsound(checkPublicKey(csr.publicKey)) ?? { csr, statement }
  } catch (error) {
    return unreadable(error)
  }
}

function unreadable(error: unknown): UnfitCsr {
  if (error instanceof PemError || error instanceof DerError) return unfit(refusal('csrUnreadable', { reason: error.message }))
  throw error
}

function unsound(findings: readonly KeyFinding[]): UnfitCsr | undefined {
  const refused = findings.flatMap(({ code, message, severity }) =>
    severity === 'error' ? [refusalOfFinding({ code, message, severity }, 'csr')] : [],
  )
  return refused.length === 0 ? undefined : { faults: refused }
}

/** Does the other half, which costs the most: the modulus and the signature. */
export function proveCsr(opened: OpenedCsr): ProvenCsr | UnfitCsr {
  const { csr, statement } = opened
  // The key first: of one that is no key, its signature could only say that it does not match.
  const weak = checkRequestedKey(csr.publicKey)
  const refused = unsound(weak)
  if (refused !== undefined) return refused
  const proof = statement === undefined ? verifyCsr(csr) : undefined
  if (proof?.ok === false) return unfit(refusal('possessionUnproven', { reason: proof.reason }))
  const asked = askedBy(csr)
  if (asked > mostAsked) return unfit(refusal('csrTooLong', { asked, most: mostAsked }))
  return { csr, statement, warnings: weak }
}

/** Looks at a key whose possession a protocol has proven by its own means. */
export const judgeKey = (key: Csr['publicKey']): UnfitCsr | undefined => unsound(checkPublicKey(key)) ?? unsound(checkRequestedKey(key))

/** Does both for bytes: what was kept, or came in a file with other things. */
export function proveCsrBytes(der: Uint8Array, options: CsrOptions = {}): ProvenCsr | UnfitCsr {
  const opened = openCsrBytes(der, options)
  return 'faults' in opened ? opened : proveCsr(opened)
}

/** Ten times what any template gives: an anonymous request of thousands would keep everybody else waiting while each is judged. */
const mostAsked = 1_000

function askedBy({ subject, requestedExtensions }: Csr): number {
  let count = 0
  for (const names of subject) count += names.length
  for (const extension of requestedExtensions) {
    if (extension.type === 'subjectAltName') count += extension.names.length
    else if (extension.type === 'extKeyUsage') count += extension.purposes.length
  }
  return count
}
