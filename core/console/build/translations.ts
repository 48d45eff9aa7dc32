// Judges a translation: every English message has one and nothing else has, it is a message itself, and takes the same values and tags.

import { compileMessageOrThrow, type CompiledMessage } from '@lingui/message-utils/compileMessage'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The values that a message takes, each as `name` or `name:plural`. Both sides of a plural count, so that no case forgets one. */
function valuesOf(message: CompiledMessage): Set<string> {
  const found = new Set<string>()
  const visit = (tokens: unknown): void => {
    if (!Array.isArray(tokens)) return
    for (const token of tokens) {
      if (!Array.isArray(token)) continue
      const [name, type, cases] = token as [string, string?, unknown?]
      found.add(type === undefined ? name : `${name}:${type}`)
      if (typeof cases === 'object' && cases !== null) Object.values(cases).forEach(visit)
    }
  }
  visit(message)
  return found
}

const compiled = (text: string): CompiledMessage | undefined => {
  try {
    return compileMessageOrThrow(text)
  } catch {
    return undefined
  }
}

/** What is wrong, a sentence each. `messages` are those of en-GB.json. */
export function judgeTranslation(messages: readonly string[], translation: Readonly<Record<string, string>>): string[] {
  const known = new Set(messages)
  const missing = messages.filter((message) => (translation[message] ?? '').trim() === '')
  const foreign = Object.keys(translation).filter((message) => !known.has(message))
  const wrong = messages.flatMap((message) => {
    const other = translation[message]
    if (other === undefined) return []
    const [here, there] = [compiled(message), compiled(other)]
    if (here === undefined) return []
    if (there === undefined) return [`is no message: “${other}”`]
    const [asked, given] = [valuesOf(here), valuesOf(there)]
    const differ = [...[...asked].filter((one) => !given.has(one)), ...[...given].filter((one) => !asked.has(one))]
    return differ.length === 0 ? [] : [`“${message}” and “${other}” differ in ${differ.join(', ')}`]
  })
  return [...missing.map((message) => `has no “${message}”`), ...foreign.map((message) => `has “${message}”, which is no text`), ...wrong]
}

/** The translations that rooms keep beside their screens, so that a new room is whole without a change elsewhere. */
export const roomTranslations = (root: string, language: string): string[] =>
  globSync(`areas/*/console/${language}.json`, { cwd: root }).toSorted()

/** The files of a language, core's first. */
export const translationFiles = (root: string, language: string): string[] =>
  [`core/console/locales/${language}.json`, ...roomTranslations(root, language)].map((place) => join(root, place))

export const readTranslation = (files: readonly string[]): Record<string, string> =>
  Object.assign({}, ...files.map((file): Record<string, string> => JSON.parse(readFileSync(file, 'utf8'))))
