// Certificate policies along a path, by the graph of RFC 9618, which replaces the tree of RFC 5280 6.1: a policy that several
// parents lead to is one node, so that the graph is never larger than what the certificates say, where the tree doubled with
// each mapping. Nothing is pruned on the way: a graph is empty exactly when its deepest level is, and what leads nowhere is
// left out at the end by walking up from the deepest level.
import type { Oid } from '../der/values.ts'
import { OIDS } from '../x509/oids.ts'

/** The inputs of RFC 5280 6.1.1 (c), (e), (f) and (g). */
export interface PolicyQuestion {
  /** user-initial-policy-set; undefined is any-policy */
  initialPolicies?: readonly Oid[] | undefined
  requireExplicitPolicy?: boolean | undefined
  inhibitPolicyMapping?: boolean | undefined
  inhibitAnyPolicy?: boolean | undefined
}

/** What one certificate says. */
export interface PolicyStatement {
  policies: readonly Oid[] | undefined
  mappings: readonly { issuerDomainPolicy: Oid; subjectDomainPolicy: Oid }[]
  requireExplicitPolicy: number | undefined
  inhibitPolicyMapping: number | undefined
  inhibitAnyPolicy: number | undefined
  selfIssued: boolean
}

export type PolicyOutcome =
  /** the user-constrained-policy-set; `2.5.29.32.0` in it is any policy */
  | { ok: true; policies: Oid[] }
  /** the certificate at fault, counted from the one below the root */
  | { ok: false; code: 'policyRequired' | 'policyNotAccepted' | 'policyMappingAny'; at: number; authorityPolicies: Oid[] }

interface Node {
  policy: Oid
  expected: ReadonlySet<Oid>
  parents: readonly Node[]
}

const ANY = OIDS.anyPolicy

/**
 * RFC 9618 section 5 over the certificates below the trust anchor, the target last. What it costs is what they say, and `spend` is told
 * before; it may throw.
 */
export function processPolicies(
  path: readonly PolicyStatement[],
  question: PolicyQuestion = {},
  spend: (amount: number) => void = () => {},
): PolicyOutcome {
  const start = path.length + 1
  let explicitPolicy = question.requireExplicitPolicy === true ? 0 : start
  let policyMapping = question.inhibitPolicyMapping === true ? 0 : start
  let inhibitAny = question.inhibitAnyPolicy === true ? 0 : start
  let levels: Map<Oid, Node>[] | undefined = [new Map([[ANY, node(ANY, [])]])]

  for (const [at, statement] of path.entries()) {
    const last = at === path.length - 1
    const { policies, mappings, selfIssued } = statement
    spend((policies?.length ?? 0) + mappings.length)
    const above: Map<Oid, Node> | undefined = levels?.at(-1)
    const level =
      policies === undefined || above === undefined ? undefined : nextLevel(above, policies, inhibitAny > 0 || (!last && selfIssued))
    if (levels === undefined || level === undefined || level.size === 0) levels = undefined
    else levels.push(level)
    if (explicitPolicy === 0 && levels === undefined) return { ok: false, code: 'policyRequired', at, authorityPolicies: [] }
    if (last) break

    if (mappings.some(({ issuerDomainPolicy, subjectDomainPolicy }) => issuerDomainPolicy === ANY || subjectDomainPolicy === ANY)) {
      return { ok: false, code: 'policyMappingAny', at, authorityPolicies: [] }
    }
    if (level !== undefined && above !== undefined) {
      map(level, above, mappings, policyMapping > 0)
      if (level.size === 0) levels = undefined
    }
    if (!selfIssued) {
      explicitPolicy = Math.max(0, explicitPolicy - 1)
      policyMapping = Math.max(0, policyMapping - 1)
      inhibitAny = Math.max(0, inhibitAny - 1)
    }
    explicitPolicy = Math.min(explicitPolicy, statement.requireExplicitPolicy ?? explicitPolicy)
    policyMapping = Math.min(policyMapping, statement.inhibitPolicyMapping ?? policyMapping)
    inhibitAny = Math.min(inhibitAny, statement.inhibitAnyPolicy ?? inhibitAny)
  }

  explicitPolicy = Math.max(0, explicitPolicy - 1)
  if (path.at(-1)?.requireExplicitPolicy === 0) explicitPolicy = 0
  const authority = levels === undefined ? new Set<Oid>() : authorityConstrained(levels)
  const policies = userConstrained(authority, question.initialPolicies)
  if (explicitPolicy === 0 && policies.length === 0) {
    const code = authority.size === 0 ? 'policyRequired' : 'policyNotAccepted'
    return { ok: false, code, at: path.length - 1, authorityPolicies: [...authority] }
  }
  return { ok: true, policies }
}

