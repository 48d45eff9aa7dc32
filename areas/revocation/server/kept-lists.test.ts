import { createHash, randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { forgetLists, keepList, keptList } from './kept-lists.ts'

const mebibyte = 1024 * 1024

function listOf(bytes: number) {
  const pieces = [0, 1].map((position) => ({ position, source: 1, bytes: randomBytes(bytes / 2) }))
  return {
    sha256: createHash('sha256')
      .update(Buffer.concat(pieces.map((piece) => piece.bytes)))
      .digest(),
    pieces,
    length: bytes,
  }
}

beforeEach(forgetLists)

describe('lists in memory', () => {
  test('are found by the hash of what was signed', () => {
    const [one, other] = [listOf(mebibyte), listOf(mebibyte)]
    keepList(one.sha256, one.pieces, one.length)
    expect(keptList(one.sha256)).toBe(one.pieces)
    expect(keptList(other.sha256)).toBeUndefined()
  })

  test('make room for new ones, those first that nobody has asked for', () => {
    const [first, second, third] = [listOf(3 * mebibyte), listOf(3 * mebibyte), listOf(3 * mebibyte)]
    for (const { sha256, pieces, length } of [first, second]) keepList(sha256, pieces, length)
    expect(keptList(first.sha256)).toBe(first.pieces)
    keepList(third.sha256, third.pieces, third.length)
    expect(keptList(first.sha256)).toBe(first.pieces)
    expect(keptList(second.sha256)).toBeUndefined()
    expect(keptList(third.sha256)).toBe(third.pieces)
  })

  test('make way for the list that follows them', () => {
    const [before, other, next] = [listOf(3 * mebibyte), listOf(3 * mebibyte), listOf(3 * mebibyte)]
    for (const { sha256, pieces, length } of [other, before]) keepList(sha256, pieces, length)
    keepList(next.sha256, next.pieces, next.length, before.sha256)
    expect(keptList(before.sha256)).toBeUndefined()
    expect(keptList(other.sha256)).toBe(other.pieces)
    expect(keptList(next.sha256)).toBe(next.pieces)
  })

  test('are whole, and none is so large that it drives out all others', () => {
    const [part, large] = [listOf(mebibyte), listOf(10 * mebibyte)]
    keepList(part.sha256, part.pieces.slice(1), part.length)
    keepList(large.sha256, large.pieces, large.length)
    expect(keptList(part.sha256)).toBeUndefined()
    expect(keptList(large.sha256)).toBeUndefined()
  })
})
