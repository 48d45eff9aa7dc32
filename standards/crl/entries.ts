// The revoked certificates of a CRL, written straight into one growing run of bytes: a large authority lists a million of
// them, and a million small objects would cost more than the CRL. The run is what the list holds between its header and
// its end, so runs that were packed earlier, one for each shard or each day, are joined without being looked at again.
import { generalizedTime, time } from '../der/writer.ts'
import { REVOCATION_REASONS, type RevocationReason } from './reasons.ts'

export interface CrlEntry {
  /** unsigned big-endian, 1 to 20 bytes, not zero (RFC 5280 4.1.2.2) */
  serialNumber: Uint8Array
  revocationDate: Date
  /** unspecified is left out of the list (RFC 5280 5.3.1) */
  reason?: RevocationReason | undefined
  /** since when the key is known or feared to be lost (RFC 5280 5.3.2) */
  invalidityDate?: Date | undefined
}

export interface CrlEntryPacker {
  /** Throws RangeError for a serial number or date that a CRL cannot hold. */
  add(entry: CrlEntry): void
  /** Entries that were packed before, as they are. */
  addPacked(packed: Uint8Array): void
  /** All entries so far, one behind the other. */
  bytes(): Uint8Array
}

/** SEQUENCE { OBJECT IDENTIFIER 2.5.29.21, OCTET STRING { ENUMERATED } }, the number to follow. */
export const REASON_EXTENSION = [0x30, 0x0a, 0x06, 0x03, 0x55, 0x1d, 0x15, 0x04, 0x03, 0x0a, 0x01]
/** SEQUENCE { OBJECT IDENTIFIER 2.5.29.24, OCTET STRING }, a GeneralizedTime of 17 bytes to follow. */
export const INVALIDITY_EXTENSION = [0x30, 0x18, 0x06, 0x03, 0x55, 0x1d, 0x18, 0x04, 0x11]

/** Every entry is shorter than 128 bytes (serial 23, date 17, extensions 40), so all lengths in it are one byte. */
const LARGEST_ENTRY = 128
const MAX_SERIAL = 20
const DAY = 86_400_000

export function crlEntryPacker(): CrlEntryPacker {
  let run = new Uint8Array(4096)
  let length = 0
  let day = Number.NaN
  let timeOfDay: Uint8Array = new Uint8Array(0)

  const reserve = (more: number) => {
    if (length + more <= run.length) return
    const grown = new Uint8Array(Math.max(run.length * 2, length + more))
    grown.set(run.subarray(0, length))
    run = grown
  }
  const put = (bytes: ArrayLike<number>) => {
    run.set(bytes, length)
    length += bytes.length
  }
  const putByte = (byte: number) => {
    run[length] = byte
    length += 1
  }
  /** Revocations come in order of time: a day is spelt out once, and then only the six digits at its end change. */
  const timeOf = (date: Date): Uint8Array => {
    const milliseconds = date.getTime()
    if (Math.floor(milliseconds / DAY) !== day) {
      timeOfDay = time(date)
      day = Math.floor(milliseconds / DAY)
    }
    const seconds = Math.floor((milliseconds - day * DAY) / 1000)
    const at = timeOfDay.length - 7
    putTwoDigits(timeOfDay, at, Math.floor(seconds / 3600))
    putTwoDigits(timeOfDay, at + 2, Math.floor(seconds / 60) % 60)
    putTwoDigits(timeOfDay, at + 4, seconds % 60)
    return timeOfDay
  }

  return {
    add({ serialNumber, revocationDate, reason, invalidityDate }) {
      let from = 0
      while (serialNumber[from] === 0) from += 1
      const digits = serialNumber.subarray(from)
      const first = digits[0]
      if (first === undefined || digits.length > MAX_SERIAL) throw new RangeError('serialNumber must be 1 to 20 bytes and not zero')
      if (Number.isNaN(revocationDate.getTime())) throw new RangeError('revocationDate must be a date')
      const revoked = timeOf(revocationDate)
      // All that can be wrong is found before the first byte is written.
      const invalidity = invalidityDate === undefined ? undefined : generalizedTime(invalidityDate)
      const code = reason === undefined || reason === 'unspecified' ? undefined : REVOCATION_REASONS[reason].code

      const sign = first >= 0x80 ? 1 : 0
      const extensions =
        (code === undefined ? 0 : REASON_EXTENSION.length + 1) +
        (invalidity === undefined ? 0 : INVALIDITY_EXTENSION.length + invalidity.length)
      reserve(LARGEST_ENTRY)
      putByte(0x30)
      putByte(2 + sign + digits.length + revoked.length + (extensions === 0 ? 0 : 2 + extensions))
      putByte(0x02)
      putByte(sign + digits.length)
      if (sign === 1) putByte(0)
      put(digits)
      put(revoked)
      if (extensions === 0) return
      putByte(0x30)
      putByte(extensions)
      if (code !== undefined) {
        put(REASON_EXTENSION)
        putByte(code)
      }
      if (invalidity !== undefined) {
        put(INVALIDITY_EXTENSION)
        put(invalidity)
      }
    },
    addPacked(packed) {
      reserve(packed.length)
      put(packed)
    },
    bytes: () => run.subarray(0, length),
  }
}

function putTwoDigits(bytes: Uint8Array, at: number, number: number): void {
  bytes[at] = 0x30 + Math.floor(number / 10)
  bytes[at + 1] = 0x30 + (number % 10)
}

/** Entries one behind the other, for `entries` of buildTbsCertList. */
export function packCrlEntries(entries: Iterable<CrlEntry>): Uint8Array {
  const packer = crlEntryPacker()
  for (const entry of entries) packer.add(entry)
  return packer.bytes()
}
