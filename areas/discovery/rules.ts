// Decisions about scans and what they find, for the server and the console alike. Pure.

import { startTlsKinds, type StartTlsKind } from '#standards/start-tls/kinds.ts'

export const runStates = ['waiting', 'running', 'paused', 'stopping', 'done', 'cancelled', 'failed'] as const
export type RunState = (typeof runStates)[number]

export const reasons = ['expired', 'notYetValid', 'selfSigned', 'unknownIssuer', 'nameMismatch', 'weakKey', 'weakSignature'] as const
export type Reason = (typeof reasons)[number]

export const views = ['closeToExpiry', 'expired', 'untrusted', 'all', 'taken', 'ignored'] as const
export type View = (typeof views)[number]

export const defaultPorts = [443, 8443, 636, 993, 995, 6443, 25, 587, 143, 389, 5432] as const
/** Where TLS begins after a few words in the clear, unless a scan says otherwise. */
const startTlsPorts: Readonly<Record<number, StartTlsKind>> = {
  21: 'ftp',
  25: 'smtp',
  110: 'pop3',
  143: 'imap',
  389: 'ldap',
  587: 'smtp',
  3306: 'mysql',
  5222: 'xmpp',
  5269: 'xmpp',
  5432: 'postgresql',
}
export const portProtocols = ['tls', ...startTlsKinds] as const
export type PortProtocol = { port: number; protocol: (typeof portProtocols)[number] }
/** By what words TLS begins at a port; undefined where it begins at once. */
export function startTlsAt(port: number, told: readonly PortProtocol[]): StartTlsKind | undefined {
  const protocol = told.find((one) => one.port === port)?.protocol ?? startTlsPorts[port]
  return protocol === 'tls' ? undefined : protocol
}
export const startTlsWords: Readonly<Record<StartTlsKind, string>> = {
  smtp: 'SMTP',
  imap: 'IMAP',
  pop3: 'POP3',
  ftp: 'FTP',
  ldap: 'LDAP',
  xmpp: 'XMPP',
  postgresql: 'PostgreSQL',
  mysql: 'MySQL',
}
/** By what words it began where it was seen, from how that stands with the finding (`SMTP, TLSv1.3`). */
export const startTlsOf = (protocol: string): StartTlsKind | undefined =>
  startTlsKinds.find((kind) => protocol.startsWith(`${startTlsWords[kind]}, `))
export const mostPorts = 16
export const mostAddresses = 65_536
/** So much is probed between two commits: a dead server repeats at most that. */
export const chunkSize = 256
const partSeconds = 2
/** A slow scan commits smaller parts, so that whoever looks sees it advance. */
export const partSize = (rate: number, names: number): number =>
  Math.max(1, Math.min(chunkSize, Math.floor((rate * partSeconds) / Math.max(1, names))))
export const soonDays = 30
/** A network that a tenancy may scan is no wider than this. */
export const shortestPrefix = { 4: 8, 6: 112 } as const

export const isRunning = (state: RunState): boolean => ['waiting', 'running', 'paused', 'stopping'].includes(state)

/** Minutes of the day in UTC, from `from` to `to`; over midnight where it ends before it begins. */
export function isQuiet(minute: number, from: number | undefined, to: number | undefined): boolean {
  if (from === undefined || to === undefined || from === to) return false
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}

/** Whether a certificate with these names stands for a host; a star covers one label (RFC 6125 6.4.3). */
export function coversName(patterns: readonly string[], name: string): boolean {
  const asked = name.toLowerCase()
  return patterns.some((pattern) => {
    const plain = pattern.toLowerCase()
    if (!plain.startsWith('*.')) return plain === asked
    return asked.endsWith(plain.slice(1)) && !asked.slice(0, -plain.length + 1).includes('.')
  })
}

export const providerKinds = ['kubernetes', 'directory', 'aws', 'azure', 'ct'] as const
export type ProviderKind = (typeof providerKinds)[number]
export const providerStates = ['new', 'waiting', 'running', 'paused', 'stopping', 'done', 'cancelled', 'failed'] as const
export type ProviderState = (typeof providerStates)[number]
export const isReading = (state: ProviderState): boolean => state === 'waiting' || state === 'running' || state === 'stopping'
/** Being read, or between two pages for as long as somebody wants. */
export const isOpen = (state: ProviderState): boolean => isReading(state) || state === 'paused'
/** So many pages are read in one reading: some hundred thousand entries, and a log for as long as its next reading is away. */
export const mostPages: Readonly<Record<ProviderKind, number>> = {
  kubernetes: 5_000,
  directory: 5_000,
  aws: 5_000,
  azure: 5_000,
  ct: 50_000,
}
/** A provider reads so many pages before the others have their turn. */
export const pagesATurn = 4
export const mostFiles = 200
export const mostFileText = 2_000_000