function node(policy: Oid, parents: readonly Node[], expected: ReadonlySet<Oid> = new Set([policy])): Node {
  return { policy, expected, parents }
}

/** 6.1.3 (d)(1) and (2). */
function nextLevel(above: ReadonlyMap<Oid, Node>, policies: readonly Oid[], anyCounts: boolean): Map<Oid, Node> {
  const expecting = new Map<Oid, Node[]>()
  for (const parent of above.values()) {
    for (const policy of parent.expected) {
      const parents = expecting.get(policy)
      if (parents === undefined) expecting.set(policy, [parent])
      else parents.push(parent)
    }
  }
  const anyAbove = above.get(ANY)
  const level = new Map<Oid, Node>()
  for (const policy of policies) {
    if (policy === ANY) continue
    const parents = expecting.get(policy) ?? (anyAbove && [anyAbove])
    if (parents !== undefined) level.set(policy, node(policy, parents))
  }
  if (anyCounts && policies.includes(ANY)) {
    for (const [policy, parents] of expecting) if (!level.has(policy)) level.set(policy, node(policy, parents))
  }
  return level
}

/** 6.1.4 (b). */
function map(level: Map<Oid, Node>, above: ReadonlyMap<Oid, Node>, mappings: PolicyStatement['mappings'], allowed: boolean): void {
  const bySource = new Map<Oid, Set<Oid>>()
  for (const { issuerDomainPolicy, subjectDomainPolicy } of mappings) {
    const targets = bySource.get(issuerDomainPolicy)
    if (targets === undefined) bySource.set(issuerDomainPolicy, new Set([subjectDomainPolicy]))
    else targets.add(subjectDomainPolicy)
  }
  const anyAbove = above.get(ANY)
  for (const [source, targets] of bySource) {
    const mapped = level.get(source)
    if (!allowed) level.delete(source)
    else if (mapped !== undefined) level.set(source, { ...mapped, expected: targets })
    else if (level.has(ANY) && anyAbove !== undefined) level.set(source, node(source, [anyAbove], targets))
  }
}

/** 6.1.5 (g): the policies in the words of the top-most authority that named them, as far as they lead to the target. */
function authorityConstrained(levels: readonly ReadonlyMap<Oid, Node>[]): Set<Oid> {
  const found = new Set<Oid>()
  let reached = new Set(levels.at(-1)?.values())
  if (levels.at(-1)?.has(ANY) === true) found.add(ANY)
  while (reached.size > 0) {
    const parents = new Set<Node>()
    for (const { policy, parents: above } of reached) {
      if (policy !== ANY && above.some((parent) => parent.policy === ANY)) found.add(policy)
      for (const parent of above) parents.add(parent)
    }
    reached = parents
  }
  return found
}

function userConstrained(authority: ReadonlySet<Oid>, initial: readonly Oid[] | undefined): Oid[] {
  if (initial === undefined || initial.includes(ANY)) return [...authority]
  if (authority.has(ANY)) return [...new Set(initial)]
  return [...new Set(initial)].filter((policy) => authority.has(policy))
}
