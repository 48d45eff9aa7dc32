// Dynamic updates of the DNS (RFC 2136), signed by a shared key (TSIG, RFC 8945): adds and deletes TXT records. Only what a client needs is here.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { TsigAlgorithm } from './algorithms.ts'

/** The hash of each algorithm of RFC 8945 6 that is still recommended. */
const tsigHashes: Record<TsigAlgorithm, string> = { 'hmac-sha256': 'sha256', 'hmac-sha384': 'sha384', 'hmac-sha512': 'sha512' }

export type TsigKey = { name: string; algorithm: TsigAlgorithm; secret: Uint8Array }

export type TxtUpdate = { zone: string; name: string; value: string; ttl: number; action: 'add' | 'delete' }

export type SignedUpdate = { id: number; message: Buffer; mac: Buffer }

/** Says why a name server did not do what it was asked, in a sentence for people. */
export class DnsUpdateError extends Error {
  override name = 'DnsUpdateError'
}

const types = { SOA: 6, TXT: 16, TSIG: 250 } as const
const classes = { IN: 1, NONE: 254, ANY: 255 } as const
const updateOpcode = 5 << 11
const fudgeSeconds = 300

/** Writes a name as labels, in small letters (RFC 8945 4.3.3 digests it so). Throws RangeError for a name that has none. */
export function encodeDnsName(name: string): Buffer {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.')
  const parts = labels.map((label) => {
    const bytes = Buffer.from(label, 'latin1')
    if (bytes.length < 1 || bytes.length > 63) throw new RangeError(`${name} is no DNS name`)
    return Buffer.concat([Buffer.of(bytes.length), bytes])
  })
  return Buffer.concat([...parts, Buffer.of(0)])
}

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
const u48 = (value: number): Buffer => {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(value, 0, 6)
  return bytes
}

type ResourceRecord = { name: string; type: number; class: number; ttl: number; data: Buffer }

const encodeRecord = (record: ResourceRecord): Buffer =>
  Buffer.concat([encodeDnsName(record.name), u16(record.type), u16(record.class), u32(record.ttl), u16(record.data.length), record.data])

function txtData(value: string): Buffer {
  const parts = value.match(/[\s\S]{1,255}/g) ?? ['']
  return Buffer.concat(parts.map((part) => Buffer.concat([Buffer.of(part.length), Buffer.from(part, 'latin1')])))
}

const header = (id: number, updates: number, additional: number): Buffer =>
  Buffer.concat([u16(id), u16(updateOpcode), u16(1), u16(0), u16(updates), u16(additional)])

/** The fields that the MAC covers besides the message (RFC 8945 4.3.3). */
const tsigVariables = (key: TsigKey, seconds: number, fudge: number, error: number, other: Buffer): Buffer =>
  Buffer.concat([
    encodeDnsName(key.name),
    u16(classes.ANY),
    u32(0),
    encodeDnsName(key.algorithm),
    u48(seconds),
    u16(fudge),
    u16(error),
    u16(other.length),
    other,
  ])

