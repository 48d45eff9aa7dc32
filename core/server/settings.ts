// The settings, read from the environment once at start. Each is checked; a bad one stops the start with a sentence, all bad ones at once.

import { isIP } from 'node:net'
import { basename, isAbsolute, resolve } from 'node:path'
import { readNetworks } from './outward/addresses.ts'

export type Settings = {
  port: number
  host: string
  /** Where people reach the console, without a slash at the end. */
  origin: string
  /** Where relying parties fetch CRLs and ask OCSP; plain http, written into what is issued. */
  pkiUrl: string
  dataDirectory: string
  databaseUrl: string | undefined
  keyFile: string | undefined
  smtpUrl: string | undefined
  /** The address that mail comes from. */
  mailFrom: string
  /** Where the organisation's mail server hands over answers to letters, by LMTP; nothing listens without it. */
  mailInPort: number | undefined
  tls: { certificateFile: string; keyFile: string } | undefined
  trustedProxies: readonly string[]
  logLevel: LogLevel
  /** The PKCS#11 modules that may be loaded, by their paths; each has a file name of its own. */
  pkcs11Modules: readonly string[]
  /** `smbclient` of Samba, by which files of Windows domains are read; nothing is read without it. */
  smbclient: string | undefined
  /** Lets who sends it read /metrics from another machine. */
  metricsToken: string | undefined
  /** So many answer at the port; where it is more than one, another does what stands behind them. */
  processes: number
  /** Where security clients call; 0 takes any free one. */
  agentPort: number
  /** What the server may connect to for the tenancies. */
  outward: OutwardSettings
  /** Where browsers show client certificates; undefined where nobody signs in by one. */
  certificateSignIn: CertificateSignInSettings | undefined
}

export type CertificateSignInSettings = {
  /** Where browsers reach it, without a slash at the end. */
  url: string
  /** Of a listener of our own, which asks for the certificate in TLS. */
  port: number | undefined
  /** In which a trusted proxy passes the certificate on; believed from its address alone. */
  header: string | undefined
  /** Of the listener, where it is another than the server's. */
  tls: { certificateFile: string; keyFile: string } | undefined
}

export type OutwardSettings = {
  /** Networks that are open though they are not public. */
  allow: readonly string[]
  /** Networks that are closed though they are public. */
  deny: readonly string[]
  /** Ports that are open beside those of each use. */
  ports: readonly (readonly [from: number, to: number])[]
  /** Instead of the system's. */
  nameServers: readonly string[]
  /** Roots that count beside the public ones, PEM. */
  rootsFile: string | undefined
}

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

export class SettingsError extends Error {
  override name = 'SettingsError'
}

type Environment = Record<string, string | undefined>

