// The file of `npm run bootstrap -- --file F.json`, read before anything is opened: what is wrong with it is said by file, place and name.

import { readFileSync } from 'node:fs'
import type * as z from 'zod'
import { SetupDraft as Shape } from '#areas/setup/contract.ts'
import { readExactly } from '#core/server/shape-faults.ts'

export type SetupDraft = z.output<typeof Shape>

/** Throws an error whose message has one line for each fault. */
export function readDraft(file: string): SetupDraft {
  const draft = readJson(file)
  const parsed = Shape.safeParse(draft)
  if (!parsed.success)
    throw new Error(parsed.error.issues.map((issue) => `${file}: ${wordsOf(issue.path.join('.'), issue.message)}`).join('\n'))
  // Editors are told by $schema which schema the file is of.
  const { fields: unknown = [] } = readExactly(Shape, draft, '', ['$schema'])
  if (unknown.length > 0) throw new Error(unknown.map(({ field, says }) => `${file}: ${field}: ${says}`).join('\n'))
  return parsed.data
}

function readJson(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(
      `${file} cannot be read: ${error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'there is no such file' : String(error)}`,
      { cause: error },
    )
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? positioned(error.message, text) : ''}`, { cause: error })
  }
}

/** The engine says the line and column of most faults; of a file that ends too soon it does not. */
const positioned = (message: string, text: string): string =>
  /line \d+/.test(message) ? message : `${message} (line ${text.split('\n').length}, at the end)`

function wordsOf(path: string, message: string): string {
  if (path === '') return 'should hold one object with tenancyName and administrator, and authority if one is wanted'
  if (/received undefined/.test(message)) return `${path} is missing`
  const expected = /expected (\w+)/.exec(message)?.[1]
  return expected === undefined ? `${path}: ${message}` : `${path} should be ${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`
}