const macOf = (key: TsigKey, ...parts: Buffer[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHmac(tsigHashes[key.algorithm], key.secret)).digest()

/** Writes a signed update of one TXT record. `id`: of the message, to find its answer by. */
export function writeTxtUpdate(
  { zone, name, value, ttl, action }: TxtUpdate,
  key: TsigKey,
  { id, now }: { id: number; now: Date },
): SignedUpdate {
  const record = encodeRecord({
    name,
    type: types.TXT,
    class: action === 'add' ? classes.IN : classes.NONE,
    ttl: action === 'add' ? ttl : 0,
    data: txtData(value),
  })
  const rest = Buffer.concat([encodeDnsName(zone), u16(types.SOA), u16(classes.IN), record])
  const seconds = Math.floor(now.getTime() / 1000)
  const mac = macOf(key, header(id, 1, 0), rest, tsigVariables(key, seconds, fudgeSeconds, 0, Buffer.alloc(0)))
  const data = Buffer.concat([encodeDnsName(key.algorithm), u48(seconds), u16(fudgeSeconds), u16(mac.length), mac, u16(id), u16(0), u16(0)])
  const tsig = encodeRecord({ name: key.name, type: types.TSIG, class: classes.ANY, ttl: 0, data })
  return { id, message: Buffer.concat([header(id, 1, 1), rest, tsig]), mac }
}

const answers: Record<number, string> = {
  1: 'it could not read the update (FORMERR)',
  2: 'it failed (SERVFAIL)',
  3: 'it knows no such name (NXDOMAIN)',
  4: 'it takes no updates (NOTIMP)',
  5: 'it refused the update (REFUSED): the key may not change this name',
  9: 'it is not responsible for this zone, or the key is wrong (NOTAUTH)',
  10: 'the name is not in this zone (NOTZONE)',
}
const tsigErrors: Record<number, string> = {
  16: 'the secret of the key does not fit (BADSIG)',
  17: 'it does not know this key (BADKEY)',
  18: 'its clock and ours differ by more than five minutes (BADTIME)',
}

/** Reads the answer to an update. Throws DnsUpdateError unless the server has done it and signed that with the same key. */
export function readUpdateAnswer(answer: Uint8Array, { id, mac }: Pick<SignedUpdate, 'id' | 'mac'>, key: TsigKey): void {
  const bytes = Buffer.from(answer)
  const refuse = (why: string) => new DnsUpdateError(`The name server answered, but ${why}`)
  if (bytes.length < 12 || bytes.readUInt16BE(0) !== id || (bytes.readUInt16BE(2) & 0x8000) === 0) throw refuse('not to this update')
  const code = bytes.readUInt16BE(2) & 0xf
  const tsig = findTsig(bytes)
  const tsigError = tsig === undefined ? undefined : tsigErrors[tsig.error]
  if (tsigError !== undefined) throw refuse(tsigError)
  if (code !== 0) throw refuse(answers[code] ?? `with the code ${code}`)
  if (tsig === undefined) throw refuse('without a signature (TSIG), so anybody may have sent it')
  const unsigned = Buffer.from(bytes.subarray(0, tsig.begin))
  unsigned.writeUInt16BE(tsig.originalId, 0)
  unsigned.writeUInt16BE(bytes.readUInt16BE(10) - 1, 10)
  const wanted = macOf(key, u16(mac.length), mac, unsigned, tsigVariables(key, tsig.seconds, tsig.fudge, tsig.error, tsig.other))
  if (wanted.length !== tsig.mac.length || !timingSafeEqual(wanted, tsig.mac)) throw refuse('its signature (TSIG) is not that of the key')
}

type Tsig = { begin: number; seconds: number; fudge: number; mac: Buffer; originalId: number; error: number; other: Buffer }

/** The last record of the message, where it is a TSIG. Throws DnsUpdateError where the message ends too soon. */
function findTsig(bytes: Buffer): Tsig | undefined {
  try {
    let at = 12
    for (let count = bytes.readUInt16BE(4); count > 0; count -= 1) at = skipName(bytes, at) + 4
    const records = bytes.readUInt16BE(6) + bytes.readUInt16BE(8) + bytes.readUInt16BE(10)
    for (let count = records; count > 0; count -= 1) {
      const begin = at
      const fields = skipName(bytes, at)
      const type = bytes.readUInt16BE(fields)
      const data = fields + 10
      at = data + bytes.readUInt16BE(fields + 8)
      if (type === types.TSIG && count === 1) return readTsig(bytes, begin, skipName(bytes, data))
    }
    return undefined
  } catch (error) {
    throw new DnsUpdateError('The name server answered, but not with a DNS message', { cause: error })
  }
}

function readTsig(bytes: Buffer, begin: number, at: number): Tsig {
  const macLength = bytes.readUInt16BE(at + 8)
  const rest = at + 10 + macLength
  const otherLength = bytes.readUInt16BE(rest + 4)
  return {
    begin,
    seconds: bytes.readUIntBE(at, 6),
    fudge: bytes.readUInt16BE(at + 6),
    mac: bytes.subarray(at + 10, rest),
    originalId: bytes.readUInt16BE(rest),
    error: bytes.readUInt16BE(rest + 2),
    other: bytes.subarray(rest + 6, rest + 6 + otherLength),
  }
}

/** The place behind a name. A pointer (RFC 1035 4.1.4) ends it. */
function skipName(bytes: Buffer, from: number): number {
  let at = from
  for (;;) {
    const length = bytes.readUInt8(at)
    if (length === 0) return at + 1
    if (length >= 0xc0) return at + 2
    at += 1 + length
  }
}
