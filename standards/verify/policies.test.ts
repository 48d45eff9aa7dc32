import { describe, expect, test } from 'vitest'
import type { Extension } from '../x509/extension-types.ts'
import { AT, authority, leaf, mappings, policies, policyConstraints, type Made } from './estate.fixture.ts'
import { processPolicies, type PolicyQuestion, type PolicyStatement } from './policy-graph.ts'
import { verifyCertificate } from './verify.ts'

const ANY = '2.5.29.32.0'
const [A, B, C] = ['1.3.1', '1.3.2', '1.3.3']
const inhibitAny = (skipCerts: number): Extension => ({ type: 'inhibitAnyPolicy', critical: true, skipCerts })

/** Extensions of the certificates from the one below the root down to the last. */
function ask(path: readonly (readonly Extension[])[], question: PolicyQuestion = { requireExplicitPolicy: true }) {
  const root = authority({ name: 'Root' })
  const made: Made[] = []
  for (const [at, extensions] of path.entries()) {
    const issuer = made.at(-1) ?? root
    made.push(at === path.length - 1 ? leaf({ name: 'End', issuer, extensions }) : authority({ name: `A${at}`, issuer, extensions }))
  }
  const [last, ...above] = made.reverse()
  return verifyCertificate({
    at: AT,
    ...question,
    leaf: last?.certificate ?? root.certificate,
    intermediates: above.map(({ certificate }) => certificate),
    roots: [root.certificate],
  })
}

/** The policies of a valid path, or the codes of what refuses it. */
function outcome(path: readonly (readonly Extension[])[], question?: PolicyQuestion): string[] {
  const { path: found, rejected } = ask(path, question)
  return found?.policies ?? rejected[0]?.faults.map(({ code, at }) => `${code}@${at}`) ?? []
}

describe('certificate policies', () => {
  const explicit = { requireExplicitPolicy: true }
  const NONE = ['policyRequired@0']

  test.each<[string, Extension[][], PolicyQuestion | undefined, string[]]>([
    ['the same all the way', [[policies(A)], [policies(A)]], explicit, [A]],
    ['none at all', [[], []], explicit, ['policyRequired@1']],
    ['none at all, and none required', [[], []], {}, []],
    ['only at the end', [[], [policies(A)]], explicit, ['policyRequired@1']],
    ['only above', [[policies(A)], []], explicit, NONE],
    ['another at the end', [[policies(A)], [policies(B)]], explicit, NONE],
    ['two of which one stays', [[policies(A, B)], [policies(B, C)]], explicit, [B]],
    ['any above', [[policies(ANY)], [policies(A)]], explicit, [A]],
    ['any at the end', [[policies(A, B)], [policies(ANY)]], explicit, [A, B]],
    ['any all the way', [[policies(ANY)], [policies(ANY)]], explicit, [ANY]],
    ['any all the way, one asked for', [[policies(ANY)], [policies(ANY)]], { ...explicit, initialPolicies: [A] }, [A]],
    ['the one asked for', [[policies(A, B)], [policies(A, B)]], { ...explicit, initialPolicies: [B] }, [B]],
    ['another than asked for', [[policies(A)], [policies(A)]], { ...explicit, initialPolicies: [B] }, ['policyNotAccepted@0']],
    ['another than asked for, and none required', [[policies(A)], [policies(A)]], { initialPolicies: [B] }, []],
    ['mapped', [[policies(A), mappings([A, B])], [policies(B)]], explicit, [A]],
    ['mapped, asked for by its first name', [[policies(A), mappings([A, B])], [policies(B)]], { ...explicit, initialPolicies: [A] }, [A]],
    [
      'mapped, asked for by its last name',
      [[policies(A), mappings([A, B])], [policies(B)]],
      { ...explicit, initialPolicies: [B] },
      ['policyNotAccepted@0'],
    ],
    ['mapped, and the old one at the end', [[policies(A), mappings([A, B])], [policies(A)]], explicit, NONE],
    ['mapped to two', [[policies(A), mappings([A, B], [A, C])], [policies(C)]], explicit, [A]],
    ['two mapped to one', [[policies(A, B), mappings([A, C], [B, C])], [policies(C)]], explicit, [A, B]],
    ['mapped out of any', [[policies(ANY), mappings([A, B])], [policies(B)]], explicit, [A, B].slice(0, 1)],
    ['mapped twice', [[policies(A), mappings([A, B])], [policies(B), mappings([B, C])], [policies(C)]], explicit, [A]],
    ['mapping any', [[policies(A), mappings([ANY, B])], [policies(B)]], {}, ['policyMappingAny@1']],
    ['mapping to any', [[policies(A), mappings([A, ANY])], [policies(B)]], {}, ['policyMappingAny@1']],
    [
      'mapped where the asker forbids it',
      [[policies(A), mappings([A, B])], [policies(B)]],
      { ...explicit, inhibitPolicyMapping: true },
      ['policyRequired@0'],
    ],
    [
      'mapped where an authority forbids it',
      [[policies(A), policyConstraints({ inhibitPolicyMapping: 0 })], [policies(A), mappings([A, B])], [policies(B)]],
      explicit,
      NONE,
    ],
    [
      'mapped where an authority forbids it later',
      [[policies(A), policyConstraints({ inhibitPolicyMapping: 1 })], [policies(A), mappings([A, B])], [policies(B)]],
      explicit,
      [A],
    ],
    ['any where the asker forbids it', [[policies(ANY)], [policies(A)]], { ...explicit, inhibitAnyPolicy: true }, ['policyRequired@1']],
    ['any where an authority forbids it', [[policies(A), inhibitAny(0)], [policies(ANY)]], explicit, NONE],
    ['any where an authority forbids it later', [[policies(A), inhibitAny(1)], [policies(ANY)], [policies(A)]], explicit, [A]],
    ['required by an authority at once', [[policyConstraints({ requireExplicitPolicy: 0 })], []], {}, NONE],
    ['required by an authority further down', [[policyConstraints({ requireExplicitPolicy: 1 })], [], []], {}, NONE],
    ['required by an authority too far down to matter', [[policyConstraints({ requireExplicitPolicy: 5 })], []], {}, []],
    ['required by the last certificate itself', [[], [policyConstraints({ requireExplicitPolicy: 0 })]], {}, NONE],
  ])('%s', (_what, path, question, expected) => {
    expect(outcome(path, question)).toEqual(expected)
  })

  test('say under which the path is valid and which is asked for', () => {
    const { rejected } = ask([[policies(A)], [policies(A)]], { requireExplicitPolicy: true, initialPolicies: [B] })
    expect(rejected[0]?.faults[0]).toMatchObject({
      clause: 'RFC 9618 5.5 (g)',
      says: 'The path is valid under 1.3.1, and 1.3.2 is asked for.',
    })
  })

  test('of the root do not count', () => {
    const root = authority({ name: 'Root', extensions: [policies(A)] })
    const end = leaf({ name: 'End', issuer: root, extensions: [policies(B)] })
    expect(
      verifyCertificate({ at: AT, requireExplicitPolicy: true, leaf: end.certificate, intermediates: [], roots: [root.certificate] }).path
        ?.policies,
    ).toEqual([B])
  })

  test('may be any in a renewed key, though forbidden', () => {
    const root = authority({ name: 'Root' })
    const first = authority({ name: 'A', issuer: root, extensions: [policies(A), inhibitAny(0)] })
    const renewed = authority({ name: 'A', issuer: first, extensions: [policies(ANY)] })
    const end = leaf({ name: 'End', issuer: renewed, extensions: [policies(A)] })
    const intermediates = [first, renewed].map(({ certificate }) => certificate)
    expect(
      verifyCertificate({ at: AT, requireExplicitPolicy: true, leaf: end.certificate, intermediates, roots: [root.certificate] }).path
        ?.policies,
    ).toEqual([A])
  })
})

