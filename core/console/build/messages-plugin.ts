// Compiles the messages of the console with Lingui's own compiler, so that no page loads a parser: every literal that holds a value becomes the same message
// compiled. While developing, and in tests, Lingui compiles them when they are first shown.

import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import type { Plugin } from 'vite'
import { writeBuilt } from '../built-message.ts'
import { extractTexts, holdsValue, literalsIn } from './extract-text.ts'

const own = /^\0virtual:contracts|\/(?:areas|core|apps)\/(?!.*\/node_modules\/).*\.tsx?$/

/** Throws where a message is malformed, or is none of `texts`, which is what translators get. */
export function withMessages(name: string, code: string, texts: ReadonlySet<string>): string {
  const messages = holdsValue.test(code) ? literalsIn(name, code).filter(({ text }) => holdsValue.test(text)) : []
  return messages
    .toSorted((a, b) => b.start - a.start)
    .reduce((whole, { text, start, end }) => {
      if (!texts.has(text))
        throw new SyntaxError(`${name}: no translator would get “${text}”. Give it to t, or to a property that the extractor knows`)
      return whole.slice(0, start) + JSON.stringify(writeBuilt(compileMessageOrThrow(text))) + whole.slice(end)
    }, code)
}

export function messagesPlugin(root: string): Plugin {
  let texts: ReadonlySet<string> = new Set()
  return {
    name: 'chancery:messages',
    apply: 'build',
    enforce: 'pre',
    buildStart() {
      texts = new Set(extractTexts(root))
    },
    transform(code, id) {
      if (!own.test(id)) return undefined
      const built = withMessages(id.startsWith('\0') ? 'contracts.js' : id, code, texts)
      return built === code ? undefined : { code: built, map: null }
    },
  }
}
