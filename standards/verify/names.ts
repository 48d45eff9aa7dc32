// The names of a certificate as far as they are compared with something: with the name a person asked for, and with the
// constraints of the authorities above. Host names are compared in lower case and as A-labels, mailboxes with the host in
// lower case and the local part as it stands (RFC 5321 2.4).
import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import type { Certificate } from '../x509/certificate.ts'
import { findExtension } from '../x509/extensions.ts'
import { addressBytes, otherNameText, type GeneralName } from '../x509/general-names.ts'
import { attributeValues } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import { fault, some, type CertificateFault } from './fault.ts'

/** What the certificate must be for. */
export type ReferenceName = { type: 'dns' | 'ip' | 'email'; value: string }

export interface Mailbox {
  local: string
  host: string
}

const LONGEST_HOST = 253

/** A host name in the form that is compared; undefined for what is none. A wildcard may stand where `wildcard` allows. */
export function hostOf(text: string, wildcard = false): string | undefined {
  const host = text.toLowerCase().replace(/\.$/, '')
  if (host.length === 0 || host.length > LONGEST_HOST) return undefined
  const labels = host.split('.')
  const [first = ''] = labels
  const checked = wildcard && first === '*' && labels.length > 1 ? labels.slice(1) : labels
  return checked.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)) ? host : undefined
}

/** The local part and the host of an e-mail address; undefined for what is none. */
export function mailboxOf(text: string): Mailbox | undefined {
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length > 1024) return undefined
  const domain = text.slice(at + 1)
  const host = hostOf(/[^\u0020-\u007e]/.test(domain) ? domainToASCII(domain) : domain)
  const local = text.slice(0, at)
  return host === undefined || !LOCAL_PART.test(local) ? undefined : { local, host }
}

/** A dot-string or a quoted string of RFC 5321 4.1.2, with what RFC 6531 3.3 adds beyond ASCII. */
const LOCAL_PART = /^(?:[^\s"(),:;<>@[\\\]]+|"(?:[^"\\]|\\.)*")$/u

/** The host of a URI; undefined where it has none, or an address in its place. */
export function uriHostOf(uri: string): string | undefined {
  const match = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#:@[\]]+)(?::\d*)?(?:[/?#]|$)/i.exec(uri)
  const host = match?.[1] === undefined ? undefined : hostOf(match[1])
  return host === undefined || isIPv4(host) ? undefined : host
}

export function alternativeNames({ extensions }: Pick<Certificate, 'extensions'>): readonly GeneralName[] {
  return findExtension(extensions, 'subjectAltName')?.names ?? []
}

/** E-mail addresses of subjectAltName, those beyond ASCII among them (RFC 9598). */
function alternativeMailboxes(names: readonly GeneralName[]): string[] {
  return names.flatMap((name) => {
    if (name.type === 'rfc822Name') return [name.value]
    return name.type === 'otherName' && name.typeId === OIDS.smtpUtf8Mailbox ? [otherNameText(name) ?? ''] : []
  })
}

/** What a person means by a name: an address, a mailbox or a host. Undefined for what is none of them. */
export function referenceName(text: string): ReferenceName | undefined {
  const value = text.trim()
  const address = value.replace(/^\[(.*)\]$/, '$1')
  if (isIPv4(address) || (isIPv6(address) && !address.includes('%'))) return { type: 'ip', value: address }
  if (value.includes('@')) return mailboxOf(value) === undefined ? undefined : { type: 'email', value }
  const host = hostOf(/[^\u0020-\u007e]/.test(value) ? domainToASCII(value) : value)
  return host === undefined || /^[\d.]+$/.test(host) ? undefined : { type: 'dns', value: host }
}

/** Whether a presented host name stands for the asked one: a wildcard is the whole first label and stands for one label (RFC 9525 6.3). */
function matchesHost(presented: string, asked: string): boolean {
  const host = hostOf(presented, true)
  if (host === undefined) return false
  if (!host.startsWith('*.')) return host === asked
  const dot = asked.indexOf('.')
  return dot > 0 && asked.slice(dot) === host.slice(1)
}

/** Empty when the certificate is for the name. The common name does not count (RFC 9525 2). */
export function nameFaults(certificate: Certificate, asked: ReferenceName): CertificateFault[] {
  const names = alternativeNames(certificate)
  const { presented, matches } = COMPARISONS[asked.type](names, certificate, asked.value)
  if (matches) return []
  const instead = presented.length === 0 ? `It names no ${KINDS[asked.type]}.` : `It is for ${some(presented)}.`
  return [fault('nameMismatch', `It is not for ${asked.value}. ${instead}`)]
}

const KINDS = { dns: 'host', ip: 'IP address', email: 'e-mail address' } as const

type Comparison = (names: readonly GeneralName[], certificate: Certificate, asked: string) => { presented: string[]; matches: boolean }

const COMPARISONS: { readonly [type in ReferenceName['type']]: Comparison } = {
  dns(names, _, asked) {
    const presented = names.flatMap((name) => (name.type === 'dNSName' ? [name.value] : []))
    return { presented, matches: presented.some((each) => matchesHost(each, asked)) }
  },
  ip(names, _, asked) {
    const presented = names.flatMap((name) => (name.type === 'iPAddress' ? [name.value] : []))
    const wanted = Buffer.from(addressBytes(asked))
    return { presented, matches: presented.some((each) => wanted.equals(addressBytes(each))) }
  },
  email(names, { subject }, asked) {
    const alternative = alternativeMailboxes(names)
    // RFC 5280 4.1.2.6: the attribute is for old certificates, which have no address elsewhere.
    const presented = alternative.length > 0 ? alternative : attributeValues(subject, OIDS.emailAddress)
    const wanted = mailboxOf(asked)
    const matches = presented.some((each) => {
      const mailbox = mailboxOf(each)
      return mailbox !== undefined && wanted !== undefined && mailbox.host === wanted.host && mailbox.local === wanted.local
    })
    return { presented, matches }
  },
}
