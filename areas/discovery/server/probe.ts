// One probe: a TLS handshake through the house's one way out, after the words by which a protocol begins it. The server's certificate is read and judged; nothing else is sent.

import { createHash, X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import type { StartTlsKind } from '#standards/start-tls/kinds.ts'
import { dialogueOf } from '#standards/start-tls/start-tls.ts'
import { coversName, startTlsWords, type Reason } from '../rules.ts'
import type { Seen } from './finding-store.ts'
import { askForTls, NoTls } from './start-tls.ts'

const connectMilliseconds = 3_000
const mostChain = 20
const mostNames = 100

/** `refused`: our own rules closed the way. */
export type Outcome = { seen: Seen } | 'silent' | 'refused'

export type Probing = {
  house: House
  tenantId: string
  /** What the tenancy has been allowed to scan. */
  networks: readonly string[]
  /** Certificates of the tenancy's own authorities and roots, DER. */
  trusted: readonly Uint8Array[]
  signal?: AbortSignal
}

export async function probe(
  { house, tenantId, networks, trusted, signal }: Probing,
  { address, port, serverName, startTls }: { address: string; port: number; serverName: string; startTls?: StartTlsKind | undefined },
): Promise<Outcome> {
  try {
    const tls = { trust: 'any' as const, ...(serverName === '' ? {} : { serverName }) }
    const at = { use: 'scan' as const, tenantId, host: address, port, networks, milliseconds: connectMilliseconds }
    const way = { ...at, ...(signal === undefined ? {} : { signal }) }
    const socket =
      startTls === undefined
        ? await house.outward.connect({ ...way, tls })
        : await secured(house, await house.outward.connect(way), { address, port, serverName, startTls, tls, signal })
    try {
      const leaf = 'getPeerX509Certificate' in socket ? socket.getPeerX509Certificate() : undefined
      if (leaf === undefined || !('getProtocol' in socket)) return 'silent'
      const protocol = `${startTls === undefined ? '' : `${startTlsWords[startTls]}, `}${socket.getProtocol() ?? ''}`
      const seen = readSeen(leaf, { address, port, serverName, protocol, trusted, now: house.now() })
      return seen === undefined ? 'silent' : { seen }
    } finally {
      socket.destroy()
    }
  } catch (error) {
    if (error instanceof NoTls) return 'silent'
    if (error instanceof OutwardError) return error.reason === 'address' || error.reason === 'port' ? 'refused' : 'silent'
    throw error
  }
}

type Securing = {
  address: string
  port: number
  serverName: string
  startTls: StartTlsKind
  tls: { trust: 'any'; serverName?: string }
  signal: AbortSignal | undefined
}

/** Goes on encrypted on an open connection; a stop closes it in the middle of the words, too. */
async function secured(house: House, socket: Socket, { address, port, serverName, startTls, tls, signal }: Securing) {
  const close = () => void socket.destroy()
  signal?.addEventListener('abort', close, { once: true })
  try {
    await askForTls(socket, dialogueOf(startTls, { name: serverName === '' ? address : serverName, port }), connectMilliseconds)
    return await house.outward.secure({ use: 'scan', host: address, socket, tls })
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    signal?.removeEventListener('abort', close)
  }
}

type Place = {
  address: string | null
  port: number
  serverName: string
  protocol: string
  trusted: readonly Uint8Array[]
  /** What stood beside the certificate where it did not come by a handshake. */
  chain?: readonly X509Certificate[]
  provider?: Seen['provider']
  providerId?: string
  place?: string
  now: Date
}

/** Text of a stranger: without what would turn or end a line. */
export const plain = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}')
    .slice(0, 500)
    .toWellFormed()

/** What a provider calls a place. One that is too long ends with a hash of all of it, because another may begin alike. */
export const placeLine = (place: string): string =>
  place.length <= 500 ? plain(place) : `${plain(place.slice(0, 430))}... ${createHash('sha256').update(place).digest('hex')}`

/** The name in a certificate as findings show it. */
export const nameLine = (name: string): string => plain(name.split('\n').toReversed().join(', '))

const hasYear = (date: Date): boolean => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999

