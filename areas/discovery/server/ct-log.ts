// Reads a log of certificate transparency (RFC 6962) on from where it was left, and keeps what names a domain that the tenancy has proved. Each tree head is
// checked against the log's key, and what is kept is proved to stand in that tree; how far behind the reading is stands beside it.

import { createPublicKey, verify, X509Certificate, type KeyObject } from 'node:crypto'
import * as z from 'zod'
import type { House } from '#core/server/house.ts'
import { leafHash, verifyInclusion } from '#standards/audit-log/merkle.ts'
import { readDer, TAG, type DerValue } from '#standards/der/reader.ts'
import { explicit, sequence } from '#standards/der/writer.ts'
import { say } from '#standards/say/say.ts'
import { dnsNamesOf, jsonOf, ProviderError, tlsOf, type Asked, type Found, type ProviderPage } from './provider-page.ts'

const entriesAPage = 128
/** Each is one more question; a page that holds more ends before the next. */
const provedAPage = 32

const TreeHead = z.object({
  tree_size: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  timestamp: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  sha256_root_hash: z.base64().max(100),
  tree_head_signature: z.base64().max(2_000),
})
const Entries = z.object({
  entries: z.array(z.object({ leaf_input: z.base64(), extra_data: z.base64() })).max(10_000),
})

const Proof = z.object({ leaf_index: z.number().int().min(0), audit_path: z.array(z.base64().max(100)).max(64) })

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
  if (key === undefined) throw new ProviderError(say`The key of the log cannot be read`)
  if (asked.domains.length === 0) throw new ProviderError(say`Prove control of a domain first: a log is read for proved domains alone`)
  const head = await treeHead(house, asked, key)
  const { size } = head
  // A first reading begins at the log's present end where no number is named: the large logs hold billions.
  const from = asked.cursor !== '' ? Number(asked.cursor) : asked.scope !== '' ? Number(asked.scope) : size
  if (from > size)
    throw new ProviderError(say`The log says that it ends at ${size}, and was read to ${from} before: it has taken entries back`)
  const says = (to: number) => say`Read to ${to} of ${size}`
  if (from === size) return { found: [], refused: 0, next: String(from), done: true, says: says(from) }
  const end = Math.min(from + entriesAPage, size) - 1
  const answer = Entries.safeParse(await get(house, asked, `get-entries?start=${from}&end=${end}`))
  if (!answer.success || answer.data.entries.length === 0 || answer.data.entries.length > end - from + 1)
    throw new ProviderError(say`The answer of the log is no list of entries`)
  const read = answer.data.entries.map(({ leaf_input, extra_data }) =>
    readEntry(Buffer.from(leaf_input, 'base64'), Buffer.from(extra_data, 'base64')),
  )
  const found: Found[] = []
  let taken = read.length
  for (const [at, entry] of read.entries()) {
    if (entry === undefined || !isOfDomain(dnsNamesOf(entry.certificate), asked.domains)) continue
    if (found.length === provedAPage) {
      taken = at
      break
    }
    await proveEntry(house, asked, { head, index: from + at, leaf: entry.leaf })
    found.push({ place: `${from + at}${entry.isPre ? ' (precertificate)' : ''}`, certificate: entry.certificate.raw, chain: entry.chain })
  }
  const next = from + taken
  const refused = read.slice(0, taken).filter((entry) => entry === undefined).length
  return { found, refused, next: String(next), done: next >= size, says: says(next) }
}

async function send(house: House, asked: Asked, path: string) {
  const url = `${asked.url.replace(/\/+$/, '')}/ct/v1/${path}`
  const { tenant_id: tenantId, signal } = asked
  const answer = await house.outward.request({ use: 'cloud', url, tenantId, signal, ...tlsOf(asked) })
  if (answer.status === 429) throw new ProviderError(say`The log asks for more patience: the next reading goes on where this one ended`)
  return answer
}

async function get(house: House, asked: Asked, path: string): Promise<unknown> {
  const answer = await send(house, asked, path)
  if (answer.status !== 200) throw new ProviderError(say`The log answered with status ${answer.status}`)
  return jsonOf(answer)
}

