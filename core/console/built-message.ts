// A message with values as the build writes it into the console (build/messages-plugin.ts) and as the browser reads it back: compiled by Lingui, as JSON.
// It stays a string, and so its own id. No text of a person or of the server begins with the mark, which is a control character.

import type { CompiledMessage } from '@lingui/message-utils/compileMessage'

const mark = '\u0001'

export const writeBuilt = (message: CompiledMessage): string => mark + JSON.stringify(message)

/** What the build did not compile has no values and is shown as it is. */
export const readBuilt = (text: string): CompiledMessage => (text.startsWith(mark) ? JSON.parse(text.slice(mark.length)) : [text])
