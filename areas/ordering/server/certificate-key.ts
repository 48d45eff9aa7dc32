// The key and the CSR of what is ordered, and whether what was sent is what was ordered.

import { generateKeyPair, signatureAlgorithmFor } from '#areas/keys/service.ts'
import { sameIdentifiers, type Identifier } from '#standards/acme/identifiers.ts'
import { DerError } from '#standards/der/reader.ts'
import { decodePem, encodePem, PemError } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned, checkIssuedBy, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { buildCsrInfo, parseCsr, verifyCsr } from '#standards/x509/csr.ts'
import { X509Error } from '#standards/x509/error.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import type { GeneralName } from '#standards/x509/general-names.ts'
import { commonNameOf } from '#standards/x509/names.ts'
import { identifierOf, type OrderedKey } from '../rules.ts'
import { OrderFault } from './wire.ts'

export const identifiersOf = (names: readonly string[]): Identifier[] => names.flatMap((name) => identifierOf(name) ?? [])

const generalName = ({ type, value }: Identifier): GeneralName =>
  type === 'ip' ? { type: 'iPAddress', value } : { type: 'dNSName', value }

/** Makes a key and its CSR with an empty subject: authorities take the names from the extension. Not inside a transaction. */
export async function makeKeyAndCsr(kind: OrderedKey, names: readonly string[]): Promise<{ pkcs8: Buffer; csr: Buffer }> {
  const { privateKey, spki } = await generateKeyPair(kind)
  const info = buildCsrInfo({
    subject: [],
    publicKey: spki,
    requestedExtensions: [{ type: 'subjectAltName', critical: false, names: identifiersOf(names).map(generalName) }],
  })
  const algorithm = signatureAlgorithmFor(kind)
  const csr = Buffer.from(assembleSigned(info, algorithm, signWith(algorithm, privateKey, info)))
  return { pkcs8: privateKey.export({ format: 'der', type: 'pkcs8' }), csr }
}

/** What is wrong with a CSR that somebody brings for these names; its DER where nothing is. */
export function readBroughtCsr(text: string, names: readonly string[]): { csr: Buffer } | { says: string } {
  try {
    const [block, ...more] = decodePem(text, 'CERTIFICATE REQUEST')
    if (block === undefined || more.length > 0) return { says: say`Paste one CSR` }
    const csr = parseCsr(block.bytes)
    const possession = verifyCsr(csr)
    if (!possession.ok) return { says: possession.reason }
    const common = commonNameOf(csr.subject)?.toLowerCase()
    const asked = namesIn(findExtension(csr.requestedExtensions, 'subjectAltName')?.names ?? [])
    const all = common === undefined ? asked : [...asked, ...identifiersOf([common])]
    if (!sameIdentifiers(all, identifiersOf(names)))
      return { says: say`The CSR is for ${all.map(({ value }) => value).join(', ') || 'no name'}, not for the names above` }
    return { csr: Buffer.from(block.bytes) }
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError || error instanceof X509Error)
      return { says: say`This CSR cannot be read: ${error.message}` }
    throw error
  }
}

const namesIn = (names: readonly GeneralName[]): Identifier[] =>
  names.map((name) =>
    name.type === 'iPAddress'
      ? { type: 'ip', value: name.value }
      : { type: 'dns', value: 'value' in name ? String(name.value).toLowerCase() : name.type },
  )

export type Chain = { leaf: Certificate; certificates: Uint8Array[]; text: string }

const mostInChain = 10
const longestChain = 200_000
const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** Reads what the authority sent. Throws OrderFault unless it is for the key and the names that were ordered, and each certificate behind it certifies the one before (RFC 8555 9.1). */
export function readChain(text: string, { spki, names }: { spki: Uint8Array; names: readonly string[] }): Chain {
  const wrong = (says: string, cause?: unknown) => new OrderFault('wrongCertificate', says, {}, cause === undefined ? {} : { cause })
  let leaf: Certificate
  let certificates: Uint8Array[]
  try {
    certificates = decodePem(text, 'CERTIFICATE').map(({ bytes }) => bytes)
    if (certificates[0] === undefined || certificates.length > mostInChain) throw wrong(say`The authority sent no certificate`)
    leaf = parseCertificate(certificates[0])
    refuseBroken(certificates.map((one) => parseCertificate(one)))
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError || error instanceof X509Error)
      throw wrong(say`The authority sent a certificate that cannot be read: ${error.message}`, error)
    throw error
  }
  if (!Buffer.from(spki).equals(leaf.publicKey.spki)) throw wrong(say`The authority sent a certificate for another key`)
  const certified = namesIn(findExtension(leaf.extensions, 'subjectAltName')?.names ?? [])
  if (!sameIdentifiers(certified, identifiersOf(names)))
    throw wrong(say`The authority sent a certificate for other names: ${certified.map(({ value }) => value).join(', ')}`)
  // Nothing but certificates (RFC 8555 9.1): what an authority writes beside them would be given to servers with the chain.
  if (text.length > longestChain || text.replaceAll(block, '').trim() !== '')
    throw wrong(say`The authority sent something else beside the certificates`)
  return { leaf, certificates, text: certificates.map((one) => encodePem('CERTIFICATE', one)).join('') }
}

function refuseBroken(chain: readonly Certificate[]): void {
  for (const [at, one] of chain.entries()) {
    const issuer = chain[at + 1]
    if (issuer === undefined) return
    if (!Buffer.from(one.issuerEncoded).equals(issuer.subjectEncoded) || !checkIssuedBy(one, issuer).ok)
      throw new OrderFault(
        'wrongCertificate',
        say`The authority sent a chain in which certificate ${at + 2} does not certify the one before it`,
      )
  }
}

/** Whether the chain ends under this issuer, or has a certificate of this name. */
export const endsUnder = ({ certificates }: Chain, wanted: string): boolean =>
  certificates.slice(1).some((one) => {
    const { subject, issuer } = parseCertificate(one)
    return [subject, issuer].some((name) => commonNameOf(name)?.toLowerCase() === wanted.toLowerCase())
  })