/** Reads and checks the settings. Throws a SettingsError whose message has one line for each setting that is wrong. */
export function readSettings(environment: Environment): Settings {
  const wrong: string[] = []
  const read = <T>(name: string, fallback: string | undefined, parse: (text: string) => T | undefined, shouldBe: string): T | undefined => {
    const text = environment[name]?.trim() || fallback
    if (text === undefined) return undefined
    const value = parse(text)
    if (value === undefined) wrong.push(`${name} is "${withoutSecret(text)}" and should be ${shouldBe}.`)
    return value
  }
  const file = (name: string) => read(name, undefined, (text) => resolve(text), 'a path')

  const port = read('CHANCERY_PORT', '8080', parsePort, 'a port from 1 to 65535') ?? 8080
  const host =
    read(
      'CHANCERY_HOST',
      '127.0.0.1',
      (text) => (/^[a-zA-Z0-9.:_-]+$/.test(text) ? text : undefined),
      'a host name or an address to listen on',
    ) ?? ''
  const certificateFile = file('CHANCERY_TLS_CERT')
  const keyFile = file('CHANCERY_TLS_KEY')
  if ((certificateFile === undefined) !== (keyFile === undefined))
    wrong.push('CHANCERY_TLS_CERT and CHANCERY_TLS_KEY go together: set both or neither.')
  const tls = certificateFile !== undefined && keyFile !== undefined ? { certificateFile, keyFile } : undefined
  const ownOrigin = `${tls ? 'https' : 'http'}://localhost:${port}`
  const origin =
    read(
      'CHANCERY_ORIGIN',
      ownOrigin,
      (text) => parseOrigin(text, ['http:', 'https:']),
      'an address such as https://pki.example.org, without a path',
    ) ?? ownOrigin
  if (tls !== undefined && !environment['CHANCERY_PKI_URL']?.trim())
    wrong.push(
      'CHANCERY_PKI_URL is needed beside CHANCERY_TLS_CERT: CRLs and OCSP are fetched over plain http, which this port does not speak then. Name the address of a plain http proxy in front of it, such as http://pki.example.org.',
    )
  const pkiUrl =
    read(
      'CHANCERY_PKI_URL',
      origin.replace(/^https:/, 'http:'),
      (text) => parseOrigin(text, ['http:']),
      'a plain http address such as http://pki.example.org, without a path',
    ) ?? origin
  const databaseUrl = read(
    'DATABASE_URL',
    undefined,
    (text) => (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? text : undefined),
    'an address such as postgres://user:password@host:5432/chancery',
  )
  const smtpUrl = read(
    'CHANCERY_SMTP_URL',
    undefined,
    (text) => (/^smtps?:\/\//.test(text) && URL.canParse(text) ? text : undefined),
    'an address such as smtp://user:password@mail.example.org:587',
  )
  const mailFrom =
    read(
      'CHANCERY_MAIL_FROM',
      undefined,
      (text) => (/^[^\s@<>"]+@[^\s@<>"]+$/.test(text) ? text : undefined),
      'an address such as pki@example.org',
    ) ?? `no-reply@${new URL(origin).hostname}`
  const mailInPort = read('CHANCERY_MAIL_IN_PORT', undefined, parseAgentPort, 'a port from 1 to 65535, or 0 for any free one')
  const trustedProxies = read('CHANCERY_TRUST_PROXY', '', parseAddresses, 'a list of proxy addresses, separated by commas') ?? []
  const logLevel =
    read('CHANCERY_LOG', 'info', (text) => logLevels.find((level) => level === text), `one of ${logLevels.join(', ')}`) ?? 'info'
  const metricsToken = environment['CHANCERY_METRICS_TOKEN']?.trim() || undefined
  if (metricsToken !== undefined && !/^[\w.~+/-]{16,200}$/.test(metricsToken))
    wrong.push('CHANCERY_METRICS_TOKEN should be 16 to 200 letters, digits and . ~ + / - _.')
  const pkcs11Modules =
    read(
      'CHANCERY_PKCS11_MODULES',
      '',
      parseModules,
      'a list of paths from the root, separated by commas, no two with the same file name, such as /usr/lib/softhsm/libsofthsm2.so',
    ) ?? []
  const processes = read('CHANCERY_PROCESSES', '1', parseProcesses, `a number from 1 to ${mostProcesses}`) ?? 1
  const agentPort =
    read(
      'CHANCERY_AGENT_PORT',
      String(port < 65_535 ? port + 1 : port - 1),
      parseAgentPort,
      'a port from 1 to 65535, or 0 for any free one',
    ) ?? 0
  const networks = (name: string) =>
    read(name, '', parseNetworks, 'a list of networks such as 10.0.0.0/8, fd00:1::/32, separated by commas') ?? []
  const outward = {
    allow: networks('CHANCERY_OUTWARD_ALLOW'),
    deny: networks('CHANCERY_OUTWARD_DENY'),
    ports: read('CHANCERY_OUTWARD_PORTS', '', parsePorts, 'a list of ports and ranges such as 8904, 9000-9010, separated by commas') ?? [],
    nameServers:
      read('CHANCERY_NAME_SERVERS', '', parseServers, 'a list of addresses such as 192.0.2.53 or 192.0.2.53:5353, separated by commas') ??
      [],
    rootsFile: file('CHANCERY_OUTWARD_ROOTS'),
  }
  const signInPort = read('CHANCERY_CERT_SIGN_IN_PORT', undefined, parsePort, 'a port from 1 to 65535')
  const signInHeader = read(
    'CHANCERY_CERT_SIGN_IN_HEADER',
    undefined,
    (text) => (/^[A-Za-z0-9-]{3,60}$/.test(text) ? text.toLowerCase() : undefined),
    'the name of a header such as X-SSL-Client-Cert',
  )
  const signInUrl = read(
    'CHANCERY_CERT_SIGN_IN_URL',
    signInPort === undefined ? undefined : `https://${new URL(origin).hostname}:${signInPort}`,
    (text) => parseOrigin(text, ['https:']),
    'an address such as https://cert.pki.example.org, without a path',
  )
  const [signInCertificate, signInKey] = [file('CHANCERY_CERT_SIGN_IN_TLS_CERT'), file('CHANCERY_CERT_SIGN_IN_TLS_KEY')]
  if ((signInCertificate === undefined) !== (signInKey === undefined))
    wrong.push('CHANCERY_CERT_SIGN_IN_TLS_CERT and CHANCERY_CERT_SIGN_IN_TLS_KEY go together: set both or neither.')
  const signInTls =
    signInCertificate !== undefined && signInKey !== undefined ? { certificateFile: signInCertificate, keyFile: signInKey } : tls
  if (signInPort !== undefined && signInTls === undefined)
    wrong.push(
      'CHANCERY_CERT_SIGN_IN_PORT needs CHANCERY_CERT_SIGN_IN_TLS_CERT and _KEY, or CHANCERY_TLS_CERT and _KEY: browsers show certificates over TLS alone.',
    )
  if (signInHeader !== undefined && (signInUrl === undefined || trustedProxies.length === 0))
    wrong.push('CHANCERY_CERT_SIGN_IN_HEADER needs CHANCERY_CERT_SIGN_IN_URL, the address of the proxy, and CHANCERY_TRUST_PROXY.')
  if (signInUrl !== undefined && signInPort === undefined && signInHeader === undefined)
    wrong.push('CHANCERY_CERT_SIGN_IN_URL needs CHANCERY_CERT_SIGN_IN_PORT or CHANCERY_CERT_SIGN_IN_HEADER.')
  const certificateSignIn = signInUrl === undefined ? undefined : { url: signInUrl, port: signInPort, header: signInHeader, tls: signInTls }
  const dataDirectory = resolve(environment['CHANCERY_DATA']?.trim() || './data')

  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'))
  return {
    port,
    host,
    origin,
    pkiUrl,
    dataDirectory,
    databaseUrl,
    keyFile: file('CHANCERY_KEY_FILE'),
    smtpUrl,
    mailFrom,
    mailInPort,
    tls,
    trustedProxies,
    logLevel,
    pkcs11Modules,
    smbclient: file('CHANCERY_SMBCLIENT'),
    metricsToken,
    processes,
    agentPort,
    outward,
    certificateSignIn,
  }
}

/** An address as it may be shown: what stands before its `@` is a password. */
const withoutSecret = (text: string) => text.replace(/\/\/[^/]*@/, '//…@')

const parsePort = (text: string) => {
  const port = /^\d+$/.test(text) ? Number(text) : 0
  return Number.isInteger(port) && port >= 1 && port <= 65535 ? port : undefined
}

const parseAgentPort = (text: string) => (text === '0' ? 0 : parsePort(text))

/** The embedded database has connections for so many. */
const mostProcesses = 12

const parseProcesses = (text: string) => {
  const count = /^\d+$/.test(text) ? Number(text) : 0
  return count >= 1 && count <= mostProcesses ? count : undefined
}

function parseOrigin(text: string, protocols: readonly string[]): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const bare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  return bare && protocols.includes(url.protocol) ? url.origin : undefined
}

