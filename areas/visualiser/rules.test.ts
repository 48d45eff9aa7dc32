import { describe, expect, test } from 'vitest'
import { treeOf, type Branch, type LinkKind } from './rules.ts'

const node = (id: string) => ({ id, label: id.toUpperCase() })
const outline = (branches: readonly Branch<{ id: string }>[]): string =>
  branches.map(({ node: { id }, below }) => (below.length === 0 ? id : `${id}(${outline(below)})`)).join(' ')
const tree = (ids: string, links: { from: string; to: string; kind?: LinkKind }[]) =>
  outline(
    treeOf(
      [...ids].map(node),
      links.map((link) => ({ kind: 'signed', ...link })),
    ),
  )

describe('The tree of authorities', () => {
  test('stands each below the one that signed it, in the order of their names', () => {
    expect(
      tree('cabd', [
        { from: 'a', to: 'c' },
        { from: 'a', to: 'b' },
        { from: 'c', to: 'd' },
      ]),
    ).toBe('a(b c(d))')
  })
  test('has one that two signed only once', () => {
    expect(
      tree('abc', [
        { from: 'a', to: 'c' },
        { from: 'b', to: 'c' },
      ]),
    ).toBe('a(c) b')
  })
  test('leaves nobody out of a circle of signatures, and ends', () => {
    expect(
      tree('ab', [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'a' },
      ]),
    ).toBe('a(b)')
    expect(tree('a', [{ from: 'a', to: 'a' }])).toBe('a')
  })
  test('puts nobody below who certified them besides, nor below a predecessor', () => {
    expect(
      tree('abc', [
        { from: 'a', to: 'b', kind: 'cross' },
        { from: 'b', to: 'a', kind: 'cross' },
        { from: 'a', to: 'c', kind: 'successor' },
      ]),
    ).toBe('a b c')
  })
  test('forgets a link to one that is not there', () => {
    expect(tree('a', [{ from: 'z', to: 'a' }])).toBe('a')
  })
})
