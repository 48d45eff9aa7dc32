// Decisions of the ACME server that need nothing but their arguments, for both sides.

import { dnsFault, isAllowedAddress, isAllowedDomain, networkFault } from '#areas/templates/names.ts'
import type { ChallengeType } from '#standards/acme/challenge-types.ts'
import { bareValue, isWildcard, type Identifier } from '#standards/acme/identifiers.ts'

/** By what its public address is found. */
export const addressKind = 'acme'

/** The challenges as people read them. `off`: not offered by a new directory. */
export const challengeTexts: Record<ChallengeType, { label: string; hint: string; off?: true }> = {
  'http-01': { label: 'http-01', hint: 'A file on the web server of the name, fetched by plain http' },
  'dns-01': { label: 'dns-01', hint: 'A TXT record of the name. The only one that most clients know for wildcards' },
  'tls-alpn-01': { label: 'tls-alpn-01', hint: 'A certificate that the server of the name shows on its TLS port' },
  'dns-account-01': {
    label: 'dns-account-01 (draft)',
    hint: 'A TXT record with a label of the account, so that several clients prove one name. The standard is not finished',
    off: true,
  },
  'dns-persist-01': {
    label: 'dns-persist-01 (draft)',
    hint: 'A TXT record that stays and names the account. Whoever gets the key of the account can then have certificates until the record is removed',
    off: true,
  },
  'device-attest-01': {
    label: 'device-attest-01 (draft)',
    hint: 'A statement of the hardware that made the key. Needs the roots of the makers',
    off: true,
  },
}

export const profileName = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/

/** As an order and an answer have them at most. */
export const mostIdentifiers = 100
/** Of one account: orders that nobody has finished. */
export const mostOpenOrders = 300
/** A validation that its server left behind is begun again after that time. */
export const validationLeaseMilliseconds = 60_000
/** So long a look at CAA records lasts (CA/Browser Forum BR 4.2.2.1). */
export const caaHours = 8
/** What came to nothing is kept so long for people to look at. */
export const keepDays = 30

/** Whether an external account may have this name: it stands under one of the patterns, or lies in one of the networks. No pattern allows all. */
export function isWithin(identifier: Identifier, patterns: readonly string[]): boolean {
  if (patterns.length === 0) return true
  const networks = patterns.filter((pattern) => pattern.includes('/'))
  const domains = patterns.filter((pattern) => !pattern.includes('/'))
  if (identifier.type === 'ip') return networks.length > 0 && isAllowedAddress(identifier.value, networks)
  if (identifier.type !== 'dns') return patterns.includes(identifier.value)
  // A wildcard stands for the names below, so it needs a pattern for those.
  return domains.length > 0 && isAllowedDomain(isWildcard(identifier) ? `*.${bareValue(identifier)}` : identifier.value, domains)
}

/** What is wrong with a pattern of an external account; undefined where nothing is. */
export const patternFault = (pattern: string): string | undefined =>
  pattern.includes('/') ? networkFault(pattern) : dnsFault((pattern.startsWith('*.') ? pattern.slice(2) : pattern).toLowerCase())

/** The values of a request, by source, of what was authorised. */
export const valuesOf = (identifiers: readonly Identifier[]): Record<string, string[]> => {
  const of = (type: Identifier['type']) => identifiers.filter((one) => one.type === type).map(({ value }) => value)
  const values = { DNS: of('dns'), IP: of('ip') }
  return Object.fromEntries(Object.entries(values).filter(([, all]) => all.length > 0))
}