const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

function parseModules(text: string): string[] | undefined {
  const paths = partsOf(text)
  return paths.every((path) => isAbsolute(path)) && new Set(paths.map((path) => basename(path))).size === paths.length ? paths : undefined
}

function parseAddresses(text: string): string[] | undefined {
  const addresses = partsOf(text)
  return addresses.every((address) => isIP(address) !== 0) ? addresses : undefined
}

function parseNetworks(text: string): string[] | undefined {
  const networks = partsOf(text)
  return readNetworks(networks) === undefined ? undefined : networks
}

function parsePorts(text: string): [number, number][] | undefined {
  const ranges = partsOf(text).map((part): [number, number] => {
    const [from = '', to = from, ...more] = part.split('-').map((port) => port.trim())
    return more.length > 0 ? [0, 0] : [parsePort(from) ?? 0, parsePort(to) ?? 0]
  })
  return ranges.every(([from, to]) => from >= 1 && from <= to) ? ranges : undefined
}

function parseServers(text: string): string[] | undefined {
  const servers = partsOf(text)
  const isServer = (server: string) => {
    const [, bracketed, plain, port = '53'] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d+))?$/.exec(server) ?? []
    return isIP(server) !== 0 || (isIP(bracketed ?? plain ?? '') !== 0 && parsePort(port) !== undefined)
  }
  return servers.every(isServer) ? servers : undefined
}
