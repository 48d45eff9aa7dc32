// The entries of a list, gathered into the one run of bytes that will be signed. Before them room is left for what stands there: its length is
// known only when the entries are, and a list of a million is not to be copied for it.

import type { Database } from '#core/server/database.ts'
import { revokedEntries, type Issuer } from '#areas/authorities/service.ts'
import { tbsCertListFrame, type TbsCertListInput } from '#standards/crl/certificate-list.ts'
import { deltaList, expiredStay, wholeList } from '../rules.ts'

export type Gathered = {
  revision: number
  thisUpdate: Date
  count: number
  /** The TBSCertList around the entries. */
  frame(input: Omit<TbsCertListInput, 'entries'>): Uint8Array
}

/** A subject of many attributes, times and headers. */
const roomBefore = 16_384
const roomBehind = 4_096
const usualBytes = 65_536
/** Serial 19, date 15, reason 12, date of invalidity 26, headers 6. Memory that stays untouched costs nothing. */
const largestEntry = 80
/** Beyond, the run grows as it fills. */
const mostForeseen = 2_000_000

type Wanted = { part: number; since: number | undefined; revision: number; now: Date }

export async function gatherEntries(db: Database, issuer: Issuer, { part, since, revision, now }: Wanted): Promise<Gathered> {
  let run = Buffer.allocUnsafeSlow(roomBefore + roomBehind + (part === wholeList ? usualBytes + Math.min(revision, mostForeseen) * largestEntry : usualBytes))
  let length = roomBefore
  let count = 0
  const shard = part === deltaList || part === wholeList ? undefined : part
  for await (const { bytes, values } of revokedEntries(db, issuer.tenantId, issuer.caId, { unexpiredAt: expiredStay(now), shard, since })) {
    if (length + bytes.length + roomBehind > run.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (length + bytes.length + roomBehind))
      run.copy(larger, 0, 0, length)
      run = larger
    }
    bytes.copy(run, length)
    length += bytes.length
    count += values
  }
  return {
    revision,
    count,
    thisUpdate: new Date(Math.floor(now.getTime() / 1000) * 1000),
    frame(input) {
      const { head, tail } = tbsCertListFrame(input, length - roomBefore)
      if (head.length > roomBefore || tail.length > roomBehind) throw new RangeError('The name or the addresses of the authority are too long for a list')
      run.set(head, roomBefore - head.length)
      run.set(tail, length)
      return run.subarray(roomBefore - head.length, length + tail.length)
    },
  }
}
