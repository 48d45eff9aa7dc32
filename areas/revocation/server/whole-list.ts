// The whole list of an authority as one buffer, for protocols that carry it in a message.

import type { House } from '#core/server/house.ts'
import { wholeList } from '../rules.ts'
import { makeCrl } from './crl.ts'
import { bytesOf, currentCrl } from './list-files.ts'

const longestInMessage = 1_000_000

/** Undefined where there is none, and where it is too long for a message. */
export async function wholeListOf(house: House, { tenantId, caId }: { tenantId: string; caId: string }): Promise<Buffer | undefined> {
  const wanted = { tenantId, caId, part: wholeList }
  let list = await currentCrl(house, wanted)
  if (list === undefined) {
    // A young authority that nobody has asked for its list yet.
    await makeCrl(house, wanted)
    list = await currentCrl(house, wanted)
  }
  if (list === undefined || list.bytes > longestInMessage) return undefined
  const pieces: Uint8Array[] = []
  for await (const piece of bytesOf(house, list)) pieces.push(piece)
  return Buffer.concat(pieces)
}
