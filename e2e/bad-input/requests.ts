// Requests whose signature, encoding or attributes are wrong.

import { createHash, sign } from 'node:crypto'
import {
  bitString,
  boolean,
  concat,
  explicit,
  implicitConstructed,
  integer,
  nullValue,
  octetString,
  oid,
  sequence,
  set,
  setOf,
  utf8String,
} from '#standards/der/writer.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { encodeExtension } from '#standards/x509/extensions.ts'
import { OIDS } from '#standards/x509/oids.ts'
import { parsePublicKey, rsaPublicKey } from '#standards/x509/public-key.ts'
import type { ClassName, RequestCase } from './case.ts'
import {
  algorithm,
  dnsName,
  ec,
  extension,
  extensionRequest,
  host,
  infoOf,
  newEcPair,
  pairInRdn,
  pemOf,
  rdn,
  request,
  rsa,
  sans,
  signed,
  subjectOf,
  withSignature,
} from './make.ts'

const refused = (className: ClassName, table: readonly [name: string, make: () => Uint8Array | string, reason: RegExp][]): RequestCase[] =>
  table.map(([name, make, reason]) => ({
    class: className,
    name,
    make() {
      const made = make()
      return typeof made === 'string' ? made : pemOf(made)
    },
    expects: 'refused',
    reason,
  }))

const good = request()
const rsaInfo = infoOf({ spki: rsa.spki })
const goodSignature = good.subarray(-64)

/** The padded hash itself, or its cube root: a signature that needs no private key where the exponent is so small (RFC 8017 9.2). */
function forged(exponent: 1 | 3): Uint8Array {
  const modulus = parsePublicKey(rsa.spki).modulus ?? new Uint8Array()
  const what = infoOf({ spki: rsaPublicKey(modulus, exponent) })
  const digest = sequence(sequence(oid(OIDS.sha256), nullValue()), octetString(createHash('sha256').update(what).digest()))
  const padded =
    exponent === 1
      ? Buffer.concat([Buffer.of(0, 1), Buffer.alloc(253 - digest.length, 0xff), Buffer.of(0), digest])
      : Buffer.concat([Buffer.of(0, 1), Buffer.alloc(8, 0xff), Buffer.of(0), digest, Buffer.alloc(256 - 11 - digest.length, 0xff)])
  if (exponent === 1) return assembleSigned(what, 'sha256WithRSAEncryption', padded)
  return assembleSigned(
    what,
    'sha256WithRSAEncryption',
    Buffer.from(
      cubeRoot(BigInt(`0x${padded.toString('hex')}`))
        .toString(16)
        .padStart(512, '0'),
      'hex',
    ),
  )
}

function cubeRoot(number: bigint): bigint {
  let [low, high] = [0n, 1n << 700n]
  while (low < high) {
    const middle = (low + high + 1n) / 2n
    if (middle ** 3n <= number) low = middle
    else high = middle - 1n
  }
  return low
}

const changed = (der: Uint8Array, at: number, bit = 1): Uint8Array =>
  der.map((byte, index) => (index === (at + der.length) % der.length ? byte ^ bit : byte))

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const ecdsa = (signature: Uint8Array) => withSignature(infoOf(), algorithm('ecdsa-with-SHA256'), signature)

