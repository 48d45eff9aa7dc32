import { expect, test } from 'vitest'
import { commonPatterns, narrow, narrowingFaults, noNarrowing, renumber } from './narrowing.ts'

const template = {
  enabled: true,
  issueApprovers: 1,
  revocationApprovers: 0,
  rules: {
    keys: ['P-256' as const, 'RSA-2048' as const],
    allowedDomains: ['*.example.org', 'example.net'],
    wildcards: true,
    maximumNames: 10,
  },
}

test.each([
  [[], [], []],
  [['*.example.org'], [], ['*.example.org']],
  [[], ['example.org'], ['example.org']],
  [['*.example.org'], ['a.example.org', '*.b.example.org', 'example.com'], ['a.example.org', '*.b.example.org']],
  [['a.example.org'], ['*.example.org'], ['a.example.org']],
  [['*.example.org'], ['example.org'], undefined],
  [['*.ample.org'], ['example.org'], undefined],
  [['example.org'], ['*.example.org'], undefined],
])('of the patterns %j and %j both allow %j', (one, other, common) => expect(commonPatterns(one, other)).toEqual(common))

test('no rules leave a template as it is', () => expect(narrow(template, noNarrowing)).toEqual(template))

test('approvers can become more and never fewer', () => {
  expect(narrow(template, { ...noNarrowing, issueApprovers: 3, revocationApprovers: 1 })).toMatchObject({
    issueApprovers: 3,
    revocationApprovers: 1,
  })
  expect(narrow(template, { ...noNarrowing, issueApprovers: 0 }).issueApprovers).toBe(1)
  expect(narrowingFaults({ ...template, issueApprovers: 2 }, { ...noNarrowing, issueApprovers: 1 }).map(({ field }) => field)).toEqual([
    'issueApprovers',
  ])
})

test('where nothing is left that both allow, the template cannot be used', () => {
  expect(narrow(template, { ...noNarrowing, keys: ['Ed25519'] }).enabled).toBe(false)
  expect(narrow(template, { ...noNarrowing, allowedDomains: ['example.com'] }).enabled).toBe(false)
  expect(narrow(template, { ...noNarrowing, keys: ['P-256'], allowedDomains: ['example.net'] })).toMatchObject({
    enabled: true,
    rules: { keys: ['P-256'], allowedDomains: ['example.net'] },
  })
})

test('priorities are numbered without gaps: mandatory static first, then mandatory, then others', () => {
  const all = [
    { name: 'a', pinned: '' as const },
    { name: 'b', pinned: 'mandatory' as const },
    { name: 'c', pinned: 'static' as const },
    { name: 'd', pinned: '' as const },
    { name: 'e', pinned: 'static' as const },
  ]
  expect(renumber(all).map(({ name, priority }) => [name, priority])).toEqual([
    ['c', 1],
    ['e', 2],
    ['b', 3],
    ['a', 4],
    ['d', 5],
  ])
})
