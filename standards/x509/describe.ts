// Certificates and requests as a tree of plain text, for a decoder page: every field under its RFC name, bytes as hex,
// times and names for people, and the offset of a field in the encoding where it has one.
import { readDer, type DerValue } from '../der/reader.ts'
import { hexOf } from '../der/values.ts'
import { describeAlgorithm, isSignatureAlgorithm, type SignatureAlgorithmName } from './algorithms.ts'
import { fingerprint, type Certificate } from './certificate.ts'
import type { Csr } from './csr.ts'
import { describeDer } from './describe-der.ts'
import { describeExtension } from './describe-extension.ts'
import { describeName, type DescribedField } from './described-field.ts'
import type { Extension } from './extension-types.ts'
import { checkPublicKey } from './key-checks.ts'
import { describeOid, oidName } from './oids.ts'
import type { PublicKeyInfo } from './public-key-info.ts'
import { describeKey, keyIdentifier } from './public-key.ts'

/** The tree of a certificate or request. Throws nothing for what parseCertificate and parseCsr gave. */
export function describe(parsed: Certificate | Csr): DescribedField {
  return 'tbs' in parsed ? describeCertificate(parsed) : describeCsr(parsed)
}

function describeCertificate(certificate: Certificate): DescribedField {
  const { encoded } = certificate
  const outer = readDer(encoded)
  const tbs = outer.children[0]
  const extensionList = tbs?.children.find((child) => child.tagClass === 'context' && child.tagNumber === 3)?.children[0]
  return {
    label: 'Certificate',
    offset: 0,
    children: [
      {
        label: 'tbsCertificate',
        offset: offsetIn(encoded, certificate.tbs),
        children: [
          { label: 'version', value: `v${certificate.version}` },
          {
            label: 'serialNumber',
            value: certificate.serialHex,
            offset: offsetIn(encoded, certificate.serialContent) - 2,
            ...decimalNote(certificate.serialHex),
          },
          describeSignatureAlgorithm('signature', certificate.signatureAlgorithm),
          { ...describeName('issuer', certificate.issuer), offset: offsetIn(encoded, certificate.issuerEncoded) },
          {
            label: 'validity',
            children: [
              { label: 'notBefore', value: certificate.notBefore.toISOString().replace('.000', '') },
              { label: 'notAfter', value: certificate.notAfter.toISOString().replace('.000', ''), note: duration(certificate) },
            ],
          },
          { ...describeName('subject', certificate.subject), offset: offsetIn(encoded, certificate.subjectEncoded) },
          { ...describePublicKey('subjectPublicKeyInfo', certificate.publicKey), offset: offsetIn(encoded, certificate.publicKey.spki) },
          ...describeExtensions('extensions', certificate.extensions, extensionList),
        ],
      },
      describeSignatureAlgorithm('signatureAlgorithm', certificate.signatureAlgorithm),
      { label: 'signature', value: hexOf(certificate.signature), offset: outer.children[2]?.offset ?? 0 },
      {
        label: 'fingerprints',
        note: 'computed over the whole certificate',
        children: [
          { label: 'SHA-256', value: fingerprint(certificate) },
          { label: 'SHA-1', value: fingerprint(certificate, 'sha1') },
        ],
      },
    ],
  }
}

function describeCsr(csr: Csr): DescribedField {
  const { encoded } = csr
  return {
    label: 'CertificationRequest',
    offset: 0,
    children: [
      {
        label: 'certificationRequestInfo',
        offset: offsetIn(encoded, csr.info),
        children: [
          { label: 'version', value: 'v1' },
          { ...describeName('subject', csr.subject), offset: offsetIn(encoded, csr.subjectEncoded) },
          { ...describePublicKey('subjectPKInfo', csr.publicKey), offset: offsetIn(encoded, csr.publicKey.spki) },
          {
            label: 'attributes',
            children: csr.attributes.map(({ type, values }) => ({
              label: describeOid(type),
              // A challenge password is a secret between requester and authority; it is not for a page.
              ...(oidName(type) === 'extensionRequest'
                ? { children: describeExtensions('extensions', csr.requestedExtensions) }
                : oidName(type) === 'challengePassword'
                  ? { note: 'present, not shown' }
                  : { children: values.flatMap((value) => describeDer(value, 200)) }),
            })),
          },
        ],
      },
      describeSignatureAlgorithm('signatureAlgorithm', csr.signatureAlgorithm),
      { label: 'signature', value: hexOf(csr.signature) },
    ],
  }
}

export function describePublicKey(label: string, key: PublicKeyInfo): DescribedField {
  const children: DescribedField[] = [{ label: 'algorithm', value: describeOid(key.algorithmOid) }]
  if (key.curve !== undefined) children.push({ label: 'namedCurve', value: key.curve })
  if (key.modulus !== undefined) children.push({ label: 'modulus', value: hexOf(key.modulus), note: `${key.bits} bits` })
  if (key.exponent !== undefined) children.push({ label: 'publicExponent', value: String(key.exponent) })
  if (key.modulus === undefined) children.push({ label: 'subjectPublicKey', value: hexOf(key.keyBytes), note: `${key.bits} bits` })
  children.push({ label: 'keyIdentifier', value: hexOf(keyIdentifier(key)), note: 'computed, RFC 7093 method 1' })
  for (const { message } of checkPublicKey(key)) children.push({ label: 'warning', note: message })
  return { label, value: describeKey(key), children }
}

function describeSignatureAlgorithm(label: string, algorithm: SignatureAlgorithmName): DescribedField {
  return { label, value: describeAlgorithm(algorithm), ...(isSignatureAlgorithm(algorithm) ? {} : { note: 'broken or not known here' }) }
}

function describeExtensions(label: string, extensions: readonly Extension[], list?: DerValue): DescribedField[] {
  if (extensions.length === 0) return []
  const children = extensions.map((extension, index): DescribedField => {
    const element = list?.children[index]
    return { ...describeExtension(extension), ...(element === undefined ? {} : { offset: element.offset }) }
  })
  return [{ label, children, ...(list === undefined ? {} : { offset: list.offset }) }]
}

/** Both are windows on the same bytes: no search is needed. */
function offsetIn(whole: Uint8Array, part: Uint8Array): number {
  return part.byteOffset - whole.byteOffset
}

function decimalNote(serialHex: string): { note: string } {
  return { note: `${BigInt(`0x${serialHex}`)} in decimal` }
}

function duration({ notBefore, notAfter }: Pick<Certificate, 'notBefore' | 'notAfter'>): string {
  const days = (notAfter.getTime() - notBefore.getTime()) / 86_400_000
  return `valid for ${days >= 2 ? `${Math.round(days)} days` : `${Math.round(days * 24)} hours`}`
}