type Head = { size: number; root: Uint8Array }

async function treeHead(house: House, asked: Asked, key: KeyObject): Promise<Head> {
  const head = TreeHead.safeParse(await get(house, asked, 'get-sth'))
  if (!head.success) throw new ProviderError(say`The answer of the log is no tree head`)
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
    throw new ProviderError(say`The tree head is not signed by the key of the log`)
  return { size: tree_size, root }
}

/** RFC 6962 2.1.1 and 4.5: without it whoever stands between, or the log itself, could show what nobody else is shown. */
async function proveEntry(house: House, asked: Asked, { head, index, leaf }: { head: Head; index: number; leaf: Uint8Array }) {
  const hash = leafHash(leaf)
  const query = new URLSearchParams({ hash: Buffer.from(hash).toString('base64'), tree_size: String(head.size) })
  const answer = await send(house, asked, `get-proof-by-hash?${query.toString()}`)
  const told = answer.status === 200 ? Proof.safeParse(jsonOf(answer)) : undefined
  const proof = told?.data?.audit_path.map((node) => Buffer.from(node, 'base64')) ?? []
  const isProved = told?.data?.leaf_index === index && verifyInclusion({ ...head, leafHash: hash, index, proof })
  if (!isProved) throw new ProviderError(say`The log does not prove that entry ${index} stands in it`)
}

type Entry = { certificate: X509Certificate; chain: Uint8Array[]; isPre: boolean; leaf: Uint8Array }

/** RFC 6962 3.4 and 4.6; undefined for what is no entry. The leaf alone stands in the tree: a precertificate beside it must be the one that the leaf speaks of. */
function readEntry(leaf: Buffer, extra: Buffer): Entry | undefined {
  try {
    if (leaf[0] !== 0 || leaf[1] !== 0) return undefined
    const kind = leaf.readUInt16BE(10)
    if (kind > 1) return undefined
    const own = kind === 0 ? opaque(leaf, 12) : opaque(extra, 0)
    if (kind === 1 && !opaque(leaf, 44).bytes.equals(withoutPoison(own.bytes))) return undefined
    const all = opaque(extra, kind === 0 ? 0 : own.next)
    const chain: Uint8Array[] = []
    for (let at = 0; at < all.bytes.length;) {
      const one = opaque(all.bytes, at)
      chain.push(one.bytes)
      at = one.next
    }
    return { certificate: new X509Certificate(own.bytes), chain, isPre: kind === 1, leaf }
  } catch {
    return undefined
  }
}

/** 1.3.6.1.4.1.11129.2.4.3 as it is encoded. */
const poison = Buffer.from('060a2b06010401d679020403', 'hex')

/** What is signed of a certificate, from its precertificate (RFC 6962 3.2). */
function withoutPoison(der: Uint8Array): Uint8Array {
  const fields = readDer(der).children[0]?.children ?? []
  return sequence(...fields.flatMap((field) => (isExtensions(field) ? extensionsLeft(field) : [field.encoded])))
}

const isExtensions = ({ tagClass, tagNumber }: DerValue): boolean => tagClass === 'context' && tagNumber === 3

function extensionsLeft(field: DerValue): Uint8Array[] {
  const [list] = field.children
  if (list?.tagNumber !== TAG.sequence) throw new RangeError('It has no list of extensions')
  const left = list.children.filter(({ children }) => !poison.equals(children[0]?.encoded ?? Buffer.alloc(0)))
  return left.length === 0 ? [] : [explicit(3, sequence(...left.map(({ encoded }) => encoded)))]
}

function opaque(bytes: Buffer, at: number): { bytes: Buffer; next: number } {
  const next = at + 3 + bytes.readUIntBE(at, 3)
  if (next > bytes.length) throw new RangeError('It ends too early')
  return { bytes: bytes.subarray(at + 3, next), next }
}

const isOfDomain = (names: readonly string[], domains: readonly string[]): boolean =>
  names.some((name) => domains.some((domain) => name === domain || name.endsWith(`.${domain}`)))
