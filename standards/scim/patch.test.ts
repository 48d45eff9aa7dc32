// The shapes are those that Entra and Okta send: each comes to the same end as the plain form of RFC 7644.

import { describe, expect, test } from 'vitest'
import { applyPatch, readOperations, ScimPatchError } from './patch.ts'

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const ada = () => ({
  userName: 'ada',
  name: { givenName: 'Ada', familyName: 'Byron' },
  active: true,
  emails: [{ value: 'ada@example.org', type: 'work', primary: true }],
})
const patched = (...operations: unknown[]) => applyPatch(ada(), readOperations({ Operations: operations }))
const scimType = (...operations: unknown[]): string => {
  try {
    patched(...operations)
  } catch (error) {
    if (error instanceof ScimPatchError) return error.scimType
    throw error
  }
  return 'done'
}

describe('A PATCH', () => {
  test.each([
    [{ op: 'replace', path: 'name.familyName', value: 'Lovelace' }],
    [{ op: 'Replace', path: 'name.familyName', value: 'Lovelace' }],
    [{ op: 'Add', path: 'name.familyName', value: 'Lovelace' }],
    [{ op: 'replace', value: { 'name.familyName': 'Lovelace' } }],
    [{ op: 'replace', value: { name: { familyName: 'Lovelace' } } }],
    [{ op: 'Add', value: { name: { familyName: 'Lovelace' } } }],
    [{ op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:name.familyName', value: 'Lovelace' }],
    [{ op: 'replace', path: 'NAME.familyname', value: 'Lovelace' }],
    [{ op: 'replace', path: 'name', value: { familyName: 'Lovelace' } }],
  ])('changes a name in whichever form it is sent: %j', (operation) => {
    expect(patched(operation)).toEqual({ ...ada(), name: { givenName: 'Ada', familyName: 'Lovelace' } })
  })

  test.each([
    [{ op: 'replace', path: 'emails[type eq "work"].value', value: 'ada@lovelace.org' }],
    [{ op: 'Add', path: 'emails[type eq "work"].value', value: 'ada@lovelace.org' }],
    [{ op: 'replace', path: 'emails[primary eq true].value', value: 'ada@lovelace.org' }],
    [{ op: 'replace', value: { 'emails[type eq "work"].value': 'ada@lovelace.org' } }],
    [{ op: 'replace', path: 'emails', value: [{ value: 'ada@lovelace.org', type: 'work', primary: true }] }],
  ])('changes an address in whichever form it is sent: %j', (operation) => {
    expect(patched(operation)['emails']).toEqual([{ value: 'ada@lovelace.org', type: 'work', primary: true }])
  })

  test('makes the value that its filter tells where there is none', () => {
    expect(patched({ op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+61' })['phoneNumbers']).toEqual([
      { type: 'mobile', value: '+61' },
    ])
    expect(
      patched({ op: 'replace', path: 'phoneNumbers[type eq "work" and primary eq true].value', value: '+61' })['phoneNumbers'],
    ).toEqual([{ type: 'work', primary: true, value: '+61' }])
  })

  test('reads extensions by their URN', () => {
    const after = { ...ada(), [enterprise]: { organization: 'Acme' } }
    expect(patched({ op: 'Add', path: `${enterprise}:organization`, value: 'Acme' })).toEqual(after)
    expect(patched({ op: 'Add', value: { [`${enterprise}:organization`]: 'Acme' } })).toEqual(after)
    expect(patched({ op: 'Add', value: { [enterprise]: { organization: 'Acme' } } })).toEqual(after)
  })

  test('removes an attribute, a value by filter, and members by `value` as Entra does', () => {
    expect(patched({ op: 'remove', path: 'name.givenName' })['name']).toEqual({ familyName: 'Byron' })
    expect(patched({ op: 'Remove', path: 'emails[type eq "work"]' })['emails']).toEqual([])
    const group = { members: [{ value: 'a' }, { value: 'b' }, { value: 'c' }] }
    const left = (operation: unknown) => applyPatch(group, readOperations({ Operations: [operation] }))['members']
    expect(left({ op: 'Remove', path: 'members', value: [{ value: 'b' }] })).toEqual([{ value: 'a' }, { value: 'c' }])
    expect(left({ op: 'remove', path: 'members[value eq "b"]' })).toEqual([{ value: 'a' }, { value: 'c' }])
    expect(left({ op: 'remove', path: 'members' })).toBeUndefined()
    expect(left({ op: 'add', path: 'members', value: [{ value: 'c' }, { value: 'd' }] })).toEqual([
      { value: 'a' },
      { value: 'b' },
      { value: 'c' },
      { value: 'd' },
    ])
  })

  test('that is wrong is refused with the word of the protocol', () => {
    expect(scimType({ op: 'move', path: 'name' })).toBe('invalidSyntax')
    expect(scimType({ op: 'remove' })).toBe('noTarget')
    expect(scimType({ op: 'add', path: 'name' })).toBe('invalidValue')
    expect(scimType({ op: 'replace', path: 'emails[', value: 'a' })).toBe('invalidPath')
    expect(scimType({ op: 'replace', value: 'a' })).toBe('invalidValue')
    expect(scimType({ op: 'replace', path: 'emails[value co "zz"].value', value: 'a' })).toBe('noTarget')
    expect(scimType({ op: 'replace', value: { __proto__x: 1 } })).toBe('invalidPath')
    expect(() => readOperations({})).toThrow(ScimPatchError)
    expect(() => readOperations(undefined)).toThrow(ScimPatchError)
  })

  test('leaves the given resource and the prototypes of all others alone', () => {
    const before = ada()
    applyPatch(before, readOperations({ Operations: [{ op: 'remove', path: 'emails' }] }))
    expect(before).toEqual(ada())
    const body: unknown = JSON.parse(
      '{"Operations": [{"op": "add", "path": "name", "value": {"__proto__": {"polluted": 1}, "constructor": {}}}]}',
    )
    expect(() => applyPatch(before, readOperations(body))).toThrow('no name of an attribute')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test.each([
    ['{"op": "replace", "path": "name.__proto__.polluted", "value": 1}'],
    ['{"op": "replace", "path": "name.constructor.prototype.polluted", "value": 1}'],
    ['{"op": "add", "value": {"name.__proto__.polluted": 1}}'],
    ['{"op": "add", "value": {"urn:ietf:params:scim:schemas:core:2.0:User": {"name.__proto__.polluted": 1}}}'],
    [`{"op": "add", "path": "${enterprise}:__proto__.polluted", "value": 1}`],
    [`{"op": "add", "path": "${enterprise}:manager.__proto__.polluted", "value": 1}`],
    ['{"op": "add", "path": "name.__PROTO__", "value": {"polluted": 1}}'],
    ['{"op": "add", "path": "emails[type eq \\"work\\"].constructor", "value": 1}'],
    ['{"op": "remove", "path": "name.__proto__.toString"}'],
    ['{"op": "remove", "path": "constructor.prototype.toString"}'],
  ])('never reaches what all objects of the process share: %s', (operation) => {
    expect(scimType(JSON.parse(operation))).toBe('invalidPath')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(typeof Reflect.get({}, 'toString')).toBe('function')
  })

  test('refuses more than it can compare in a moment', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ value: `${at}` }))
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { inner: nested(depth - 1) })
    expect(scimType({ op: 'add', path: 'emails', value: many(100_000) })).toBe('invalidValue')
    expect(scimType({ op: 'replace', path: 'emails', value: many(100_000) })).toBe('invalidValue')
    expect(scimType({ op: 'add', path: 'emails', value: many(100) })).toBe('invalidValue')
    expect(scimType({ op: 'replace', path: 'name', value: nested(50) })).toBe('invalidValue')
    expect(scimType({ op: 'add', value: Object.fromEntries(many(100_000).map(({ value }) => [`a${value}`, 1])) })).toBe('invalidValue')
    expect(scimType({ op: 'add', path: 'name', value: Object.fromEntries(many(101).map(({ value }) => [`a${value}`, 1])) })).toBe(
      'invalidValue',
    )
    expect(scimType(...many(101).map(({ value }) => ({ op: 'replace', path: 'title', value })))).toBe('invalidSyntax')
    expect(scimType({ op: 'add', path: `urn:${':user:'.repeat(100_000)}`, value: 1 })).toBe('invalidPath')
    expect(scimType({ op: 'add', value: { [`urn:${':user:'.repeat(100_000)}\n`]: 1 } })).toBe('invalidPath')
    expect(patched({ op: 'add', path: 'emails', value: many(99) })['emails']).toHaveLength(100)
  })
})
