// Brings a translation to the console: `virtual:translations/de` holds what each English message is in German. The build writes the messages with values
// compiled, on both sides, as messages-plugin.ts does in the code that names them. `pairs` are those that a sentence of the server can be known by, under their English words.

import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import type { Plugin } from 'vite'
import { makesSentences } from '#core/contract/sentences.ts'
import { writeBuilt } from '../built-message.ts'
import { holdsValue } from './extract-text.ts'
import { readTranslation, translationFiles } from './translations.ts'

const prefix = '\0virtual:translations/'

const built = (text: string): string => (holdsValue.test(text) ? writeBuilt(compileMessageOrThrow(text)) : text)

export const builtTranslation = (messages: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(messages).map(([english, other]) => [built(english), built(other)]))

export const pairsOf = (messages: Readonly<Record<string, string>>, write: (text: string) => string): (readonly [string, string])[] =>
  Object.entries(messages).flatMap(([english, other]) => (makesSentences(english) ? [[english, write(other)] as const] : []))

export function translationsPlugin(root: string): Plugin {
  let compiles = false
  return {
    name: 'chancery:translations',
    configResolved({ command }) {
      compiles = command === 'build'
    },
    resolveId: (id) => (id.startsWith(prefix.slice(1)) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(prefix)) return undefined
      const files = translationFiles(root, id.slice(prefix.length))
      for (const file of files) this.addWatchFile(file)
      const messages = readTranslation(files)
      // A browser reads JSON from a string faster than the same as a program.
      const parsed = (value: unknown): string => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`
      const pairs = pairsOf(messages, compiles ? built : (text) => text)
      return `export const messages = ${parsed(compiles ? builtTranslation(messages) : messages)}\nexport const pairs = ${parsed(pairs)}`
    },
  }
}