const signatures = refused('signature', [
  ['by another key', () => signed(infoOf({ spki: newEcPair().spki })), /does not match its key/],
  ['with one bit changed', () => changed(good, -3), /does not match its key|not the DER of two numbers|out of range/],
  [
    'of something else',
    () =>
      withSignature(
        infoOf({ subject: subjectOf(['CN', 'other.northwind.example']) }),
        algorithm('ecdsa-with-SHA256'),
        good.subarray(good.length - (good.at(-70) === 0x30 ? 70 : 0)),
      ),
    /does not match its key|not the DER of two numbers|signature is empty/,
  ],
  ['empty', () => ecdsa(new Uint8Array()), /signature is empty/],
  ['RSA, empty', () => withSignature(rsaInfo, algorithm('sha256WithRSAEncryption', nullValue()), new Uint8Array()), /signature is empty/],
  [
    'algorithm of another kind of key',
    () => withSignature(infoOf(), algorithm('Ed25519'), goodSignature),
    /A key for EC does not fit Ed25519/,
  ],
  [
    'RSA algorithm with a curve',
    () => withSignature(infoOf(), algorithm('sha256WithRSAEncryption', nullValue()), new Uint8Array(256)),
    /A key for EC does not fit/,
  ],
  ['unknown algorithm', () => withSignature(infoOf(), sequence(oid('1.2.3.4')), goodSignature), /1\.2\.3\.4 is not supported/],
  [
    'algorithm with parameters',
    () => withSignature(infoOf(), algorithm('ecdsa-with-SHA256', nullValue()), goodSignature),
    /must be absent/,
  ],
  ['ECDSA r = 0', () => ecdsa(sequence(integer(0), integer(1))), /number r of the signature is out of range/],
  ['ECDSA s = 0', () => ecdsa(sequence(integer(1), integer(0))), /number s of the signature is out of range/],
  ['ECDSA r = s = 0', () => ecdsa(sequence(integer(0), integer(0))), /number r of the signature is out of range/],
  ['ECDSA r = order', () => ecdsa(sequence(integer(order), integer(1))), /number r of the signature is out of range/],
  ['ECDSA s = order', () => ecdsa(sequence(integer(1), integer(order))), /number s of the signature is out of range/],
  ['ECDSA negative r', () => ecdsa(sequence(integer(-1), integer(1))), /number r of the signature is out of range/],
  ['ECDSA raw, not DER', () => ecdsa(new Uint8Array(64).fill(1)), /not the DER of two numbers/],
  ['ECDSA with bytes behind it', () => ecdsa(concat(sequence(integer(1), integer(1)), Uint8Array.of(0))), /not the DER of two numbers/],
  ['ECDSA of three numbers', () => ecdsa(sequence(integer(1), integer(1), integer(1))), /not the DER of two numbers/],
  [
    'MD5',
    () => withSignature(rsaInfo, algorithm('md5WithRSAEncryption', nullValue()), sign('md5', rsaInfo, rsa.privateKey)),
    /md5WithRSAEncryption is too weak/,
  ],
  [
    'SHA-1',
    () => withSignature(rsaInfo, algorithm('sha1WithRSAEncryption', nullValue()), sign('sha1', rsaInfo, rsa.privateKey)),
    /sha1WithRSAEncryption is too weak/,
  ],
  [
    'ECDSA with SHA-1',
    () => withSignature(infoOf(), algorithm('ecdsa-with-SHA1'), sign('sha1', infoOf(), ec.privateKey)),
    /ecdsa-with-SHA1 is too weak/,
  ],
  ['forged under exponent 1', () => forged(1), /exponent is 1/],
  ['forged under exponent 3', () => forged(3), /exponent is 3/],
  [
    'with unused bits',
    () => sequence(infoOf(), algorithm('ecdsa-with-SHA256'), Uint8Array.of(3, 3, 4, 0x30, 0x00)),
    /signature|unused|bits/i,
  ],
])

const replaced = (from: string, to: string): Uint8Array => {
  const hex = Buffer.from(good).toString('hex')
  if (!hex.includes(from)) throw new Error(`The request has no ${from}`)
  return Buffer.from(hex.replace(from, to), 'hex')
}
/** The whole as its content, under a header of another making. */
const under = (...header: number[]) => Buffer.concat([Buffer.from(header), good.subarray(good[1] === 0x82 ? 4 : 3)])
const contentLength = good.length - (good[1] === 0x82 ? 4 : 3)
const withAttribute = (value: Uint8Array) => request({ attributes: [sequence(oid('1.2.3'), setOf(value))] })
const nested = (depth: number) => Array.from({ length: depth }).reduce<Uint8Array>((inner) => sequence(inner), nullValue())
const signedInfo = (...fields: Uint8Array[]) => signed(sequence(...fields))
const subject = subjectOf(['CN', host])
const privatePem = ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

