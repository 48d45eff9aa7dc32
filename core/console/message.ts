// Reads a message in ICU format: {name}, plural, selectordinal, select, number, and what apostrophes quote. The library's own reader takes as long to
// arrive as three lists and reads dates and durations besides, which no message of ours writes: a moment is drawn by DateTime.

import type { CompiledMessage, CompiledMessageToken } from '@lingui/message-utils/compileMessage'

/** Throws a SyntaxError where the text is no message. */
export function readMessage(message: string, mapText: (text: string) => string = (text) => text): CompiledMessage {
  let at = 0
  const refuse = (): never => {
    throw new SyntaxError(`No message from character ${at} on: ${message}`)
  }
  const next = (form: RegExp): string | undefined => {
    form.lastIndex = at
    const [found] = form.exec(message) ?? []
    if (found !== undefined) at += found.length
    return found?.trim()
  }
  const must = (form: RegExp): string => next(form) ?? refuse()

  /** Up to the brace that closes a choice, or to the end. `counts`: # is the number. */
  function tokens(counts: boolean, inside: boolean): CompiledMessage {
    const read: CompiledMessage = []
    let text = ''
    const flush = (): void => {
      if (text !== '') read.push(mapText(text))
      text = ''
    }
    while (at < message.length && message[at] !== '}') {
      const quoted = next(counts ? quotedCounting : quotedPlain)
      if (quoted !== undefined) text += quoted === "''" ? "'" : quoted.slice(1).replace(/'$/, '').replaceAll("''", "'")
      else if (message[at] === '{') {
        flush()
        read.push(argument(counts))
      } else if (counts && message[at] === '#') {
        flush()
        read.push('#')
        at += 1
      } else text += message[at++]
    }
    flush()
    return (at < message.length) === inside ? read : refuse()
  }

  function argument(counts: boolean): CompiledMessageToken {
    const name = must(/\{\s*[\w.-]+\s*/y).slice(1).trim()
    if (next(closing) !== undefined) return [name]
    const kind = must(/,\s*(?:plural|selectordinal|select|number)\s*/y).slice(1).trim()
    if (kind === 'number') {
      const format = next(/,[^{}]*/y)?.slice(1).trim()
      must(closing)
      return format === undefined ? [name, kind] : [name, kind, format]
    }
    must(/,\s*/y)
    const offset = kind === 'select' ? undefined : next(/offset:\s*\d+\s*/y)
    const choices: Record<string, CompiledMessage> = {}
    while (next(closing) === undefined) {
      const key = must(kind === 'select' ? /[^\s{},]+\s*/y : /(?:=\d+|[a-z]+)\s*/y)
      must(/\{/y)
      choices[key.replace(/^=/, '')] = tokens(kind !== 'select' || counts, true)
      must(/\}\s*/y)
    }
    if (choices['other'] === undefined) return refuse()
    return [name, kind, { ...(offset === undefined ? {} : { offset: Number(offset.slice('offset:'.length)) }), ...choices }]
  }

  return tokens(false, false)
}

const closing = /\s*\}/y
// Two are one. One that stands before what means something keeps it from meaning it, up to the next; any other is itself.
const quotedPlain = /''|'[{}](?:[^']|'')*'?/y
const quotedCounting = /''|'[{}#](?:[^']|'')*'?/y
