import { hash as digest } from 'node:crypto'
// How OCSP names a certificate (CertID, RFC 6960 4.1.1): by hashes of its issuer's name and key, and its serial number.
// A responder answers with the CertID that it was asked with, byte for byte, as there are two spellings of one.
import { say } from '#standards/say/say.ts'
import { fieldsOf, finish, hasMore, take } from '../der/fields.ts'
import type { DerValue } from '../der/reader.ts'
import { faultAt, hexOf, readNull, readOctetString, readOid, readUnsignedBytes, type Oid } from '../der/values.ts'
import { integer, nullValue, octetString, oid, sequence } from '../der/writer.ts'
import type { Certificate } from '../x509/certificate.ts'
import { OIDS } from '../x509/oids.ts'

/** What clients use and ask for: SHA-1 nearly always (RFC 5019 2.1.1), the others since RFC 9654's time. */
const HASHES = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 } as const
export type CertIdHash = keyof typeof HASHES
export const CERT_ID_HASHES = Object.keys(HASHES) as CertIdHash[]

export interface CertId {
  hash: CertIdHash
  issuerNameHash: Uint8Array
  issuerKeyHash: Uint8Array
  /** unsigned big-endian, without a leading zero */
  serialNumber: Uint8Array
  /** the DER, for the answer */
  encoded: Uint8Array
}

type Issuer = Pick<Certificate, 'subjectEncoded' | 'publicKey'>

const hashOf = new Map<Oid, CertIdHash>(CERT_ID_HASHES.map((name) => [OIDS[name], name]))
/** RFC 5280 allows 20 bytes; older authorities wrote longer ones, and are asked about them. */
const MAX_SERIAL = 32

/** The CertID of the certificate that `issuer` issued under this serial number. */
export function certIdFor(issuer: Issuer, serialNumber: Uint8Array, hash: CertIdHash = 'sha1'): CertId {
  const issuerNameHash = digest(hash, issuer.subjectEncoded, 'buffer')
  const issuerKeyHash = digest(hash, issuer.publicKey.keyBytes, 'buffer')
  const encoded = sequence(
    sequence(oid(OIDS[hash]), nullValue()),
    octetString(issuerNameHash),
    octetString(issuerKeyHash),
    integer(serialNumber),
  )
  const first = serialNumber.findIndex((byte) => byte !== 0)
  return { hash, issuerNameHash, issuerKeyHash, serialNumber: serialNumber.subarray(Math.max(first, 0)), encoded }
}

/** The issuer's part of a CertID as one text: a responder keeps its authorities under these, one for each hash. */
export function issuerFingerprint({
  hash,
  issuerNameHash,
  issuerKeyHash,
}: Pick<CertId, 'hash' | 'issuerNameHash' | 'issuerKeyHash'>): string {
  return `${hash} ${hexOf(issuerNameHash)} ${hexOf(issuerKeyHash)}`
}

/** The fingerprints under which an authority can be asked about. */
export function issuerFingerprints(issuer: Issuer): string[] {
  return CERT_ID_HASHES.map((hash) => issuerFingerprint(certIdFor(issuer, Uint8Array.of(1), hash)))
}

/** Throws DerError. */
export function readCertId(value: DerValue): CertId {
  const fields = fieldsOf(value)
  const hash = readHash(take(fields, 'hashAlgorithm'))
  const hashed = (name: string): Uint8Array => {
    const field = take(fields, name)
    const bytes = readOctetString(field)
    if (bytes.length !== HASHES[hash]) throw faultAt(field, say`A ${hash} hash has ${HASHES[hash]} bytes, not ${bytes.length}`)
    return bytes
  }
  const issuerNameHash = hashed('issuerNameHash')
  const issuerKeyHash = hashed('issuerKeyHash')
  const serial = take(fields, 'serialNumber')
  const serialNumber = readUnsignedBytes(serial)
  if (serialNumber.length > MAX_SERIAL) throw faultAt(serial, say`A serial number of more than ${MAX_SERIAL} bytes is not read`)
  finish(fields)
  return { hash, issuerNameHash, issuerKeyHash, serialNumber, encoded: value.encoded }
}

/** The parameters of a hash may be NULL or absent (RFC 5754 section 2). */
function readHash(value: DerValue): CertIdHash {
  const fields = fieldsOf(value)
  const algorithm = readOid(take(fields, 'algorithm'))
  if (hasMore(fields)) readNull(take(fields, 'parameters'))
  finish(fields)
  const hash = hashOf.get(algorithm)
  if (hash === undefined) throw faultAt(value, say`The hash algorithm ${algorithm} is not one of ${CERT_ID_HASHES.join(', ')}`)
  return hash
}