const encodings = refused('encoding', [
  ['version 2', () => request({ version: 1 }), /version of a certification request must be 1/],
  ['version 3', () => request({ version: 2 }), /version of a certification request must be 1/],
  ['version of many bytes', () => signedInfo(integer(1n << 200n), subject, ec.spki, implicitConstructed(0)), /version/],
  ['bytes behind it', () => concat(good, Uint8Array.of(0, 0)), /2 items|behind|after/],
  ['indefinite length', () => Buffer.concat([under(0x30, 0x80), Buffer.of(0, 0)]), /Indefinite/],
  ['length not minimal', () => under(0x30, 0x83, 0, contentLength >> 8, contentLength & 255), /needless leading zero|shortest/],
  ['length of nine bytes', () => under(0x30, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, contentLength & 255), /length/i],
  ['length that lies, too long', () => under(0x30, 0x82, 0x7f, 0xff), /claims/],
  ['length that lies, too short', () => under(0x30, 0x0a), /items|claims|length/],
  ['cut off', () => good.subarray(0, 100), /claims/],
  ['integer not minimal', () => signedInfo(Uint8Array.of(2, 2, 0, 0), subject, ec.spki, implicitConstructed(0)), /INTEGER/],
  ['integer empty', () => signedInfo(Uint8Array.of(2, 0), subject, ec.spki, implicitConstructed(0)), /INTEGER/],
  [
    'boolean neither',
    () => request({ attributes: [extensionRequest(extension(OIDS.basicConstraints, sequence(Uint8Array.of(1, 1, 1))))] }),
    /BOOLEAN/,
  ],
  [
    'boolean of two bytes',
    () => request({ attributes: [extensionRequest(extension(OIDS.basicConstraints, sequence(Uint8Array.of(1, 2, 255, 255))))] }),
    /BOOLEAN/,
  ],
  [
    'FALSE written out',
    () => request({ attributes: [extensionRequest(extension(OIDS.basicConstraints, sequence(boolean(false))))] }),
    /FALSE is the default/,
  ],
  ['constructed OCTET STRING', () => withAttribute(Uint8Array.of(0x24, 4, 4, 2, 1, 1)), /constructed/],
  [
    'constructed UTF8String',
    () => request({ subject: sequence(rdn(OIDS.commonName, Uint8Array.of(0x2c, 3, 0x0c, 1, 0x61))) }),
    /constructed/,
  ],
  ['primitive SEQUENCE', () => withAttribute(Uint8Array.of(0x10, 2, 5, 0)), /SEQUENCE|constructed/],
  ['depth 60', () => withAttribute(nested(60)), /deep/],
  ['depth 5,000', () => withAttribute(nested(5000)), /deep/],
  ['OID with a padded arc', () => replaced('06035504030c', '06035504830c'), /OBJECT IDENTIFIER/],
  [
    'OID that begins with 0x80',
    () => request({ subject: sequence(set(sequence(Uint8Array.of(6, 3, 0x80, 4, 3), utf8String(host)))) }),
    /OBJECT IDENTIFIER/,
  ],
  ['OID empty', () => request({ subject: sequence(set(sequence(Uint8Array.of(6, 0), utf8String(host)))) }), /OBJECT IDENTIFIER/],
  [
    'OID of a huge arc',
    () =>
      request({
        subject: sequence(set(sequence(Buffer.concat([Buffer.of(6, 100, 0x2a), Buffer.alloc(98, 0xff), Buffer.of(1)]), utf8String(host)))),
      }),
    /OBJECT IDENTIFIER/,
  ],
  [
    'unsorted SET in the name',
    () => request({ subject: sequence(set(pairInRdn(OIDS.commonName, 'b'), pairInRdn(OIDS.commonName, 'a'))) }),
    /ascending order/,
  ],
  [
    '5,000 names in a row',
    () => request({ subject: sequence(...Array.from({ length: 5000 }, () => rdn(OIDS.commonName, 'a'))) }),
    /more than|at most/,
  ],
  [
    '5,000 extensions',
    () => request({ attributes: [extensionRequest(...Array.from({ length: 5000 }, (_, at) => extension(`1.2.3.${at}`, nullValue())))] }),
    /at most|more than/,
  ],
  ['300 KB', () => withAttribute(octetString(new Uint8Array(300_000))), /at most 262144|at most 100,000/],
  ['60,000 opening brackets', () => Buffer.alloc(60_000, 0x30), /items/],
  ['bit flip in the tag of the whole', () => changed(good, 0, 0x20), /SEQUENCE|not a certificate request|constructed/],
  ['a field left out', () => signedInfo(integer(0), subject), /missing|subjectPKInfo/],
  [
    'something behind the attributes',
    () => signedInfo(integer(0), subject, ec.spki, implicitConstructed(0), explicit(1, nullValue())),
    /after the last field/,
  ],
  [
    'no SEQUENCE for the key',
    () => signedInfo(integer(0), subject, bitString(new Uint8Array(65)), implicitConstructed(0)),
    /subjectPKInfo/,
  ],
  ['two PEM blocks', () => pemOf(good) + pemOf(good), /There are 2 items/],
  ['a private key beside it', () => pemOf(good) + privatePem, /private key|items/],
  ['a private key before it', () => privatePem + pemOf(good), /private key|items/],
  ['a private key instead', () => privatePem, /Keep it secret/],
  ['an EC PARAMETERS block and a key', () => ec.privateKey.export({ type: 'sec1', format: 'pem' }).toString(), /Keep it secret/],
  ['PEM with a broken base64', () => pemOf(good).replace(/[A-Z]/g, '!'), /base64|PEM/i],
  ['PEM without an end', () => pemOf(good).split('\n').slice(0, -2).join('\n'), /END|end/],
  ['text', () => 'Please certify me', /cannot be read|not a certificate request|base64/i],
  ['nothing but blanks in PEM', () => '-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n', /empty|nothing|request/i],
])

