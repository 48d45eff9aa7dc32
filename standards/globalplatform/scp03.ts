// GlobalPlatform Card Specification 2.3, Amendment D (Secure Channel Protocol 03, version 1.2): keys of a session, cryptograms and wrapped commands, with
// AES keys of the card manager and 8-byte challenges.

import { createCipheriv, timingSafeEqual } from 'node:crypto'

export type ManagerKeys = { enc: Uint8Array; mac: Uint8Array; dek: Uint8Array }
export type SessionKeys = { enc: Buffer; mac: Buffer; rmac: Buffer }

export class ScpError extends Error {
  override name = 'ScpError'
}

const block = 16
const derivation = { cardCryptogram: 0x00, hostCryptogram: 0x01, enc: 0x04, mac: 0x06, rmac: 0x07 } as const
const zeros = Buffer.alloc(block)

const cipherOf = (key: Uint8Array, mode: 'ecb' | 'cbc', iv: Uint8Array | null, plain: Uint8Array): Buffer => {
  if (![16, 24, 32].includes(key.length)) throw new ScpError('An AES key has 16, 24 or 32 bytes')
  const cipher = createCipheriv(`aes-${key.length * 8}-${mode}`, key, iv).setAutoPadding(false)
  return Buffer.concat([cipher.update(plain), cipher.final()])
}

function doubled(bytes: Buffer): Buffer {
  const out = Buffer.alloc(block)
  for (let at = 0; at < block; at += 1) out[at] = (((bytes[at] ?? 0) << 1) | ((bytes[at + 1] ?? 0) >> 7)) & 0xff
  if (((bytes[0] ?? 0) & 0x80) !== 0) out[block - 1] = (out[block - 1] ?? 0) ^ 0x87
  return out
}

const mixed = (a: Uint8Array, b: Uint8Array): Buffer => Buffer.from(a.map((byte, at) => byte ^ (b[at] ?? 0)))

/** AES-CMAC (NIST SP 800-38B, RFC 4493). */
export function cmac(key: Uint8Array, message: Uint8Array): Buffer {
  const first = doubled(cipherOf(key, 'ecb', null, zeros))
  const rest = message.length % block
  const isWhole = message.length > 0 && rest === 0
  const start = isWhole ? message.length - block : message.length - rest
  const tail = message.subarray(start)
  const last = isWhole ? mixed(tail, first) : mixed(Buffer.concat([tail, Buffer.from([0x80]), zeros]).subarray(0, block), doubled(first))
  return cipherOf(key, 'cbc', zeros, Buffer.concat([message.subarray(0, start), last])).subarray(-block)
}

/** The key derivation of Amendment D 4.1.5 (SP 800-108, counter mode with CMAC). */
export function derive(key: Uint8Array, constant: number, context: Uint8Array, bytes: number): Buffer {
  const parts: Buffer[] = []
  for (let counter = 1; parts.length * block < bytes; counter += 1) {
    const label = Buffer.alloc(12)
    label[11] = constant
    const head = Buffer.from([0x00, (bytes * 8) >> 8, (bytes * 8) & 0xff, counter])
    parts.push(cmac(key, Buffer.concat([label, head, context])))
  }
  return Buffer.concat(parts).subarray(0, bytes)
}

/** The first three bytes of a block of ones under the key (GlobalPlatform 2.3, B.6): tells keys apart without trying one on a card. */
export const keyCheckValue = (key: Uint8Array): string =>
  cipherOf(key, 'ecb', null, Buffer.alloc(block, 1)).subarray(0, 3).toString('hex').toUpperCase()

/** Keys of one card from a master key: CMAC in counter mode over the diversification data that the card answers. */
export function managerKeysOf(master: Uint8Array, diversification: Uint8Array): ManagerKeys {
  const one = (constant: number) => derive(master, constant, diversification, master.length)
  return { enc: one(0x01), mac: one(0x02), dek: one(0x03) }
}

/** Of the three keys together, so that a swapped pair is seen, too. */
export const checkValueOf = ({ enc, mac, dek }: ManagerKeys): string => [enc, mac, dek].map((key) => keyCheckValue(key)).join('')

export function sessionOf(keys: ManagerKeys, hostChallenge: Uint8Array, cardChallenge: Uint8Array) {
  const context = Buffer.concat([hostChallenge, cardChallenge])
  const session: SessionKeys = {
    enc: derive(keys.enc, derivation.enc, context, keys.enc.length),
    mac: derive(keys.mac, derivation.mac, context, keys.mac.length),
    rmac: derive(keys.mac, derivation.rmac, context, keys.mac.length),
  }
  return {
    session,
    cardCryptogram: derive(session.mac, derivation.cardCryptogram, context, 8),
    hostCryptogram: derive(session.mac, derivation.hostCryptogram, context, 8),
  }
}

/** INITIALIZE UPDATE's answer (Amendment D 7.1.1): diversification data, key version, protocol, challenge, cryptogram. */
export function readInitializeUpdate(data: Uint8Array) {
  const bytes = Buffer.from(data)
  if (bytes.length !== 29 && bytes.length !== 32) throw new ScpError('The card did not answer as the protocol says')
  if (bytes[11] !== 0x03) throw new ScpError(`The card speaks SCP${String(bytes[11]).padStart(2, '0')}, not SCP03`)
  return {
    diversification: bytes.subarray(0, 10),
    keyVersion: bytes[10] ?? 0,
    cardChallenge: bytes.subarray(13, 21),
    cardCryptogram: bytes.subarray(21, 29),
  }
}

export const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

const padded = (bytes: Uint8Array): Buffer => {
  const room = block - (bytes.length % block)
  const pad = Buffer.alloc(room)
  pad[0] = 0x80
  return Buffer.concat([bytes, pad])
}

/** Wraps commands of one session with C-MAC, and with C-DECRYPTION where `encrypt` says so. EXTERNAL AUTHENTICATE is the first, and never encrypted. */
export function openWrapper(session: SessionKeys, { encrypt }: { encrypt: boolean }) {
  let chaining: Uint8Array = zeros
  let counter = 0
  let isOpen = false
  return (command: { cla: number; ins: number; p1: number; p2: number; data: Uint8Array }): Uint8Array => {
    const cla = command.cla | 0x04
    let data: Uint8Array = command.data
    if (isOpen) counter += 1
    if (isOpen && encrypt && data.length > 0) {
      const number = Buffer.alloc(block)
      number.writeUInt32BE(counter, 12)
      data = cipherOf(session.enc, 'cbc', cipherOf(session.enc, 'ecb', null, number), padded(data))
    }
    if (data.length + 8 > 255) throw new ScpError('The command does not fit')
    isOpen = true
    const head = Buffer.from([cla, command.ins, command.p1, command.p2, data.length + 8])
    chaining = cmac(session.mac, Buffer.concat([chaining, head, data]))
    return Buffer.concat([head, data, chaining.subarray(0, 8)])
  }
}
