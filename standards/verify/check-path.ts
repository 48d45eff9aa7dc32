// A complete path, from the certificate in question to a trusted root: what can only be said of all of it together. Names,
// signatures and what each certificate says of itself have been looked at before, when the path was built.
import type { Oid } from '../der/values.ts'
import { findExtension } from '../x509/extensions.ts'
import { faultIn, some, type PathFault } from './fault.ts'
import { isSelfIssued, type Known } from './known.ts'
import { nameConstraintFaults } from './name-constraints.ts'
import { processPolicies, type PolicyQuestion, type PolicyStatement } from './policy-graph.ts'
import type { Work } from './work.ts'

export interface PathOutcome {
  faults: PathFault[]
  /** the policies under which the path is valid; `2.5.29.32.0` is any */
  policies: Oid[]
}

/** Path length, name constraints and policies of RFC 5280 6.1. `path` is leaf first, trust anchor last. Throws WorkExhausted. */
export function checkPath(path: readonly Known[], question: PolicyQuestion, work: Work): PathOutcome {
  const { faults, policies } = policyOutcome(path, question, work)
  return { faults: [...pathLengthFaults(path), ...nameConstraintFaults(path, work), ...faults], policies }
}

function pathLengthFaults(path: readonly Known[]): PathFault[] {
  const faults: PathFault[] = []
  let below = 0
  for (const [at, known] of path.entries()) {
    if (at === 0) continue
    const allowed = findExtension(known.certificate.extensions, 'basicConstraints')?.pathLenConstraint
    if (allowed !== undefined && below > allowed) {
      faults.push(
        faultIn(
          at,
          'pathLength',
          `It allows ${allowed === 0 ? 'no' : allowed} further ${allowed === 1 ? 'authority' : 'authorities'} below it, and there ${below === 1 ? 'is 1' : `are ${below}`}.`,
        ),
      )
    }
    if (!isSelfIssued(known)) below += 1
  }
  return faults
}

function policyOutcome(path: readonly Known[], question: PolicyQuestion, work: Work): PathOutcome {
  // The anchor is no part of the path (RFC 5280 6.1); a root that is itself in question stands for its own.
  const below = (path.length === 1 ? path : path.slice(0, -1)).toReversed()
  const outcome = processPolicies(below.map(statementOf), question, (amount) => work.spend('policies', amount))
  if (outcome.ok) return { faults: [], policies: outcome.policies }
  const at = below.length - 1 - outcome.at
  return {
    faults: [faultIn(at, outcome.code, SAID[outcome.code](outcome.authorityPolicies, question.initialPolicies ?? []))],
    policies: [],
  }
}

const SAID = {
  policyRequired: () => 'A certificate policy is required, and the path has none that all its certificates agree on.',
  policyNotAccepted: (found: readonly Oid[], asked: readonly Oid[]) =>
    `The path is valid under ${some(found)}, and ${some(asked)} is asked for.`,
  policyMappingAny: () => 'It maps the policy that stands for any policy, which is forbidden.',
} as const

function statementOf(known: Known): PolicyStatement {
  const { extensions } = known.certificate
  const constraints = findExtension(extensions, 'policyConstraints')
  return {
    policies: findExtension(extensions, 'certificatePolicies')?.policies.map(({ policyIdentifier }) => policyIdentifier),
    mappings: findExtension(extensions, 'policyMappings')?.mappings ?? [],
    requireExplicitPolicy: constraints?.requireExplicitPolicy,
    inhibitPolicyMapping: constraints?.inhibitPolicyMapping,
    inhibitAnyPolicy: findExtension(extensions, 'inhibitAnyPolicy')?.skipCerts,
    selfIssued: isSelfIssued(known),
  }
}
