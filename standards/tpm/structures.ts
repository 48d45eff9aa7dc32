// The structures of TPM 2.0 that attestation needs (TCG, Trusted Platform Module Library, Part 2): public areas and their names, attestations, signatures.
// All is big-endian with lengths in front; what is too short, too long or of a kind that is not known here throws.
import { createHash, createPublicKey, createVerify, constants, type KeyObject } from 'node:crypto'

export class TpmError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TpmError'
  }
}

export const TPM_HASHES = { 0x000b: 'sha256', 0x000c: 'sha384', 0x000d: 'sha512' } as const
export type TpmHash = (typeof TPM_HASHES)[keyof typeof TPM_HASHES]

const ALGORITHMS = {
  rsa: 0x0001,
  aes: 0x0006,
  null: 0x0010,
  rsassa: 0x0014,
  rsapss: 0x0016,
  ecdsa: 0x0018,
  ecc: 0x0023,
  cfb: 0x0043,
} as const
const CURVES: Partial<Record<number, { name: string; bytes: number }>> = {
  0x0003: { name: 'P-256', bytes: 32 },
  0x0004: { name: 'P-384', bytes: 48 },
  0x0005: { name: 'P-521', bytes: 66 },
}

/** TPMA_OBJECT (Part 2, 8.3). */
export const ATTRIBUTES = {
  fixedTPM: 1 << 1,
  fixedParent: 1 << 4,
  sensitiveDataOrigin: 1 << 5,
  restricted: 1 << 16,
  decrypt: 1 << 17,
  sign: 1 << 18,
} as const
export type Attribute = keyof typeof ATTRIBUTES

export type TpmPublic = {
  /** TPMT_PUBLIC, of which the name is made. */
  area: Buffer
  hash: TpmHash
  has(attribute: Attribute): boolean
  key: KeyObject
  spki: Buffer
  /** Of a key that others encrypt to: how long its AES key is. */
  aesBits: number | undefined
  curve: { name: string; bytes: number } | undefined
}

type Reader = { u16(): number; u32(): number; bytes(length: number): Buffer; sized(): Buffer; end(): void }

export function tpmReader(data: Uint8Array, what: string): Reader {
  const all = Buffer.from(data)
  let at = 0
  const bytes = (length: number): Buffer => {
    if (at + length > all.length) throw new TpmError(`${what} is too short`)
    at += length
    return all.subarray(at - length, at)
  }
  const u16 = () => bytes(2).readUInt16BE()
  return {
    u16,
    u32: () => bytes(4).readUInt32BE(),
    bytes,
    sized: () => bytes(u16()),
    end() {
      if (at !== all.length) throw new TpmError(`${what} has ${all.length - at} bytes too many`)
    },
  }
}

/** A TPM2B: two bytes of length, and the bytes. */
export function sized(data: Uint8Array): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(data.length)
  return Buffer.concat([length, data])
}

function hashOf(algorithm: number, what: string): TpmHash {
  const hash = (TPM_HASHES as Partial<Record<number, TpmHash>>)[algorithm]
  if (hash === undefined) throw new TpmError(`${what} has a hash that is not taken: 0x${algorithm.toString(16)}`)
  return hash
}

