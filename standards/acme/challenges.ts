// What a challenge asks for and what answers it (RFC 8555 8, RFC 8737, RFC 8738, and the drafts of dns-account-01 and dns-persist-01). Pure: who asks the
// network hands in what it found.

import { createHash, randomBytes } from 'node:crypto'
import { encodeBase32 } from '../base32/base32.ts'
import { parseCertificate } from '../x509/certificate.ts'
import { readIssueValue } from './caa.ts'
import type { ChallengeType } from './challenge-types.ts'
import type { Identifier } from './identifiers.ts'
import { problemOf, type Problem } from './problem.ts'

/** RFC 8555 8.1: at least 128 bits of chance. */
export const makeToken = (): string => randomBytes(32).toString('base64url')

export const keyAuthorization = (token: string, thumbprint: string): string => `${token}.${thumbprint}`
export const httpPath = (token: string): string => `/.well-known/acme-challenge/${token}`
export const dnsRecordName = (name: string): string => `_acme-challenge.${name}`
export const dnsRecordValue = (authorization: string): string => createHash('sha256').update(authorization).digest('base64url')

/** draft-ietf-acme-dns-account-label: a label of one's own for each account, so that two of them prove one name side by side. */
export function dnsAccountRecordName(accountUrl: string, name: string): string {
  const digest = createHash('sha256').update(accountUrl).digest().subarray(0, 10)
  return `_${encodeBase32(digest).toLowerCase()}._acme-challenge.${name}`
}

export const persistRecordName = (name: string): string => `_validation-persist.${name}`

/** The challenges that can prove an identifier. A wildcard is proven in the DNS, an address never (RFC 8738 7). */
export function challengesFor({ type }: Identifier, wildcard: boolean, offered: readonly ChallengeType[]): ChallengeType[] {
  const fit: readonly ChallengeType[] =
    type === 'permanent-identifier'
      ? ['device-attest-01']
      : type === 'ip'
        ? ['http-01', 'tls-alpn-01']
        : wildcard
          ? ['dns-01', 'dns-account-01', 'dns-persist-01']
          : ['http-01', 'dns-01', 'tls-alpn-01', 'dns-account-01', 'dns-persist-01']
  return fit.filter((one) => offered.includes(one))
}

const longestShown = 120
/** What came, as much of it as one reads in a sentence. */
export const shown = (text: string): string => {
  const plain = text.replace(/[^\u0020-\u007e]/g, '?')
  return `"${plain.length > longestShown ? `${plain.slice(0, longestShown)}…` : plain}"`
}

export function checkHttpAnswer({ status, body }: { status: number; body: string }, authorization: string): Problem | undefined {
  if (status !== 200) return problemOf('unauthorized', `The server answered ${status}, not 200`)
  // RFC 8555 8.3: white space at the end is nothing.
  return body.trimEnd() === authorization
    ? undefined
    : problemOf('unauthorized', `The file says ${shown(body.trimEnd())}, not the key authorization ${shown(authorization)}`)
}

export function checkTxtRecords(name: string, found: readonly string[], authorization: string): Problem | undefined {
  const wanted = dnsRecordValue(authorization)
  if (found.includes(wanted)) return undefined
  if (found.length === 0) return problemOf('unauthorized', `There is no TXT record at ${name}`)
  return problemOf('unauthorized', `The TXT records at ${name} say ${found.slice(0, 5).map(shown).join(', ')}, none of them "${wanted}"`)
}

export const alpnProtocol = 'acme-tls/1'

/** The name that is asked for by TLS: of an address its reverse name (RFC 8738 6). */
export const serverNameOf = ({ type, value }: Identifier): string => (type === 'ip' ? reverseName(value) : value)

export function reverseName(address: string): string {
  if (!address.includes(':')) return `${address.split('.').toReversed().join('.')}.in-addr.arpa`
  const [head = '', tail = ''] = address.split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const [before, after] = [groups(head), groups(tail)]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const digits = [...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join('')
  return `${[...digits].toReversed().join('.')}.ip6.arpa`
}

/** RFC 8737 3: exactly this name, and the critical extension with the hash of the key authorization. */
export function checkTlsAnswer(
  { protocol, certificate }: { protocol: string | undefined; certificate: Uint8Array },
  identifier: Identifier,
  authorization: string,
): Problem | undefined {
  const refuse = (detail: string) => problemOf('unauthorized', detail)
  if (protocol !== alpnProtocol) return problemOf('tls', `The server did not agree to ${alpnProtocol}`)
  let found: ReturnType<typeof parseCertificate>
  try {
    found = parseCertificate(certificate)
  } catch {
    return problemOf('tls', 'The certificate that the server showed cannot be read')
  }
  const names = found.extensions.flatMap((extension) => (extension.type === 'subjectAltName' ? extension.names : []))
  const [name, ...more] = names
  if (name === undefined || more.length > 0) return refuse(`The certificate has ${names.length} alternative names, not exactly one`)
  const isRight =
    identifier.type === 'ip'
      ? name.type === 'iPAddress' && name.value === identifier.value
      : name.type === 'dNSName' && name.value.toLowerCase() === identifier.value
  if (!isRight)
    return refuse(`The certificate is for ${'value' in name ? shown(String(name.value)) : name.type}, not for ${identifier.value}`)
  const extensions = found.extensions.filter((one) => one.type === 'acmeIdentifier')
  const [extension] = extensions
  if (extension === undefined || extensions.length > 1) return refuse('The certificate has no acmeIdentifier extension')
  if (!extension.critical) return refuse('The acmeIdentifier extension is not critical')
  const wanted = createHash('sha256').update(authorization).digest()
  return wanted.equals(extension.digest) ? undefined : refuse('The acmeIdentifier extension has the hash of another key authorization')
}

export type PersistQuestion = { identities: readonly string[]; accountUrl: string; wildcard: boolean; now: Date }

/**
 * draft-ietf-acme-dns-persist: a record that stays and names the account. Every text is compared byte by byte; what is malformed counts as a refusal, because
 * the record is all that stands between an account and a name.
 */
export function checkPersistRecords(name: string, found: readonly string[], question: PersistQuestion): Problem | undefined {
  if (found.length === 0) return problemOf('unauthorized', `There is no TXT record at ${name}`)
  const reasons = found.map((text) => persistFault(text, question))
  return reasons.includes(undefined) ? undefined : problemOf('unauthorized', `The TXT record at ${name} does not hold: ${reasons[0]}`)
}

function persistFault(text: string, { identities, accountUrl, wildcard, now }: PersistQuestion): string | undefined {
  const read = readIssueValue(text)
  if (read === undefined) return `${shown(text)} is malformed`
  if (!identities.some((identity) => identity.toLowerCase() === read.issuer)) return `it names ${shown(read.issuer)}, not this authority`
  const of = (wanted: string) => read.parameters.filter(([one]) => one === wanted).map(([, value]) => value)
  const [accounts, policies, ends] = [of('accounturi'), of('policy'), of('persistuntil')]
  if (accounts.length > 1 || policies.length > 1 || ends.length > 1) return 'a parameter stands in it twice'
  if (accounts[0] === undefined) return 'it names no account (accounturi)'
  if (accounts[0] !== accountUrl) return 'it names another account'
  if (wildcard && policies[0]?.toLowerCase() !== 'wildcard') return 'it does not allow wildcards (policy=wildcard)'
  if (ends[0] === undefined) return undefined
  if (!/^\d{1,12}$/.test(ends[0])) return 'its persistUntil is no time'
  return Number(ends[0]) * 1000 <= now.getTime() ? 'its persistUntil is over' : undefined
}
