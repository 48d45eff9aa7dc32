import { createHash, randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { forgetLists, keepList, keptList } from './kept-lists.ts'

const mebibyte = 1024 * 1024

function listOf(bytes: number) {
  const blocks = [randomBytes(bytes / 2), randomBytes(bytes / 2)]
  return { sha256: createHash('sha256').update(Buffer.concat(blocks)).digest(), blocks, length: bytes }
}

beforeEach(forgetLists)

describe('lists in memory', () => {
  test('are found by the hash of what was signed', () => {
    const [one, other] = [listOf(mebibyte), listOf(mebibyte)]
    keepList(one.sha256, one.blocks, one.length)
    expect(keptList(one.sha256)).toBe(one.blocks)
    expect(keptList(other.sha256)).toBeUndefined()
  })

  test('make room for new ones, those first that nobody has asked for', () => {
    const [first, second, third] = [listOf(3 * mebibyte), listOf(3 * mebibyte), listOf(3 * mebibyte)]
    for (const { sha256, blocks, length } of [first, second]) keepList(sha256, blocks, length)
    expect(keptList(first.sha256)).toBe(first.blocks)
    keepList(third.sha256, third.blocks, third.length)
    expect(keptList(first.sha256)).toBe(first.blocks)
    expect(keptList(second.sha256)).toBeUndefined()
    expect(keptList(third.sha256)).toBe(third.blocks)
  })

  test('are whole, and none is so large that it drives out all others', () => {
    const [part, large] = [listOf(mebibyte), listOf(10 * mebibyte)]
    keepList(part.sha256, part.blocks.slice(1), part.length)
    keepList(large.sha256, large.blocks, large.length)
    expect(keptList(part.sha256)).toBeUndefined()
    expect(keptList(large.sha256)).toBeUndefined()
  })
})
