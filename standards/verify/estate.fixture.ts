// For tests: certificates and revocation lists made by our own writer, as right or as wrong as a test wants them.
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { buildTbsCertList, type TbsCertListInput } from '../crl/certificate-list.ts'
import { parseCrl, type ParsedCrl } from '../crl/parse.ts'
import { defaultSignatureAlgorithm, signWith, type SignatureAlgorithm } from '../x509/algorithms.ts'
import { assembleSigned, buildTbsCertificate, parseCertificate, type Certificate } from '../x509/certificate.ts'
import type { Extension, KeyUsage } from '../x509/extension-types.ts'
import type { GeneralName } from '../x509/general-names.ts'
import { KEY_PURPOSES, type KeyPurpose } from '../x509/key-purposes.ts'
import { nameOf, type Name } from '../x509/names.ts'
import { keyIdentifier, parsePublicKey } from '../x509/public-key.ts'

export interface Made {
  certificate: Certificate
  key: KeyObject
}

export interface CertificateOrder {
  /** the common name, or a whole name */
  name: string | Name
  /** signs itself unless said */
  issuer?: Made
  key?: KeyObject
  /** beside the key identifiers, and in place of the usual ones of their kind */
  extensions?: readonly Extension[]
  /** kinds of the usual extensions to leave out */
  without?: readonly Extension['type'][]
  from?: Date
  to?: Date
  serial?: number
  algorithm?: SignatureAlgorithm
}

export const AT = new Date('2026-06-15T12:00:00Z')
const FROM = new Date('2026-01-01T00:00:00Z')
const TO = new Date('2027-01-01T00:00:00Z')
let serials = 1000

export const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey

/** An authority: basicConstraints and keyUsage critical, as RFC 5280 wants them. */
export function authority(order: CertificateOrder): Made {
  return make(order, [
    { type: 'basicConstraints', critical: true, cA: true },
    { type: 'keyUsage', critical: true, usages: ['keyCertSign', 'cRLSign'] },
  ])
}

/** A certificate of an end entity, with `www.example.org` as its name. */
export function leaf(order: CertificateOrder): Made {
  return make(order, [
    { type: 'basicConstraints', critical: true, cA: false },
    { type: 'keyUsage', critical: true, usages: ['digitalSignature'] },
    { type: 'subjectAltName', critical: false, names: [dns('www.example.org')] },
  ])
}

function make(
  {
    name,
    issuer,
    key = newKey(),
    extensions = [],
    without = [],
    from = FROM,
    to = TO,
    serial = (serials += 1),
    algorithm,
  }: CertificateOrder,
  usual: readonly Extension[],
): Made {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const signer = issuer?.key ?? key
  const signatureAlgorithm =
    algorithm ?? defaultSignatureAlgorithm(parsePublicKey(createPublicKey(signer).export({ type: 'spki', format: 'der' })))
  const own = keyIdentifier(publicKey)
  const signerIdentifier = keyIdentifier(createPublicKey(signer).export({ type: 'spki', format: 'der' }))
  const subject = typeof name === 'string' ? nameOf(['O', 'Verify'], ['CN', name]) : name
  const all: Extension[] = [
    { type: 'subjectKeyIdentifier', critical: false, keyIdentifier: own },
    { type: 'authorityKeyIdentifier', critical: false, keyIdentifier: signerIdentifier },
    ...usual,
  ]
  const kept = all.filter(({ type }) => !without.includes(type) && !extensions.some((extension) => extension.type === type))
  const tbs = buildTbsCertificate({
    serialNumber: Uint8Array.of(1, serial >> 16, (serial >> 8) & 0xff, serial & 0xff),
    signatureAlgorithm,
    issuer: issuer?.certificate.subjectEncoded ?? subject,
    notBefore: from,
    notAfter: to,
    subject,
    publicKey,
    extensions: [...kept, ...extensions],
  })
  return { certificate: parseCertificate(assembleSigned(tbs, signatureAlgorithm, signWith(signatureAlgorithm, signer, tbs))), key }
}

/** The same certificate with another signature. */
export function resigned({ certificate, key }: Made, by: KeyObject): Made {
  const algorithm = defaultSignatureAlgorithm(parsePublicKey(createPublicKey(by).export({ type: 'spki', format: 'der' })))
  return { certificate: parseCertificate(assembleSigned(certificate.tbs, algorithm, signWith(algorithm, by, certificate.tbs))), key }
}

export type ListOrder = Partial<TbsCertListInput> & { signer?: KeyObject }

export async function revocationList(issuer: Made, order: ListOrder = {}): Promise<ParsedCrl> {
  return parseCrl(await revocationListDer(issuer, order))
}

export async function revocationListDer({ certificate, key }: Made, { signer = key, ...order }: ListOrder = {}): Promise<Uint8Array> {
  const signatureAlgorithm = defaultSignatureAlgorithm(parsePublicKey(createPublicKey(signer).export({ type: 'spki', format: 'der' })))
  const tbs = await buildTbsCertList({
    signatureAlgorithm,
    issuer: certificate.subjectEncoded,
    thisUpdate: new Date(AT.getTime() - 86_400_000),
    nextUpdate: new Date(AT.getTime() + 86_400_000),
    crlNumber: 5n,
    authorityKeyIdentifier: keyIdentifier(certificate.publicKey),
    entries: [],
    ...order,
  })
  return assembleSigned(tbs, signatureAlgorithm, signWith(signatureAlgorithm, signer, tbs))
}

export const dns = (value: string): GeneralName => ({ type: 'dNSName', value })
export const email = (value: string): GeneralName => ({ type: 'rfc822Name', value })
export const uri = (value: string): GeneralName => ({ type: 'uniformResourceIdentifier', value })
export const ip = (value: string): GeneralName => ({ type: 'iPAddress', value })
export const directory = (...attributes: [string, string][]): GeneralName => ({ type: 'directoryName', name: nameOf(...attributes) })

export const ca = (pathLenConstraint?: number): Extension => ({
  type: 'basicConstraints',
  critical: true,
  cA: true,
  ...(pathLenConstraint === undefined ? {} : { pathLenConstraint }),
})
export const usage = (...usages: KeyUsage[]): Extension => ({ type: 'keyUsage', critical: true, usages })
export const purposes = (...names: KeyPurpose[]): Extension => ({
  type: 'extKeyUsage',
  critical: false,
  purposes: names.map((name) => KEY_PURPOSES[name]),
})
export const sans = (...names: GeneralName[]): Extension => ({ type: 'subjectAltName', critical: false, names })
export const policies = (...identifiers: string[]): Extension => ({
  type: 'certificatePolicies',
  critical: false,
  policies: identifiers.map((policyIdentifier) => ({ policyIdentifier })),
})
export const mappings = (...pairs: [string, string][]): Extension => ({
  type: 'policyMappings',
  critical: true,
  mappings: pairs.map(([issuerDomainPolicy, subjectDomainPolicy]) => ({ issuerDomainPolicy, subjectDomainPolicy })),
})
export const policyConstraints = (values: { requireExplicitPolicy?: number; inhibitPolicyMapping?: number }): Extension => ({
  type: 'policyConstraints',
  critical: true,
  ...values,
})
export const permitted = (...names: GeneralName[]): Extension => ({
  type: 'nameConstraints',
  critical: true,
  permittedSubtrees: names.map((base) => ({ base })),
})
export const excluded = (...names: GeneralName[]): Extension => ({
  type: 'nameConstraints',
  critical: true,
  excludedSubtrees: names.map((base) => ({ base })),
})
