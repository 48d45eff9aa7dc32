// The data objects of a PIV card (SP 800-73-5 part 1 section 3 and appendix A), written and read. What is read is bounded: a certificate of at most 16 KB,
// unpacked of at most 64 KB.

import { gunzipSync } from 'node:zlib'
import { encodeFascn } from './fascn.ts'
import { encodeTlv, findTlv, readTlvs, takeTlv, TlvError } from './tlv.ts'

const none = new Uint8Array()
/** Stands at the end of most objects where a checksum once was. */
const errorDetection = encodeTlv(0xfe)
const ascii = (text: string) => Buffer.from(text, 'latin1')

const mostPacked = 16_384
const mostUnpacked = 65_536

/** The object of a slot's certificate. */
export const encodeCertificate = (der: Uint8Array): Uint8Array =>
  Buffer.concat([encodeTlv(0x70, der), encodeTlv(0x71, Uint8Array.of(0)), errorDetection])

/** The DER of the certificate. Throws TlvError for what is too long or cannot be unpacked. */
export function parseCertificate(object: Uint8Array): Uint8Array {
  if (object.length > mostPacked) throw new TlvError('A certificate object of more than 16 KB')
  const packed = takeTlv(object, 0x70)
  const [info = 0] = findTlv(object, 0x71) ?? none
  if ((info & 1) === 0) return packed
  try {
    return gunzipSync(packed, { maxOutputLength: mostUnpacked })
  } catch {
    throw new TlvError('The certificate cannot be unpacked')
  }
}

export type Chuid = { fascn: Uint8Array; guid: Uint8Array; expires: string }

/** The card holder unique identifier, without the issuer's signature, which SP 800-73-5 asks of federal issuers. `expires` is YYYYMMDD. */
export function encodeChuid({ guid, expires, fascn = encodeFascn() }: Partial<Pick<Chuid, 'fascn'>> & Omit<Chuid, 'fascn'>): Uint8Array {
  if (guid.length !== 16) throw new TlvError('A GUID has 16 bytes')
  if (!/^\d{8}$/.test(expires)) throw new TlvError('The end of a card is YYYYMMDD')
  return Buffer.concat([encodeTlv(0x30, fascn), encodeTlv(0x34, guid), encodeTlv(0x35, ascii(expires)), encodeTlv(0x3e), errorDetection])
}

export function parseChuid(object: Uint8Array): Chuid {
  const guid = takeTlv(object, 0x34)
  if (guid.length !== 16) throw new TlvError('A GUID has 16 bytes')
  return {
    fascn: findTlv(object, 0x30) ?? none,
    guid,
    expires: Buffer.from(findTlv(object, 0x35) ?? none).toString('latin1'),
  }
}

/** The card capability container; its card identifier is fresh with each, because Windows caches by it. */
export const encodeCapability = (cardIdentifier: Uint8Array): Uint8Array =>
  Buffer.concat([
    // The registered identifier of GSC-RID, then the maker's part.
    encodeTlv(0xf0, Buffer.from('a000000116ff02', 'hex'), cardIdentifier.subarray(0, 14)),
    encodeTlv(0xf1, Uint8Array.of(0x21)),
    encodeTlv(0xf2, Uint8Array.of(0x21)),
    encodeTlv(0xf3),
    encodeTlv(0xf4, Uint8Array.of(0)),
    encodeTlv(0xf5, Uint8Array.of(0x10)),
    ...[0xf6, 0xf7, 0xfa, 0xfb, 0xfc, 0xfd].map((tag) => encodeTlv(tag)),
    errorDetection,
  ])

export type Printed = { name: string; affiliation: string; expires: string; serial: string; issuer: string }

/** What is printed on the card, cut to the lengths of the standard. */
export const encodePrinted = ({ name, affiliation, expires, serial, issuer }: Printed): Uint8Array =>
  Buffer.concat([
    encodeTlv(0x01, cut(name, 125)),
    encodeTlv(0x02, cut(affiliation, 20)),
    encodeTlv(0x04, ascii(expires.slice(0, 9))),
    encodeTlv(0x05, ascii(serial.slice(0, 20))),
    encodeTlv(0x06, cut(issuer, 15)),
    errorDetection,
  ])

/** UTF-8 of at most so many bytes, no character cut in two. */
function cut(text: string, most: number): Uint8Array {
  let kept = ''
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > most) break
    kept += character
  }
  return Buffer.from(kept)
}

export function parsePrinted(object: Uint8Array): Printed {
  const text = (tag: number) => Buffer.from(findTlv(object, tag) ?? none).toString()
  return { name: text(0x01), affiliation: text(0x02), expires: text(0x04), serial: text(0x05), issuer: text(0x06) }
}

export type KeyHistory = { onCard: number; offCard: number }

/** How many retired keys have their certificate on the card, and how many elsewhere. */
export const encodeKeyHistory = ({ onCard, offCard }: KeyHistory): Uint8Array =>
  Buffer.concat([encodeTlv(0xc1, Uint8Array.of(onCard)), encodeTlv(0xc2, Uint8Array.of(offCard)), encodeTlv(0xf3), errorDetection])

export function parseKeyHistory(object: Uint8Array): KeyHistory {
  const [onCard = 0] = takeTlv(object, 0xc1)
  const [offCard = 0] = takeTlv(object, 0xc2)
  return { onCard, offCard }
}

/** The application and which PIN serves it: bit 7 says that the PIN of the application does. */
export const encodeDiscovery = (application: Uint8Array, pinUse: number): Uint8Array =>
  encodeTlv(0x7e, encodeTlv(0x4f, application), encodeTlv(0x5f2f, Uint8Array.of(pinUse, 0)))

/** The face as JPEG, in its own object; the CBEFF header of federal cards is left out. */
export const encodeFace = (jpeg: Uint8Array): Uint8Array => Buffer.concat([encodeTlv(0xbc, jpeg), errorDetection])

/** The data objects in an answer to GET DATA: discovery stands bare, everything else in a tag 53. */
export function contentOf(answer: Uint8Array): Uint8Array {
  const [first] = readTlvs(answer)
  if (first === undefined || (first.tag !== 0x53 && first.tag !== 0x7e)) throw new TlvError('The card answered no data object')
  return first.value
}
