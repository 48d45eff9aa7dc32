// Keys out of passwords for PKCS#12: RFC 7292 appendix B.2, which only this format uses, and PBKDF2 (RFC 8018). The first runs on the event
// loop, since OpenSSL shows it nowhere; it lets others run in between. A file says itself how many rounds it wants, so each reader has a
// budget of rounds that it cannot exceed.
import { hash, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'

export type Pkcs12Hash = 'sha1' | 'sha256' | 'sha384' | 'sha512'
const BLOCK_BYTES = { sha1: 64, sha256: 64, sha384: 128, sha512: 128 } as const
const HASH_BYTES = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 } as const

/** What the derived bytes are for: the diversifier of B.3. */
export const PURPOSE = { key: 1, iv: 2, mac: 3 } as const

/** About 3 ms. */
const ROUNDS_AT_A_TIME = 2000

export interface DerivationInput {
  digest: Pkcs12Hash
  purpose: keyof typeof PURPOSE
  password: string
  salt: Uint8Array
  iterations: number
  bytes: number
}

/** RFC 7292 B.2. The password is used in UTF-16 with a closing zero (B.1). */
export async function deriveByPkcs12({ digest, purpose, password, salt, iterations, bytes }: DerivationInput): Promise<Uint8Array> {
  const block = BLOCK_BYTES[digest]
  const diversifier = Buffer.alloc(block, PURPOSE[purpose])
  const blocks = Buffer.concat([wholeBlocks(salt, block), wholeBlocks(Buffer.from(`${password}\0`, 'utf16le').swap16(), block)])
  const parts: Uint8Array[] = []
  for (let have = 0; have < bytes; have += HASH_BYTES[digest]) {
    let state: Uint8Array = Buffer.concat([diversifier, blocks])
    for (let round = 0; round < iterations; round += 1) {
      if (round % ROUNDS_AT_A_TIME === ROUNDS_AT_A_TIME - 1) await new Promise(setImmediate)
      state = hash(digest, state, 'buffer')
    }
    parts.push(state)
    addToEach(blocks, state, block)
  }
  return Buffer.concat(parts).subarray(0, bytes)
}

/** Step 6C: to each block the hash, repeated to its length, and one are added, modulo the size of the block. */
function addToEach(blocks: Uint8Array, state: Uint8Array, block: number): void {
  for (let start = 0; start < blocks.length; start += block) {
    let carry = 1
    for (let at = block - 1; at >= 0; at -= 1) {
      carry += (blocks[start + at] ?? 0) + (state[at % state.length] ?? 0)
      blocks[start + at] = carry & 0xff
      carry >>= 8
    }
  }
}

/** The bytes repeated until they fill whole blocks. */
function wholeBlocks(bytes: Uint8Array, block: number): Uint8Array {
  return Buffer.alloc(Math.ceil(bytes.length / block) * block, bytes)
}

const derive = promisify(pbkdf2)

/** In libuv's thread pool. The password is used in UTF-8. */
export const deriveByPbkdf2 = ({ digest, password, salt, iterations, bytes }: Omit<DerivationInput, 'purpose'>): Promise<Uint8Array> =>
  derive(Buffer.from(password, 'utf8'), salt, iterations, bytes, digest)
