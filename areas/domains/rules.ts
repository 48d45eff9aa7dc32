// Decisions about domains, for the server and the console alike. Pure.

import { nameFault } from '#standards/acme/identifiers.ts'

export type DomainState = 'claimed' | 'proved' | 'lapsed'
export type Proof = 'dns' | 'http'

/** The kind by which a domain says that people have an address in it. */
export const peopleUse = 'People by their e-mail address'

/** What was seen of one way to prove a domain, where it proves nothing. */
export const problems = {
  noRecord: 'There is no such record',
  otherRecord: 'The record holds something else: {detail}',
  status: 'The server answered with status {detail}',
  redirect: 'The server sends on to another address, and that is not followed',
  otherFile: 'The file holds something else',
} as const
/** `noAnswer` and `noHost` are said by what is kept beside them. */
export type Problem = keyof typeof problems | 'noAnswer' | 'noHost'

const day = 86_400_000
const hour = 3_600_000

/** A claim that nobody proves is forgotten after so many days. */
export const claimDays = 30
/** A proof is looked at again so often; where it is gone, every day, until it lapses. */
export const recheckDays = 7
export const failuresUntilLapse = 3

/** When the domain is looked at again. */
export function nextCheck(state: DomainState, failures: number, now: Date): Date {
  if (state === 'claimed') return new Date(now.getTime() + hour)
  return new Date(now.getTime() + (state === 'proved' && failures === 0 ? recheckDays : 1) * day)
}

export const claimEnds = (addedAt: Date): Date => new Date(addedAt.getTime() + claimDays * day)

/**
 * Reads a domain as somebody typed it, with the A-labels of international names, so that two spellings of one domain are one text and a look-alike is
 * another. Undefined where it is no domain of two labels at least.
 */
export function readDomain(typed: string): string | undefined {
  const text = typed.trim().replace(/\.$/, '')
  // Whatever would end the host name of an address is no part of a domain.
  if (/[\s/@:?#%\\[\]*<>^|]/.test(text) || !URL.canParse(`http://${text}/`)) return undefined
  const name = new URL(`http://${text}/`).hostname
  return nameFault(name) === undefined && name.includes('.') ? name : undefined
}

/** What of a name is looked for: a name with international letters stands in the list by its A-labels. */
export const soughtName = (text: string): string =>
  /^\p{ASCII}*$/u.test(text) ? text : (readDomain(`${text.trim()}.test`)?.slice(0, -5) ?? text)

/** The domain and all above it, the nearest first, without the top-level domain: `a.b.example.com` leads to `b.example.com` and `example.com`. */
export function withParents(name: string): string[] {
  const labels = name.split('.')
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'))
}

/** The domain of an e-mail address; undefined where there is none. */
export function domainOfAddress(emailAddress: string): string | undefined {
  const at = emailAddress.lastIndexOf('@')
  return at < 1 ? undefined : readDomain(emailAddress.slice(at + 1))
}

export const recordName = (name: string): string => `_chancery-challenge.${name}`
export const proofText = (token: string): string => `chancery-domain-verification=${token}`
export const filePath = '/.well-known/chancery-domain-verification'
/** HTTPS first. Redirects are not followed, because a page that sends on to any address proves nothing. */
export const fileUrls = (name: string): string[] => [`https://${name}${filePath}`, `http://${name}${filePath}`]