describe('the policy graph', () => {
  const statement = (change: Partial<PolicyStatement>): PolicyStatement => ({
    policies: undefined,
    mappings: [],
    requireExplicitPolicy: undefined,
    inhibitPolicyMapping: undefined,
    inhibitAnyPolicy: undefined,
    selfIssued: false,
    ...change,
  })

  test('does not double with each mapping, as the tree of RFC 5280 did', () => {
    const pair = (level: number): [string, string] => [`1.3.${level}.1`, `1.3.${level}.2`]
    const path = Array.from({ length: 60 }, (_, level) =>
      statement({
        policies: pair(level),
        mappings: pair(level).flatMap((issuerDomainPolicy) =>
          pair(level + 1).map((subjectDomainPolicy) => ({ issuerDomainPolicy, subjectDomainPolicy })),
        ),
      }),
    )
    expect(processPolicies(path, { requireExplicitPolicy: true })).toEqual({
      ok: true,
      policies: expect.arrayContaining(pair(0)) as string[],
    })
    // One level more whose policies nobody expects: 2^60 leaves of a tree would have to be looked at to see it.
    expect(processPolicies([...path, statement({ policies: ['1.3.99'] })], { requireExplicitPolicy: true }).ok).toBe(false)
  })

  test('takes thousands of policies and mappings in each of many certificates', () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `1.4.${at}`)
    const path = Array.from({ length: 20 }, () =>
      statement({
        policies: many,
        mappings: many.map((policy, at) => ({ issuerDomainPolicy: policy, subjectDomainPolicy: many[(at + 1) % many.length] ?? policy })),
      }),
    )
    const outcome = processPolicies(path, { requireExplicitPolicy: true, initialPolicies: ['1.4.7'] })
    expect(outcome).toEqual({ ok: true, policies: ['1.4.7'] })
  })
})