const dnsSan = sans(dnsName(host))
const staple = encodeExtension({ type: 'tlsFeature', critical: false, features: [5] })
const attributes = refused('attributes', [
  [
    'the extension request twice',
    () => request({ attributes: [extensionRequest(dnsSan), extensionRequest(sans(dnsName('other.northwind.example')))] }),
    /stands twice/,
  ],
  [
    'two values in the extension request',
    () => request({ attributes: [sequence(oid(OIDS.extensionRequest), setOf(sequence(dnsSan), sequence(staple)))] }),
    /must have one value/,
  ],
  [
    'ours and Microsoft’s extension request',
    () =>
      request({
        attributes: [OIDS.extensionRequest, OIDS.microsoftExtensionRequest].map((id) => sequence(oid(id), setOf(sequence(dnsSan)))),
      }),
    /in two attributes/,
  ],
  [
    'an attribute twice',
    () => request({ attributes: ['a', 'b'].map((text) => sequence(oid('1.2.3'), setOf(utf8String(text)))) }),
    /stands twice/,
  ],
  [
    'the challenge password twice',
    () => request({ attributes: [sequence(oid(OIDS.challengePassword), setOf(utf8String('a'), utf8String('b')))] }),
    /must have one value/,
  ],
  ['two SANs', () => request({ attributes: [extensionRequest(dnsSan, sans(dnsName('other.northwind.example')))] }), /stands twice/],
  ['two SANs, the same', () => request({ attributes: [extensionRequest(dnsSan, dnsSan)] }), /stands twice/],
  [
    'two key usages',
    () =>
      request({
        attributes: [
          extensionRequest(
            ...(['digitalSignature', 'keyCertSign'] as const).map((usage) =>
              encodeExtension({ type: 'keyUsage', critical: true, usages: [usage] }),
            ),
          ),
        ],
      }),
    /stands twice/,
  ],
  ['an attribute without a value', () => request({ attributes: [sequence(oid('1.2.3'), set())] }), /at least 1|empty/i],
  [
    'an extension request without a value',
    () => request({ attributes: [sequence(oid(OIDS.extensionRequest), set())] }),
    /at least 1|empty/i,
  ],
  ['an empty list of extensions', () => request({ attributes: [extensionRequest()] }), /at least 1|empty/i],
  ['an empty SAN', () => request({ attributes: [extensionRequest(sans())] }), /at least 1|empty/i],
  ['an empty EKU', () => request({ attributes: [extensionRequest(extension(OIDS.extKeyUsage, sequence()))] }), /at least 1|empty/i],
  [
    'an empty key usage',
    () => request({ attributes: [extensionRequest(extension(OIDS.keyUsage, Uint8Array.of(3, 1, 0)))] }),
    /at least|empty|no usage/i,
  ],
  [
    'an empty certificatePolicies',
    () => request({ attributes: [extensionRequest(extension(OIDS.certificatePolicies, sequence()))] }),
    /at least 1|empty/i,
  ],
  ['an empty RDN', () => request({ subject: sequence(set()) }), /at least 1|empty/i],
  [
    'the SAN as an OCTET STRING of text',
    () => request({ attributes: [extensionRequest(extension(OIDS.subjectAltName, utf8String(host)))] }),
    /subjectAltName|SEQUENCE/,
  ],
  [
    'a value that is no extension list',
    () => request({ attributes: [sequence(oid(OIDS.extensionRequest), setOf(utf8String(host)))] }),
    /SEQUENCE/,
  ],
])

export const requestCases: readonly RequestCase[] = [...signatures, ...encodings, ...attributes]
