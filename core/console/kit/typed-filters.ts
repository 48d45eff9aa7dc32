// Filters typed into the search line: `status:expired`, `template:"TLS server"`. A name or a value that is not known is told, with the one that was probably
// meant; everything else is text to search for, as a name or a serial number may hold a colon.

import { nearestTo } from '#core/contract/nearest.ts'
import type { Filter } from './filter.ts'

type Filters = Readonly<Record<string, Filter>>

export type TypedFilters = {
  /** The text without what is a filter. */
  rest: string
  found: { name: string; value: string; says: string }[]
  /** Of a name that is none, or of a value that its filter does not have. */
  wrong: { typed: string; filter?: string; meant: string | undefined }[]
}

const written = /([\p{L}][\p{L}\p{N}]*):("[^"]*"|[^\s"]+)/gu
const plain = (text: string): string => text.toLowerCase().replaceAll(/[\s-]/g, '')

export function readTyped(text: string, filters: Filters): TypedFilters {
  // By what the API calls it, and by what the page does.
  const names = new Map(
    Object.entries(filters).flatMap(
      ([name, { label }]) =>
        [
          [plain(name), name],
          [plain(label), name],
        ] as const,
    ),
  )
  const read: TypedFilters = { rest: text, found: [], wrong: [] }
  for (const [whole, typed = '', quoted = ''] of text.matchAll(written)) {
    const name = names.get(plain(typed))
    const value = quoted.replaceAll('"', '')
    if (name === undefined) {
      const meant = typed.length < 4 ? undefined : nearestTo(typed, [...names.keys()])
      const meantName = meant === undefined ? undefined : names.get(meant)
      if (meantName !== undefined) read.wrong.push({ typed, meant: meant === plain(meantName) ? meantName : meant })
      continue
    }
    const { label = name, options = [] } = filters[name] ?? {}
    const option = options.find((one) => [plain(one.value), plain(one.label)].includes(plain(value)))
    if (option === undefined) {
      const labels = options.map((one) => one.label)
      read.wrong.push({
        typed: value,
        filter: label,
        meant: nearestTo(value, labels) ?? labels.find((one) => plain(one).startsWith(plain(value))),
      })
      continue
    }
    read.found.push({ name, value: option.value, says: `${label}: ${option.label}` })
    read.rest = read.rest.replace(whole, '')
  }
  read.rest = read.rest.replaceAll(/\s+/g, ' ').trim()
  return read
}

/** Names in the address that look like one of the list's own and are none; all that are none where nothing else reads the address. */
export const misspelt = (
  address: URLSearchParams,
  known: readonly string[],
  alone: boolean,
): { typed: string; meant: string | undefined }[] =>
  [...new Set(address.keys())]
    .filter((name) => !known.includes(name))
    .map((typed) => ({ typed, meant: typed.length < 4 ? undefined : nearestTo(typed, known) }))
    .filter(({ meant }) => alone || meant !== undefined)
