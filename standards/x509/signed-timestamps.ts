// The list of signed certificate timestamps of Certificate Transparency (RFC 6962 3.2 and 3.3): a TLS structure inside an OCTET STRING,
// so lengths are two bytes and nothing is DER. Read here, and never judged: that takes the logs' keys.
import { say } from '#standards/say/say.ts'
import { concat } from '../der/writer.ts'
import { X509Error } from './error.ts'

export type SignedTimestamp =
  | {
      version: 0
      /** the SHA-256 of the log's key */
      logId: Uint8Array
      /** milliseconds since 1970 */
      timestamp: bigint
      extensions: Uint8Array
      /** TLS numbers: 4 is SHA-256; 1 is RSA, 3 is ECDSA */
      hash: number
      signer: number
      signature: Uint8Array
    }
  /** a version that RFC 6962 does not know, with all of its bytes */
  | { version: 'unknown'; content: Uint8Array }

/** Throws X509Error with `at` as its place. */
export function parseTimestampList(bytes: Uint8Array, at: { offset: number; path: string }): SignedTimestamp[] {
  const fail = (fault: string): X509Error => new X509Error(fault, at)
  const [list, rest] = vector(bytes, fail)
  if (rest.length > 0) throw fail(say`${rest.length} bytes follow the list of timestamps`)
  const timestamps: SignedTimestamp[] = []
  for (let left = list; left.length > 0;) {
    const [content, after] = vector(left, fail)
    timestamps.push(parseTimestamp(content, fail))
    left = after
  }
  if (timestamps.length === 0) throw fail(say`The list of timestamps must not be empty`)
  return timestamps
}

function vector(bytes: Uint8Array, fail: (fault: string) => X509Error): [Uint8Array, Uint8Array] {
  const length = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  if (bytes.length < 2 + length) throw fail(say`The list of timestamps ends too early`)
  return [bytes.subarray(2, 2 + length), bytes.subarray(2 + length)]
}

function parseTimestamp(content: Uint8Array, fail: (fault: string) => X509Error): SignedTimestamp {
  if (content[0] !== 0) return { version: 'unknown', content }
  if (content.length < 43) throw fail(say`A timestamp ends too early`)
  const timestamp = Buffer.from(content.buffer, content.byteOffset, content.length).readBigUInt64BE(33)
  const [extensions, signed] = vector(content.subarray(41), fail)
  const [signature, rest] = vector(signed.subarray(2), fail)
  if (rest.length > 0) throw fail(say`${rest.length} bytes follow the signature of a timestamp`)
  return { version: 0, logId: content.subarray(1, 33), timestamp, extensions, hash: signed[0] ?? 0, signer: signed[1] ?? 0, signature }
}

/** Throws X509Error for a log identifier that has not 32 bytes, and for what two bytes of length cannot hold. */
export function encodeTimestampList(timestamps: readonly SignedTimestamp[]): Uint8Array {
  if (timestamps.length === 0) throw new X509Error(say`The list of timestamps must not be empty`)
  return withLength(concat(...timestamps.map((each) => withLength(encodeTimestamp(each)))))
}

function encodeTimestamp(timestamp: SignedTimestamp): Uint8Array {
  if (timestamp.version === 'unknown') return timestamp.content
  if (timestamp.logId.length !== 32) throw new X509Error(say`The identifier of a log has 32 bytes`)
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(timestamp.timestamp)
  return concat(
    Uint8Array.of(0),
    timestamp.logId,
    time,
    withLength(timestamp.extensions),
    Uint8Array.of(timestamp.hash, timestamp.signer),
    withLength(timestamp.signature),
  )
}

function withLength(bytes: Uint8Array): Uint8Array {
  if (bytes.length > 0xffff) throw new X509Error(say`The list of timestamps is too long`)
  return concat(Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes)
}
