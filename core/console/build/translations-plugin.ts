// Brings a translation to the console: `virtual:translations/de` holds what each English message is in German. The build writes the messages with values
// compiled, on both sides, as messages-plugin.ts does in the code that names them.

import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import type { Plugin } from 'vite'
import { writeBuilt } from '../built-message.ts'
import { holdsValue } from './extract-text.ts'
import { readTranslation, translationFiles } from './translations.ts'

const prefix = '\0virtual:translations/'

const built = (text: string): string => (holdsValue.test(text) ? writeBuilt(compileMessageOrThrow(text)) : text)

export const builtTranslation = (messages: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(messages).map(([english, other]) => [built(english), built(other)]))

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
      return `export const messages = JSON.parse(${JSON.stringify(JSON.stringify(compiles ? builtTranslation(messages) : messages))})`
    },
  }
}
