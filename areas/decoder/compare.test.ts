import { describe, expect, test } from 'vitest'
import { compareFields } from './compare.ts'

const leaf = (label: string, value: string) => ({ label, value })

describe('two objects side by side', () => {
  test('show what is the same, what differs, and what only one of them has, in their order', () => {
    const one = [{ label: 'tbs', children: [leaf('serial', '1'), leaf('issuer', 'CN=A'), leaf('end', '2026')] }]
    const other = [{ label: 'tbs', children: [leaf('serial', '2'), leaf('issuer', 'CN=A'), leaf('extra', 'x'), leaf('end', '2026')] }]
    expect(compareFields(one, other)).toEqual([
      { path: 'tbs › serial', one: '1', other: '2', differs: true },
      { path: 'tbs › issuer', one: 'CN=A', other: 'CN=A', differs: false },
      { path: 'tbs › extra', one: '', other: 'x', differs: true },
      { path: 'tbs › end', one: '2026', other: '2026', differs: false },
    ])
  })

  test('tell apart what stands several times under one name', () => {
    expect(compareFields([leaf('name', 'a'), leaf('name', 'b')], [leaf('name', 'a')]).map(({ path, differs }) => [path, differs])).toEqual([
      ['name', false],
      ['name (2)', true],
    ])
  })

  test('tell an empty value from one that is not there', () => {
    expect(compareFields([leaf('a', '')], [])).toEqual([{ path: 'a', one: '', other: '', differs: true }])
  })

  test('of the same are the same', () => {
    const one = [{ label: 'a', value: '1', note: 'n', children: [leaf('b', '2')] }]
    expect(compareFields(one, structuredClone(one)).some(({ differs }) => differs)).toBe(false)
  })
})
