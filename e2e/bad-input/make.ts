// Requests and certificates as an attacker would write them: byte by byte with our own DER writer, and signed with real keys, so that the
// flaw in question is the only one.

import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { StringType } from '#standards/der/values.ts'
import {
  bitString,
  boolean,
  characterString,
  explicit,
  implicitConstructed,
  integer,
  octetString,
  oid,
  sequence,
  set,
  setOf,
  time,
} from '#standards/der/writer.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { encodeAlgorithmIdentifier, signWith, type SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import type { Extension } from '#standards/x509/extension-types.ts'
import { encodeExtension } from '#standards/x509/extensions.ts'
import { encodeName, nameOf } from '#standards/x509/names.ts'
import { OIDS } from '#standards/x509/oids.ts'

export type Pair = { publicKey: KeyObject; privateKey: KeyObject; spki: Uint8Array; by: SignatureAlgorithm }

const pairOf = ({ publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }, by: SignatureAlgorithm): Pair => ({
  publicKey,
  privateKey,
  spki: publicKey.export({ type: 'spki', format: 'der' }),
  by,
})
export const newEcPair = (namedCurve = 'P-256', by: SignatureAlgorithm = 'ecdsa-with-SHA256'): Pair =>
  pairOf(generateKeyPairSync('ec', { namedCurve }), by)
export const newRsaPair = (modulusLength = 2048): Pair => pairOf(generateKeyPairSync('rsa', { modulusLength }), 'sha256WithRSAEncryption')

/** The requester's key: one is enough for all requests whose key is not what is wrong. */
export const ec: Pair = newEcPair()
export const rsa: Pair = newRsaPair()

/** The name that the templates of the matrix allow, and that a good request asks for. */
export const host = 'www.northwind.example'

export const pemOf = (der: Uint8Array): string => encodePem('CERTIFICATE REQUEST', der)
export const certificatePem = (der: Uint8Array): string => encodePem('CERTIFICATE', der)

export const signed = (what: Uint8Array, { by, privateKey }: Pick<Pair, 'by' | 'privateKey'> = ec): Uint8Array =>
  assembleSigned(what, by, signWith(by, privateKey, what))

export const subjectOf = (...attributes: [type: string, value: string][]): Uint8Array => encodeName(nameOf(...attributes))
/** One attribute in any string type, or as any bytes. */
export const rdn = (type: string, value: string | Uint8Array, stringType: StringType = 'utf8String'): Uint8Array =>
  set(pairInRdn(type, value, stringType))
export const pairInRdn = (type: string, value: string | Uint8Array, stringType: StringType = 'utf8String'): Uint8Array =>
  sequence(oid(type), typeof value === 'string' ? characterString(stringType, value) : value)

export type RequestParts = { subject?: Uint8Array; spki?: Uint8Array; attributes?: Uint8Array[]; version?: number; by?: Pair }

export const infoOf = ({
  subject = subjectOf(['CN', host]),
  spki = ec.spki,
  attributes = [],
  version = 0,
}: RequestParts = {}): Uint8Array => sequence(integer(version), subject, spki, implicitConstructed(0, ...attributes))
export const request = (parts: RequestParts = {}): Uint8Array =>
  signed(infoOf({ ...(parts.by === undefined ? {} : { spki: parts.by.spki }), ...parts }), parts.by)

/** An extension request of whole extensions. */
export const extensionRequest = (...extensions: Uint8Array[]): Uint8Array =>
  sequence(oid(OIDS.extensionRequest), setOf(sequence(...extensions)))
export const extension = (type: string, value: Uint8Array, critical = false): Uint8Array =>
  sequence(oid(type), ...(critical ? [boolean(true)] : []), octetString(value))
/** Alternative names from their finished encodings. */
export const sans = (...names: Uint8Array[]): Uint8Array => extension(OIDS.subjectAltName, sequence(...names))
export const dnsName = (name: string): Uint8Array => generalText(2, name)
/** A name of the forms 1 (e-mail), 2 (DNS) and 6 (URI), of any characters. */
export const generalText = (form: number, text: string): Uint8Array => tagged(form, Buffer.from(text, 'latin1'))
export const tagged = (form: number, content: Uint8Array): Uint8Array => {
  const long = content.length > 127
  return Buffer.concat([Buffer.of(0x80 | form, ...(long ? [0x82, content.length >> 8, content.length & 255] : [content.length])), content])
}

export const asking = (...extensions: (Extension | Uint8Array)[]): Uint8Array =>
  request({ attributes: [extensionRequest(...extensions.map((one) => (one instanceof Uint8Array ? one : encodeExtension(one))))] })

export type CertificateParts = {
  serial?: Uint8Array
  issuer?: Uint8Array
  subject?: Uint8Array
  validity?: Uint8Array
  spki?: Uint8Array
  extensions?: Uint8Array[]
  version?: Uint8Array
  inner?: Uint8Array
  signer?: Pair
}

const day = 86_400_000
export const validityFrom = (from: number, to: number): Uint8Array =>
  sequence(time(new Date(Date.now() + from * day)), time(new Date(Date.now() + to * day)))

export const tbsOf = ({
  serial = integer(4711),
  subject = subjectOf(['CN', host]),
  issuer = subject,
  validity = validityFrom(-1, 300),
  spki = ec.spki,
  extensions = [],
  version = explicit(0, integer(2)),
  signer = ec,
  inner = encodeAlgorithmIdentifier(signer.by),
}: CertificateParts = {}): Uint8Array =>
  sequence(
    version,
    serial,
    inner,
    issuer,
    validity,
    subject,
    spki,
    ...(extensions.length === 0 ? [] : [explicit(3, sequence(...extensions))]),
  )
export const certificate = (parts: CertificateParts = {}): Uint8Array => signed(tbsOf(parts), parts.signer ?? ec)

export const withSignature = (what: Uint8Array, algorithm: Uint8Array, signature: Uint8Array): Uint8Array =>
  sequence(what, algorithm, bitString(signature))
export const algorithm = (name: keyof typeof OIDS, ...parameters: Uint8Array[]): Uint8Array => sequence(oid(OIDS[name]), ...parameters)
