// TPM2_MakeCredential in software (TCG, Part 1, 24, and annexes B and C): a secret that only the TPM of an endorsement key gives out, and only where the object of this
// name is loaded in it.
import type { createPublicKey } from 'node:crypto'
import {
  constants,
  createCipheriv,
  createHash,
  createHmac,
  diffieHellman,
  generateKeyPairSync,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import { sized, TpmError, type TpmHash, type TpmPublic } from './structures.ts'

const sizes = { sha256: 32, sha384: 48, sha512: 64 } as const

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const text = (label: string): Buffer => Buffer.from(`${label}\0`)

/** KDFa (Part 1, 11.4.10.2), of at most one hash. */
const kdfa = (hash: TpmHash, key: Uint8Array, label: string, context: Uint8Array, bits: number): Buffer =>
  createHmac(hash, key)
    .update(Buffer.concat([word(1), text(label), context, word(bits)]))
    .digest()
    .subarray(0, bits / 8)

/** KDFe (Part 1, 11.4.10.3), of one hash. */
const kdfe = (hash: TpmHash, z: Uint8Array, label: string, from: Uint8Array, to: Uint8Array): Buffer =>
  createHash(hash)
    .update(Buffer.concat([word(1), z, text(label), from, to]))
    .digest()

/** Makes TPM2B_ID_OBJECT and TPM2B_ENCRYPTED_SECRET, one after the other. The secret is not longer than the hash of the endorsement key. */
export function makeCredential(endorsement: TpmPublic, name: Uint8Array, secret: Uint8Array): Buffer {
  const { hash, aesBits } = endorsement
  if (aesBits === undefined) throw new TpmError('The endorsement key has no cipher')
  const { seed, encrypted } = endorsement.curve === undefined ? seedByRsa(endorsement) : seedByEcc(endorsement)
  const cipher = createCipheriv(`aes-${aesBits}-cfb`, kdfa(hash, seed, 'STORAGE', name, aesBits), Buffer.alloc(16))
  const identity = Buffer.concat([cipher.update(sized(secret)), cipher.final()])
  const outer = createHmac(hash, kdfa(hash, seed, 'INTEGRITY', Buffer.alloc(0), sizes[hash] * 8))
    .update(identity)
    .update(name)
    .digest()
  return Buffer.concat([sized(Buffer.concat([sized(outer), identity])), sized(encrypted)])
}

type Seed = { seed: Buffer; encrypted: Buffer }

function seedByRsa({ key, hash }: TpmPublic): Seed {
  const seed = randomBytes(sizes[hash])
  const oaep = { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: hash, oaepLabel: text('IDENTITY') }
  return { seed, encrypted: publicEncrypt(oaep, seed) }
}

function seedByEcc({ key, hash, curve }: TpmPublic): Seed {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: curve?.name ?? '' })
  const point = (of: ReturnType<typeof createPublicKey>) => {
    const { x = '', y = '' } = of.export({ format: 'jwk' })
    return [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')] as const
  }
  const [x, y] = point(publicKey)
  const [theirs] = point(key)
  const seed = kdfe(hash, diffieHellman({ privateKey, publicKey: key }), 'IDENTITY', x, theirs)
  return { seed, encrypted: Buffer.concat([sized(x), sized(y)]) }
}
