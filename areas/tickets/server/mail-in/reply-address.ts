// The address to which a letter about a ticket is answered. It holds a secret of its own: whoever answers has read that letter. The tenancy stands in it, so
// that its row is sought in the right place; a wrong one finds nothing.

import { createHash, randomBytes } from 'node:crypto'
import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { decodeBase32, encodeBase32 } from '#standards/base32/base32.ts'
import { insertToken } from './mail-store.ts'

export type ReplyToken = { tenantId: string; hash: Buffer }

const secretLength = 10
const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()
const domainOf = (house: House): string => house.settings.mailFrom.slice(house.settings.mailFrom.lastIndexOf('@') + 1)

/** Local parts have at most 64 characters, and some servers forget capitals: base32 it is. */
export async function newReplyAddress(tenancy: Tenancy, house: House, ticketId: number, userId: string): Promise<string> {
  const bytes = Buffer.concat([Buffer.from(tenancy.tenantId.replaceAll('-', ''), 'hex'), randomBytes(secretLength)])
  await insertToken(tenancy, { hash: hashOf(bytes), ticket_id: ticketId, user_id: userId })
  return `reply+${encodeBase32(bytes).toLowerCase()}@${domainOf(house)}`
}

/** Undefined where an address is none of ours. */
export function readReplyAddress(house: House, address: string): ReplyToken | undefined {
  const [, text = '', domain = ''] = /^reply\+([a-z2-7]{42})@([^@]+)$/i.exec(address) ?? []
  if (text === '' || domain.toLowerCase() !== domainOf(house).toLowerCase()) return undefined
  const bytes = decodeBase32(text.toUpperCase())
  const hex = Buffer.from(bytes).toString('hex')
  const tenantId = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
  return { tenantId, hash: hashOf(bytes) }
}