/** Reads a TPM2B_PUBLIC (Part 2, 12.2.5). */
export function parseTpmPublic(data: Uint8Array, what = 'The public area'): TpmPublic {
  const outer = tpmReader(data, what)
  const area = outer.sized()
  outer.end()
  const fields = tpmReader(area, what)
  const type = fields.u16()
  const hash = hashOf(fields.u16(), what)
  const attributes = fields.u32()
  fields.sized()
  const symmetric = fields.u16()
  let aesBits: number | undefined
  if (symmetric === ALGORITHMS.aes) {
    aesBits = fields.u16()
    if (fields.u16() !== ALGORITHMS.cfb || (aesBits !== 128 && aesBits !== 256))
      throw new TpmError(`${what} has a cipher that is not taken`)
  } else if (symmetric !== ALGORITHMS.null) throw new TpmError(`${what} has a cipher that is not taken`)
  if (fields.u16() !== ALGORITHMS.null) fields.u16()
  const { key, curve } = readKey()
  fields.end()
  return {
    area,
    hash,
    has: (attribute) => (attributes & ATTRIBUTES[attribute]) !== 0,
    key,
    spki: key.export({ format: 'der', type: 'spki' }),
    aesBits,
    curve,
  }

  function readKey(): { key: KeyObject; curve: TpmPublic['curve'] } {
    if (type === ALGORITHMS.rsa) {
      fields.u16()
      const exponent = fields.u32()
      const e = Buffer.alloc(4)
      e.writeUInt32BE(exponent === 0 ? 65_537 : exponent)
      const jwk = { kty: 'RSA', n: fields.sized().toString('base64url'), e: e.toString('base64url') }
      return { key: keyOf(jwk), curve: undefined }
    }
    if (type !== ALGORITHMS.ecc) throw new TpmError(`${what} is of no kind that is taken`)
    const at = CURVES[fields.u16()]
    if (at === undefined) throw new TpmError(`${what} is on a curve that is not taken`)
    if (fields.u16() !== ALGORITHMS.null) fields.u16()
    const [x, y] = [padded(fields.sized(), at.bytes), padded(fields.sized(), at.bytes)]
    return { key: keyOf({ kty: 'EC', crv: at.name, x: x.toString('base64url'), y: y.toString('base64url') }), curve: at }
  }

  function keyOf(jwk: { kty: string; n?: string; e?: string; crv?: string; x?: string; y?: string }): KeyObject {
    try {
      return createPublicKey({ key: jwk, format: 'jwk' })
    } catch {
      throw new TpmError(`${what} holds no sound key`)
    }
  }
}

function padded(data: Buffer, length: number): Buffer {
  if (data.length > length) throw new TpmError('A point is longer than its curve allows')
  return Buffer.concat([Buffer.alloc(length - data.length), data])
}

/** The name of an object (Part 1, 16): its hash algorithm, and the hash of its public area. */
export function nameOfPublic({ area, hash }: Pick<TpmPublic, 'area' | 'hash'>): Buffer {
  return Buffer.concat([area.subarray(2, 4), createHash(hash).update(area).digest()])
}

export type Certified = { qualifyingData: Buffer; name: Buffer }

/** Reads a TPMS_ATTEST of TPM2_Certify (Part 2, 10.12.8). What a TPM did not make begins otherwise. */
export function parseCertify(data: Uint8Array): Certified {
  const fields = tpmReader(data, 'The attestation')
  if (fields.u32() !== 0xff544347) throw new TpmError('The attestation was not made by a TPM')
  if (fields.u16() !== 0x8017) throw new TpmError('The attestation does not certify a key')
  fields.sized()
  const qualifyingData = fields.sized()
  fields.bytes(17 + 8)
  const name = fields.sized()
  fields.sized()
  fields.end()
  return { qualifyingData, name }
}

/** Whether a TPMT_SIGNATURE of the key is good. */
export function isTpmSignature(key: KeyObject, data: Uint8Array, signature: Uint8Array): boolean {
  const fields = tpmReader(signature, 'The signature')
  const scheme = fields.u16()
  const hash = hashOf(fields.u16(), 'The signature')
  if (scheme === ALGORITHMS.ecdsa) {
    const bytes = Math.ceil(
      (key.asymmetricKeyDetails?.namedCurve === 'secp521r1' ? 521 : key.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 384 : 256) / 8,
    )
    const raw = Buffer.concat([padded(fields.sized(), bytes), padded(fields.sized(), bytes)])
    fields.end()
    return key.asymmetricKeyType === 'ec' && createVerify(hash).update(data).verify({ key, dsaEncoding: 'ieee-p1363' }, raw)
  }
  if (scheme !== ALGORITHMS.rsassa && scheme !== ALGORITHMS.rsapss) throw new TpmError('The signature is of a scheme that is not taken')
  const raw = fields.sized()
  fields.end()
  const padding = scheme === ALGORITHMS.rsassa ? constants.RSA_PKCS1_PADDING : constants.RSA_PKCS1_PSS_PADDING
  return key.asymmetricKeyType === 'rsa' && createVerify(hash).update(data).verify({ key, padding }, raw)
}
