// Reads a log of certificate transparency (RFC 6962) on from where it was left, and keeps what names a domain that the tenancy has proved. Each tree head is
// checked against the log's key; how far behind the reading is stands beside it.

import { createPublicKey, verify, X509Certificate, type KeyObject } from 'node:crypto'
import * as z from 'zod'
import type { House } from '#core/server/house.ts'
import { dnsNamesOf, jsonOf, ProviderError, tlsOf, type Asked, type Found, type ProviderPage } from './provider-page.ts'

const entriesAPage = 128

const TreeHead = z.object({
  tree_size: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  timestamp: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  sha256_root_hash: z.base64().max(100),
  tree_head_signature: z.base64().max(2_000),
})
const Entries = z.object({
  entries: z.array(z.object({ leaf_input: z.base64(), extra_data: z.base64() })).max(10_000),
})

/** The key of a log, as lists of logs give it: base64 of its SubjectPublicKeyInfo. */
export function readLogKey(text: string): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

export async function readLog(house: House, asked: Asked): Promise<ProviderPage> {
  const key = readLogKey(asked.account)
  if (key === undefined) throw new ProviderError('The key of the log cannot be read')
  if (asked.domains.length === 0) throw new ProviderError('Prove control of a domain first: a log is read for proved domains alone')
  const size = await treeSize(house, asked, key)
  // A first reading begins at the log's present end where no number is named: the large logs hold billions.
  const from = asked.cursor !== '' ? Number(asked.cursor) : asked.scope !== '' ? Number(asked.scope) : size
  if (from > size)
    throw new ProviderError(`The log says that it ends at ${size}, and was read to ${from} before: it has taken entries back`)
  const says = (to: number) => `Read to ${to} of ${size}`
  if (from === size) return { found: [], refused: 0, next: String(from), done: true, says: says(from) }
  const end = Math.min(from + entriesAPage, size) - 1
  const answer = Entries.safeParse(await get(house, asked, `get-entries?start=${from}&end=${end}`))
  if (!answer.success || answer.data.entries.length === 0 || answer.data.entries.length > end - from + 1)
    throw new ProviderError('The answer of the log is no list of entries')
  const read = answer.data.entries.map(({ leaf_input, extra_data }) =>
    readEntry(Buffer.from(leaf_input, 'base64'), Buffer.from(extra_data, 'base64')),
  )
  const found: Found[] = []
  for (const [at, entry] of read.entries()) {
    if (entry === undefined || !isOfDomain(dnsNamesOf(entry.certificate), asked.domains)) continue
    found.push({ place: `${from + at}${entry.isPre ? ' (precertificate)' : ''}`, certificate: entry.certificate.raw, chain: entry.chain })
  }
  const next = from + read.length
  return { found, refused: read.filter((entry) => entry === undefined).length, next: String(next), done: next >= size, says: says(next) }
}

async function get(house: House, asked: Asked, path: string): Promise<unknown> {
  const url = `${asked.url.replace(/\/+$/, '')}/ct/v1/${path}`
  const answer = await house.outward.request({ use: 'cloud', url, tenantId: asked.tenant_id, ...tlsOf(asked) })
  if (answer.status === 429) throw new ProviderError('The log asks for more patience: the next reading goes on where this one ended')
  if (answer.status !== 200) throw new ProviderError(`The log answered with status ${answer.status}`)
  return jsonOf(answer)
}

async function treeSize(house: House, asked: Asked, key: KeyObject): Promise<number> {
  const head = TreeHead.safeParse(await get(house, asked, 'get-sth'))
  if (!head.success) throw new ProviderError('The answer of the log is no tree head')
  const { tree_size, timestamp, sha256_root_hash, tree_head_signature } = head.data
  const root = Buffer.from(sha256_root_hash, 'base64')
  const signature = Buffer.from(tree_head_signature, 'base64')
  // RFC 6962 3.5: version 1, a tree head, then what it says.
  const signed = Buffer.alloc(18)
  signed[1] = 1
  signed.writeBigUInt64BE(BigInt(timestamp), 2)
  signed.writeBigUInt64BE(BigInt(tree_size), 10)
  // RFC 5246 4.7: SHA-256, the kind of key, and a length before the signature.
  const isSha256 = signature[0] === 4 && signature.length > 4 && signature.readUInt16BE(2) === signature.length - 4
  if (root.length !== 32 || !isSha256 || !verify('sha256', Buffer.concat([signed, root]), key, signature.subarray(4)))
    throw new ProviderError('The tree head is not signed by the key of the log')
  return tree_size
}

type Entry = { certificate: X509Certificate; chain: Uint8Array[]; isPre: boolean }

/** RFC 6962 3.4 and 4.6; undefined for what is no entry. */
function readEntry(leaf: Buffer, extra: Buffer): Entry | undefined {
  try {
    if (leaf[0] !== 0 || leaf[1] !== 0) return undefined
    const kind = leaf.readUInt16BE(10)
    if (kind > 1) return undefined
    const own = kind === 0 ? opaque(leaf, 12) : opaque(extra, 0)
    const all = opaque(extra, kind === 0 ? 0 : own.next)
    const chain: Uint8Array[] = []
    for (let at = 0; at < all.bytes.length;) {
      const one = opaque(all.bytes, at)
      chain.push(one.bytes)
      at = one.next
    }
    return { certificate: new X509Certificate(own.bytes), chain, isPre: kind === 1 }
  } catch {
    return undefined
  }
}

function opaque(bytes: Buffer, at: number): { bytes: Buffer; next: number } {
  const next = at + 3 + bytes.readUIntBE(at, 3)
  if (next > bytes.length) throw new RangeError('It ends too early')
  return { bytes: bytes.subarray(at + 3, next), next }
}

const isOfDomain = (names: readonly string[], domains: readonly string[]): boolean =>
  names.some((name) => domains.some((domain) => name === domain || name.endsWith(`.${domain}`)))
