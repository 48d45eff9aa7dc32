import { createHash, randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { forgetLists, cacheList, cachedList } from './list-cache.ts'

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
    cacheList(one.sha256, one.pieces, one.length)
    expect(cachedList(one.sha256)).toBe(one.pieces)
    expect(cachedList(other.sha256)).toBeUndefined()
  })

  test('make room for new ones, those first that nobody has asked for', () => {
    const [first, second, third] = [listOf(3 * mebibyte), listOf(3 * mebibyte), listOf(3 * mebibyte)]
    for (const { sha256, pieces, length } of [first, second]) cacheList(sha256, pieces, length)
    expect(cachedList(first.sha256)).toBe(first.pieces)
    cacheList(third.sha256, third.pieces, third.length)
    expect(cachedList(first.sha256)).toBe(first.pieces)
    expect(cachedList(second.sha256)).toBeUndefined()
    expect(cachedList(third.sha256)).toBe(third.pieces)
  })

  test('make way for the list that follows them', () => {
    const [before, other, next] = [listOf(3 * mebibyte), listOf(3 * mebibyte), listOf(3 * mebibyte)]
    for (const { sha256, pieces, length } of [other, before]) cacheList(sha256, pieces, length)
    cacheList(next.sha256, next.pieces, next.length, before.sha256)
    expect(cachedList(before.sha256)).toBeUndefined()
    expect(cachedList(other.sha256)).toBe(other.pieces)
    expect(cachedList(next.sha256)).toBe(next.pieces)
  })

  test('are whole, and none is so large that it drives out all others', () => {
    const [part, large] = [listOf(mebibyte), listOf(10 * mebibyte)]
    cacheList(part.sha256, part.pieces.slice(1), part.length)
    cacheList(large.sha256, large.pieces, large.length)
    expect(cachedList(part.sha256)).toBeUndefined()
    expect(cachedList(large.sha256)).toBeUndefined()
  })
})
