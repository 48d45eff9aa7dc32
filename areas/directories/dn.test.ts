import { describe, expect, test } from 'vitest'
import { dnFault, dnFaults } from './dn.ts'

describe('A distinguished name', () => {
  test.each([
    'DC=example,DC=org',
    'OU=People , DC = example, DC=org',
    'CN=Before\\0dAfter,DC=example',
    'CN=James \\"Jim\\" Smith\\, III,DC=example,DC=net',
    'OU=Sales+CN=J.  Smith,DC=example,DC=net',
    '1.3.6.1.4.1.1466.0=#04024869,DC=example',
    'CN=Lučić\\20,DC=example',
    'uid=a\\2Cb,ou=Übungen,dc=x',
  ])('may be %s', (text) => expect(dnFault(text)).toBeUndefined())

  test.each([
    ['example.org', 'form'],
    ['OU=People,', 'form'],
    ['OU=People,,DC=org', 'form'],
    ['=People,DC=org', 'form'],
    ['O U=People,DC=org', 'form'],
    ['OU=,DC=org', 'form'],
    ['OU=a;b,DC=org', 'special'],
    ['OU=a"b,DC=org', 'special'],
    ['OU=a\\q,DC=org', 'special'],
  ] as const)('is not %s', (text, fault) => expect(dnFault(text)).toBe(fault))
})

test('The fields of a directory are named whose names are wrong, and Windows has accounts of other forms', () => {
  const directory = {
    kind: 'ldap',
    bindDn: 'reader@corp.example',
    baseDn: 'corp',
    peopleBase: '',
    groupRoles: [{ group: 'CN=a' }, { group: 'b' }],
  }
  expect(Object.keys(dnFaults(directory)).toSorted()).toEqual(['baseDn', 'bindDn', 'groupRoles.1.group'])
  for (const bindDn of ['reader@corp.example', 'CORP\\reader', 'CN=reader,DC=corp'])
    expect(Object.keys(dnFaults({ ...directory, kind: 'activeDirectory', bindDn }))).not.toContain('bindDn')
  expect(dnFaults({ ...directory, kind: 'entra' })).toEqual({})
})
