// What a tenancy lays over a template that it may use: rules that can only be stricter. The template's own hold always; a narrowing that asks for
// more than the template gives takes nothing away, because what holds is what both allow.

import type { FieldFault } from '#core/contract/faults.ts'
import { domainPatternFault } from './names.ts'
import { keyKinds, type KeyKindName, type Rules } from './rules.ts'

export type Narrowing = {
  /** Empty: those of the template. */
  keys: KeyKindName[]
  /** Empty: those of the template. */
  allowedDomains: string[]
  /** False takes them away; true leaves what the template says. */
  wildcards: boolean
  maximumNames: number
  issueApprovers: number
  revocationApprovers: number
  /** Every key must be attested by a TPM, under one of these roots; under any that is accepted where none is named. */
  attestation: boolean
  attestationRoots: string[]
}

export const noNarrowing: Narrowing = {
  keys: [],
  allowedDomains: [],
  wildcards: true,
  maximumNames: 100,
  issueApprovers: 0,
  revocationApprovers: 0,
  attestation: false,
  attestationRoots: [],
}

type Narrowed = { enabled: boolean; rules: Rules; issueApprovers: number; revocationApprovers: number }

/** The template as this tenancy uses it. Where nothing is left that both allow, it cannot be used at all. */
export function narrow<T extends Narrowed>(template: T, narrowing: Narrowing): T {
  const keys = narrowing.keys.length === 0 ? template.rules.keys : template.rules.keys.filter((name) => narrowing.keys.includes(name))
  const allowedDomains = commonPatterns(template.rules.allowedDomains, narrowing.allowedDomains)
  return {
    ...template,
    enabled: template.enabled && keys.length > 0 && allowedDomains !== undefined,
    issueApprovers: Math.max(template.issueApprovers, narrowing.issueApprovers),
    revocationApprovers: Math.max(template.revocationApprovers, narrowing.revocationApprovers),
    rules: {
      ...template.rules,
      keys: keys.length > 0 ? keys : template.rules.keys,
      allowedDomains: allowedDomains ?? template.rules.allowedDomains,
      wildcards: template.rules.wildcards && narrowing.wildcards,
      maximumNames: Math.min(template.rules.maximumNames, narrowing.maximumNames),
      ...(narrowing.attestation ? { attestation: true } : {}),
    },
  }
}

/** The patterns that stand for what both lists allow; an empty list allows everything, undefined nothing. */
export function commonPatterns(one: readonly string[], other: readonly string[]): string[] | undefined {
  if (one.length === 0) return [...other]
  if (other.length === 0) return [...one]
  const common = one.flatMap((a) => other.flatMap((b) => (covers(a, b) ? [b] : covers(b, a) ? [a] : [])))
  return common.length === 0 ? undefined : [...new Set(common.map((pattern) => pattern.toLowerCase()))]
}

/** Whether every name that `inner` allows is allowed by `outer`. */
function covers(outer: string, inner: string): boolean {
  const [wide, small] = [outer.toLowerCase(), inner.toLowerCase()]
  if (wide === small) return true
  return wide.startsWith('*.') && small.replace(/^\*\./, '').endsWith(wide.slice(1))
}

/** Why these rules cannot be laid over the template: each must be stricter, or the same. */
export function narrowingFaults(
  template: Pick<Narrowed, 'rules' | 'issueApprovers' | 'revocationApprovers'>,
  narrowing: Narrowing,
): FieldFault[] {
  const { rules } = template
  const faults: FieldFault[] = []
  const add = (field: string, says: string) => void faults.push({ field, says })
  const notAllowed = narrowing.keys.filter((name) => !rules.keys.includes(name))
  if (notAllowed.length > 0) add('keys', `The template does not allow ${notAllowed.map((name) => keyKinds[name].label).join(', ')}`)
  narrowing.allowedDomains.forEach((pattern, at) => {
    const fault = domainPatternFault(pattern)
    if (fault !== undefined) add(`allowedDomains.${at}`, fault)
    else if (rules.allowedDomains.length > 0 && !rules.allowedDomains.some((wide) => covers(wide, pattern)))
      add(`allowedDomains.${at}`, `"${pattern}" is outside what the template allows: ${rules.allowedDomains.slice(0, 5).join(', ')}`)
  })
  if (narrowing.issueApprovers !== 0 && narrowing.issueApprovers < template.issueApprovers)
    add('issueApprovers', `The template asks for ${template.issueApprovers}; fewer cannot be enough here`)
  if (narrowing.revocationApprovers !== 0 && narrowing.revocationApprovers < template.revocationApprovers)
    add('revocationApprovers', `The template asks for ${template.revocationApprovers}; fewer cannot be enough here`)
  return faults
}

export type Pinned = '' | 'mandatory' | 'static'
export type Placed = { pinned: Pinned }

/** Priorities from 1 on, without gaps: mandatory ones that stay where they are first, then mandatory ones, then the others, each in the order given. */
export function renumber<T extends Placed>(all: readonly T[]): (T & { priority: number })[] {
  const rank: Record<Pinned, number> = { static: 0, mandatory: 1, '': 2 }
  return all.toSorted((a, b) => rank[a.pinned] - rank[b.pinned]).map((one, at) => ({ ...one, priority: at + 1 }))
}
