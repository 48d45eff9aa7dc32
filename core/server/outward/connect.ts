// Connects to a checked address. A name is resolved once, every address of it is judged, and the socket goes to one of those that were judged, so that a name
// which changes between the two leads nowhere. The name stays what TLS and HTTP ask for.

import { createHash } from 'node:crypto'
import { connect as connectSocket, type LookupFunction, type Socket } from 'node:net'
import {
  checkServerIdentity,
  connect as connectTls,
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import { domainToASCII } from 'node:url'
import { isOpen, readAddress, readNetworks, type Address, type Reach } from './addresses.ts'
import { openNames, type Names } from './names.ts'
import { OutwardError, outwardError } from './refusal.ts'
import { policyOf, type Use } from './uses.ts'

export type Target = {
  use: Use
  host: string
  port: number
  /** Of a use that reaches named networks only: those that somebody has allowed. */
  networks?: readonly string[] | undefined
  /** Asks these name servers instead of the installation's, `address` or `address:port`. They are judged as any other target is. */
  servers?: readonly string[] | undefined
}

/** Whose certificates count: those of public roots and of the installation, those of given roots (PEM), a certificate by its SHA-256 (hex), or all. */
export type Trust = 'public' | { roots: readonly string[] } | { pins: readonly string[] } | 'any'

export type TlsChoice = {
  trust?: Trust | undefined
  /** The client's own certificate, PEM. */
  identity?: { certificate: string; key: string } | undefined
  applicationProtocols?: readonly string[] | undefined
  /** The name that is asked for, where it is not that of the host: an address is proven under its reverse name (RFC 8738 6). */
  serverName?: string | undefined
}

export type Ground = {
  names: Names
  reach(): Reach
  /** Ranges of ports that the installation has added. */
  ports: readonly (readonly [from: number, to: number])[]
  /** Roots of the installation, PEM. */
  roots: readonly string[]
}

/** Brings a host to the form that is resolved, judged and shown. Undefined where it is none. */
export function canonicalHost(host: string): string | undefined {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
  const address = readAddress(bare)
  if (address !== undefined) return address.text
  const name = /[\s\\/@#?:%]/.test(bare) ? '' : domainToASCII(bare).replace(/\.$/, '')
  return name === '' ? undefined : (readAddress(name)?.text ?? name)
}

/** Resolves and judges. Throws unless every address of the host is open. */
export async function judgedAddresses(
  { use, host, port, networks, servers }: Target,
  ground: Ground,
  signal: AbortSignal,
): Promise<{ host: string; addresses: Address[] }> {
  const policy = policyOf(use)
  const { ports } = policy
  const added = ground.ports.some(([from, to]) => port >= from && port <= to)
  if (!Number.isInteger(port) || port < 1 || port > 65_535 || (ports !== 'any' && !ports.includes(port) && !added))
    throw new OutwardError('port', { port, ports: ports === 'any' ? 'a port from 1 to 65535' : ports.join(', ') })
  const name = canonicalHost(host)
  if (name === undefined) throw new OutwardError('name', { host })
  const literal = readAddress(name)
  const names = literal === undefined && servers !== undefined ? await namesFrom(servers, ground, signal) : ground.names
  const addresses = literal === undefined ? await names.addresses(name, signal) : [literal]
  const named = policy.reaches === 'named' ? readNetworks(networks ?? []) : undefined
  if (policy.reaches === 'named' && named === undefined) throw new OutwardError('address')
  const reach = ground.reach()
  if (!addresses.every((address) => isOpen({ address, port, networks: named }, reach))) throw new OutwardError('address')
  return { host: name, addresses }
}

/** Opens the name servers that somebody else than the installation chose, once each of them is judged. */
export async function namesFrom(servers: readonly string[], ground: Ground, signal: AbortSignal): Promise<Names> {
  for (const server of servers) await judgedAddresses({ use: 'nameServer', ...readServer(server) }, ground, signal)
  return openNames(servers)
}

function readServer(server: string): { host: string; port: number } {
  if (readAddress(server) !== undefined) return { host: server, port: 53 }
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([\d.]+)):(\d+)$/.exec(server) ?? []
  const host = bracketed ?? plain ?? ''
  // A name server is told by its address: to find it by name, another one would have to be asked.
  if (readAddress(host) === undefined) throw new OutwardError('name', { host: server })
  return { host, port: Number(port) }
}

/** Opens a socket to one of the judged addresses, whichever answers first. */
export async function openSocket(target: Target, ground: Ground, signal: AbortSignal): Promise<Socket> {
  const { host, addresses } = await judgedAddresses(target, ground, signal)
  // Node asks here for the addresses of the name and gets those that were judged.
  const lookup: LookupFunction = (_name, options, answer) => {
    const [first] = addresses
    if (first === undefined) return answer(new Error('No address'), '', 4)
    if (options.all)
      return answer(
        null,
        addresses.map(({ text, family }) => ({ address: text, family })),
      )
    return answer(null, first.text, first.family)
  }
  const socket = connectSocket({
    host,
    port: target.port,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 500,
    noDelay: true,
  })
  endQuietly(socket)
  await settled(socket, 'connect', signal)
  const reached = readAddress(socket.remoteAddress ?? '')?.text
  if (addresses.some(({ text }) => text === reached)) return socket
  socket.destroy()
  throw new OutwardError('address')
}

/** Speaks TLS over an open socket, under the name that was asked for. */
export async function openTls(
  socket: Socket,
  { use, host }: Pick<Target, 'use' | 'host'>,
  { trust = 'public', identity, applicationProtocols, serverName }: TlsChoice,
  ground: Ground,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const name = canonicalHost(host) ?? ''
  const pins = typeof trust === 'object' && 'pins' in trust ? trust.pins : undefined
  if (trust === 'any' && policyOf(use).certificates !== 'any') throw new TypeError(`A ${use} may not leave certificates unchecked`)
  const secured = connectTls({
    socket,
    ...(serverName !== undefined ? { servername: serverName } : readAddress(name) === undefined ? { servername: name } : {}),
    secureContext: contextFor(typeof trust === 'object' && 'roots' in trust ? trust.roots : undefined, identity, ground.roots),
    rejectUnauthorized: trust !== 'any' && pins === undefined,
    checkServerIdentity: (_name, certificate) => checkServerIdentity(name, certificate),
    ...(applicationProtocols === undefined ? {} : { ALPNProtocols: [...applicationProtocols] }),
  })
  endQuietly(secured)
  await settled(secured, 'secureConnect', signal)
  if (pins === undefined || pins.includes(fingerprintOf(secured))) return secured
  secured.destroy()
  throw new OutwardError('certificate', { host, why: 'it is not the one that was pinned' })
}

const fingerprintOf = (socket: TLSSocket): string =>
  createHash('sha256')
    .update(socket.getPeerX509Certificate()?.raw ?? '')
    .digest('hex')

/** Reading a hundred and fifty roots takes milliseconds: those of the installation are read once. */
const publicContexts = new WeakMap<readonly string[], SecureContext>()

function contextFor(roots: readonly string[] | undefined, identity: TlsChoice['identity'], own: readonly string[]): SecureContext {
  const shared = roots === undefined && identity === undefined ? publicContexts.get(own) : undefined
  const context =
    shared ??
    createSecureContext({
      ca: [...(roots ?? [...rootCertificates, ...own])],
      minVersion: 'TLSv1.2',
      ...(identity === undefined ? {} : { cert: identity.certificate, key: identity.key }),
    })
  if (roots === undefined && identity === undefined) publicContexts.set(own, context)
  return context
}

/** Keeps an error that comes when nobody listens any more from ending the process. */
const endQuietly = (socket: Socket): void => void socket.on('error', () => {})

/** Waits for the event; an error or the signal ends the socket. */
function settled(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (error: unknown) => {
      clear()
      socket.destroy()
      reject(error)
    }
    const done = () => {
      clear()
      resolve()
    }
    const onAbort = () => end(signal.reason)
    const onClose = () => end(new Error('The connection was closed'))
    const clear = () => {
      socket.off(event, done)
      socket.off('error', end)
      socket.off('close', onClose)
      signal.removeEventListener('abort', onAbort)
    }
    socket.once(event, done)
    socket.once('error', end)
    socket.once('close', onClose)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
}

export type Connecting = Target & {
  /** Speaks TLS from the first byte. */
  tls?: TlsChoice | undefined
  milliseconds?: number | undefined
  signal?: AbortSignal | undefined
}

/** Connects, and closes the connection when the time is over or the caller's signal says so. */
export async function connectOut(connecting: Connecting, ground: Ground): Promise<Socket | TLSSocket> {
  const milliseconds = Math.min(connecting.milliseconds ?? Number.POSITIVE_INFINITY, policyOf(connecting.use).milliseconds)
  const signal = withTime(milliseconds, connecting.signal)
  try {
    const socket = await openSocket(connecting, ground, signal)
    const ready = connecting.tls === undefined ? socket : await openTls(socket, connecting, connecting.tls, ground, signal)
    const end = () => ready.destroy(outwardError(undefined, connecting.host, { signal, seconds: milliseconds / 1000 }))
    signal.addEventListener('abort', end, { once: true })
    ready.once('close', () => signal.removeEventListener('abort', end))
    return ready
  } catch (error) {
    throw error instanceof TypeError ? error : outwardError(error, connecting.host, { signal, seconds: milliseconds / 1000 })
  }
}

export const withTime = (milliseconds: number, signal: AbortSignal | undefined): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(milliseconds), ...(signal === undefined ? [] : [signal])])
