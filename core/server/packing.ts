// Long answers go out compressed to who can unpack them. Only those of calls whose contract says `packed`: where a secret stands beside words that
// somebody else chose, the length of what is compressed tells the secret letter by letter (BREACH). A short answer, as of issuing, costs nothing here.

import type { IncomingMessage } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Shorter ones fit into two packets of the network as they are. */
const fewestBytes = 2_000
/** Longer ones would keep everybody else waiting: some ten milliseconds of the one thread that answers. */
const mostBytes = 512 * 1024

// The levels below the one from which a page of a list costs a third of a millisecond of the one thread that answers: here a twentieth.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } }
const gzip = { level: 3 }

export type Packed = { body: Buffer; headers: { 'content-encoding'?: 'br' | 'gzip'; vary: 'accept-encoding' } }

/** What is worth packing, packed as far as whoever asks can unpack it. */
export function pack(text: string, { headers }: Pick<IncomingMessage, 'headers'>): Packed {
  const body = Buffer.from(text)
  const coding =
    body.length < fewestBytes || body.length > mostBytes
      ? undefined
      : unpacks(headers, 'br')
        ? 'br'
        : unpacks(headers, 'gzip')
          ? 'gzip'
          : undefined
  if (coding === undefined) return { body, headers: { vary: 'accept-encoding' } }
  return {
    body: coding === 'br' ? brotliCompressSync(body, brotli) : gzipSync(body, gzip),
    headers: { 'content-encoding': coding, vary: 'accept-encoding' },
  }
}

/** RFC 9110 12.5.3; a weight of nothing refuses. */
export const unpacks = (headers: IncomingMessage['headers'], coding: string): boolean =>
  String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((offer) => {
      const [name, ...rest] = offer.split(';').map((part) => part.trim().toLowerCase())
      return name === coding && !rest.some((part) => /^q=0(?:\.0*)?$/.test(part))
    })
