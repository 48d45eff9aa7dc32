// What a TPM shows and signs, made in software, so that a test can spoil each part of it: public areas, the answer to a credential, what an attestation key certifies.

import { constants, createDecipheriv, createHash, createHmac, generateKeyPairSync, privateDecrypt, sign, type KeyObject } from 'node:crypto'
import { ATTRIBUTES, nameOfPublic, parseTpmPublic, sized, tpmReader, type Attribute } from '#standards/tpm/structures.ts'

const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const nothing = u16(0x0010)
const attributesOf = (names: readonly Attribute[]): Buffer => u32(names.reduce((all, name) => all + ATTRIBUTES[name], 0))
const held = ['fixedTPM', 'fixedParent', 'sensitiveDataOrigin'] as const

export type SoftwareKey = { area: Buffer; privateKey: KeyObject; publicKey: KeyObject }

/** TPM2B_PUBLIC of a key of RSA with a cipher, as endorsement keys are. */
export function endorsementKey(attributes: readonly Attribute[] = [...held, 'restricted', 'decrypt']): SoftwareKey {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { n = '' } = pair.publicKey.export({ format: 'jwk' })
  const cipher = Buffer.concat([u16(0x0006), u16(128), u16(0x0043)])
  const unique = Buffer.concat([u16(2048), u32(0), sized(Buffer.from(n, 'base64url'))])
  const area = Buffer.concat([u16(0x0001), u16(0x000b), attributesOf(attributes), sized(Buffer.alloc(0)), cipher, nothing, unique])
  return { area: sized(area), ...pair }
}

/** TPM2B_PUBLIC of a signing key on P-256. */
export function signingKey(attributes: readonly Attribute[] = [...held, 'sign']): SoftwareKey {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' })
  const unique = Buffer.concat([u16(0x0003), nothing, sized(Buffer.from(x, 'base64url')), sized(Buffer.from(y, 'base64url'))])
  const area = Buffer.concat([u16(0x0023), u16(0x000b), attributesOf(attributes), sized(Buffer.alloc(0)), nothing, nothing, unique])
  return { area: sized(area), ...pair }
}

export const attestationKey = (attributes: readonly Attribute[] = [...held, 'restricted', 'sign']): SoftwareKey => signingKey(attributes)

/** TPM2_ActivateCredential: what only this endorsement key gives out, for this attestation key. Throws where it is for another. */
export function activate(ek: SoftwareKey, ak: SoftwareKey, credential: Uint8Array): Buffer {
  const fields = tpmReader(credential, 'The credential')
  const identity = tpmReader(fields.sized(), 'The identity')
  const encrypted = fields.sized()
  const integrity = identity.sized()
  const name = nameOfPublic(parseTpmPublic(ak.area))
  const label = (text: string) => Buffer.from(`${text}\0`)
  const oaep = { key: ek.privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256', oaepLabel: label('IDENTITY') }
  const seed = privateDecrypt(oaep, encrypted)
  const derived = (purpose: string, context: Uint8Array, bits: number) =>
    createHmac('sha256', seed)
      .update(Buffer.concat([u32(1), label(purpose), context, u32(bits)]))
      .digest()
      .subarray(0, bits / 8)
  const sealed = Buffer.from(credential).subarray(2 + 2 + integrity.length, Buffer.from(credential).readUInt16BE(0) + 2)
  const expected = createHmac('sha256', derived('INTEGRITY', Buffer.alloc(0), 256))
    .update(sealed)
    .update(name)
    .digest()
  if (!expected.equals(integrity)) throw new Error('TPM_RC_INTEGRITY')
  const cipher = createDecipheriv('aes-128-cfb', derived('STORAGE', name, 128), Buffer.alloc(16))
  return tpmReader(Buffer.concat([cipher.update(sealed), cipher.final()]), 'The secret').sized()
}

/** TPM2_Certify. */
export function certify(ak: SoftwareKey, key: SoftwareKey, qualifyingData: Uint8Array): { attestation: Buffer; signature: Buffer } {
  const name = nameOfPublic(parseTpmPublic(key.area))
  const attestation = Buffer.concat([
    u32(0xff544347),
    u16(0x8017),
    sized(nameOfPublic(parseTpmPublic(ak.area))),
    sized(qualifyingData),
    Buffer.alloc(17 + 8),
    sized(name),
    sized(createHash('sha256').update(name).digest()),
  ])
  const raw = sign('sha256', attestation, { key: ak.privateKey, dsaEncoding: 'ieee-p1363' })
  return { attestation, signature: Buffer.concat([u16(0x0018), u16(0x000b), sized(raw.subarray(0, 32)), sized(raw.subarray(32))]) }
}
