// The settings, read from the environment once at start. Each is checked; a bad one stops the start with a sentence, all bad ones at once.

import { isIP } from 'node:net'
import { basename, isAbsolute, resolve } from 'node:path'

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
  tls: { certificateFile: string; keyFile: string } | undefined
  trustedProxies: readonly string[]
  logLevel: LogLevel
  /** The PKCS#11 modules that may be loaded, by their paths; each has a file name of its own. */
  pkcs11Modules: readonly string[]
  /** Lets who sends it read /metrics from another machine. */
  metricsToken: string | undefined
  /** So many answer at the port; where it is more than one, another does what stands behind them. */
  processes: number
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
    tls,
    trustedProxies,
    logLevel,
    pkcs11Modules,
    metricsToken,
    processes,
  }
}

/** An address as it may be shown: what stands before its `@` is a password. */
const withoutSecret = (text: string) => text.replace(/\/\/[^/]*@/, '//…@')

const parsePort = (text: string) => {
  const port = /^\d+$/.test(text) ? Number(text) : 0
  return Number.isInteger(port) && port >= 1 && port <= 65535 ? port : undefined
}

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

function parseModules(text: string): string[] | undefined {
  const paths = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return paths.every((path) => isAbsolute(path)) && new Set(paths.map((path) => basename(path))).size === paths.length ? paths : undefined
}

function parseAddresses(text: string): string[] | undefined {
  const addresses = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return addresses.every((address) => isIP(address) !== 0) ? addresses : undefined
}