/** Answers undefined for a certificate that cannot be read or stored, so that one hostile server does not stop the run. */
export function readSeen(leaf: X509Certificate, place: Place): Seen | undefined {
  try {
    // What is no time is "Bad time value" as text, and any moment at all as a date.
    if (![leaf.validFrom, leaf.validTo].every((text) => Number.isFinite(Date.parse(text)))) return undefined
    const seen = describe(leaf, place)
    return hasYear(seen.not_before) && hasYear(seen.not_after) ? seen : undefined
  } catch {
    return undefined
  }
}

function describe(leaf: X509Certificate, { address, port, serverName, protocol, trusted, chain = [], now, ...of }: Place): Seen {
  const place = plain(of.place ?? '')
  const names = (leaf.subjectAltName ?? '')
    .split(', ')
    .flatMap((one) => /^(?:DNS|IP Address):(.+)$/.exec(one)?.[1] ?? [])
    .map(plain)
    .slice(0, mostNames)
  const key = leaf.publicKey
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {}
  const subject = nameLine(leaf.subject ?? '')
  return {
    address,
    port,
    server_name: serverName,
    fingerprint: createHash('sha256').update(leaf.raw).digest('hex'),
    certificate: Buffer.from(leaf.raw),
    subject: subject === '' ? (names[0] ?? (address === null ? place : `${address}:${port}`)) : subject,
    issuer: nameLine(leaf.issuer ?? ''),
    names,
    not_before: leaf.validFromDate,
    not_after: leaf.validToDate,
    protocol,
    key_type: `${(key.asymmetricKeyType ?? '').toUpperCase()} ${modulusLength ?? namedCurve ?? ''}`.trim(),
    reasons: judge(leaf, { names, serverName, trusted, chain, now }),
    provider: of.provider ?? 'network',
    provider_id: of.providerId ?? '',
    place,
  }
}

type Judging = {
  names: readonly string[]
  serverName: string
  trusted: readonly Uint8Array[]
  chain?: readonly X509Certificate[]
  now: Date
}

/** Each thing that is wrong with a certificate where it was seen. */
export function judge(leaf: X509Certificate, { names, serverName, trusted, chain = [], now }: Judging): Reason[] {
  const found: Reason[] = []
  if (leaf.validToDate < now) found.push('expired')
  if (leaf.validFromDate > now) found.push('notYetValid')
  if (leaf.checkIssued(leaf) && leaf.verify(leaf.publicKey)) found.push('selfSigned')
  else if (!isTrusted(leaf, trusted, chain)) found.push('unknownIssuer')
  if (serverName !== '' && !coversName(names, serverName)) found.push('nameMismatch')
  const { modulusLength } = leaf.publicKey.asymmetricKeyDetails ?? {}
  if (modulusLength !== undefined && modulusLength < 2_048) found.push('weakKey')
  if (/md5|sha1(?!\d)/i.test(leaf.signatureAlgorithm ?? '')) found.push('weakSignature')
  return found
}

/** Public roots by their subject, read once because there are a hundred and fifty of them. */
let publicRoots: ReadonlyMap<string, readonly X509Certificate[]> | undefined

function rootsOf(subject: string): readonly X509Certificate[] {
  publicRoots ??= Map.groupBy(
    rootCertificates.map((pem) => new X509Certificate(pem)),
    (root) => root.subject ?? '',
  )
  return publicRoots.get(subject) ?? []
}

/** From the leaf upwards through what the server sent and what we trust, until a trusted one has signed. */
function isTrusted(leaf: X509Certificate, trusted: readonly Uint8Array[], chain: readonly X509Certificate[]): boolean {
  const own = trusted.map((der) => new X509Certificate(der))
  let current: X509Certificate | undefined = leaf
  for (let steps = 0; current !== undefined && steps < mostChain; steps += 1) {
    const below: X509Certificate = current
    const signs = (issuer: X509Certificate) => below.checkIssued(issuer) && below.verify(issuer.publicKey)
    if ([...own, ...rootsOf(below.issuer ?? '')].some(signs)) return true
    const next: X509Certificate | undefined = below.issuerCertificate ?? chain.find(signs)
    current = next !== undefined && next.fingerprint256 !== below.fingerprint256 && signs(next) ? next : undefined
  }
  return false
}
