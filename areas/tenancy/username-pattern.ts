// A tenancy's pattern for usernames: the part of regular expressions that such patterns need, matched by going through the name once with all places where a match
// may stand. JavaScript's own engine tries one way after the other, and a pattern such as (a+)+$ would hold the server up for years.

import { say } from '#standards/say/say.ts'

/** `walk`: from the places where a part may begin to those where it may end. `steps`: how many characters are looked at for it at most, from each place. */
type Part = { walk: (name: string, from: ReadonlySet<number>) => ReadonlySet<number>; steps: number }

export type UsernamePattern = { fits: (name: string) => boolean; fault?: never } | { fits?: never; fault: string }

export const longestPattern = 200
/** A username has no more characters. */
const mostRepeats = 64
/** Enough for a repeated part within a repeated part; the longest name is through in milliseconds. */
const mostSteps = 10_000

/** What is wrong with it is said by name. */
export function readUsernamePattern(text: string): UsernamePattern {
  const read = parse(text)
  if (typeof read === 'string') return { fault: read }
  // Like a regular expression it fits wherever it is found in the name, unless it says ^ and $.
  return { fits: (name) => read.walk(name, new Set(Array.from({ length: name.length + 1 }, (_, at) => at))).size > 0 }
}

const character = (allowed: (one: string) => boolean): Part => ({
  walk: (name, from) => new Set([...from].flatMap((at) => (at < name.length && allowed(name.charAt(at)) ? [at + 1] : []))),
  steps: 1,
})
const begins: Part = { walk: (_name, from) => new Set(from.has(0) ? [0] : []), steps: 1 }
const ends: Part = { walk: (name, from) => new Set(from.has(name.length) ? [name.length] : []), steps: 1 }
const stepsOf = (parts: readonly Part[]): number => parts.reduce((sum, { steps }) => sum + steps, 1)
const inTurn = (parts: readonly Part[]): Part => ({
  walk: (name, from) => parts.reduce((places, { walk }) => walk(name, places), from),
  steps: stepsOf(parts),
})
const oneOf = (ways: readonly Part[]): Part => ({
  walk: (name, from) => new Set(ways.flatMap(({ walk }) => [...walk(name, from)])),
  steps: stepsOf(ways),
})

function repeated({ walk, steps }: Part, least: number, most: number): Part {
  return {
    walk(name, from) {
      let places = from
      for (let count = 0; count < least && places.size > 0; count += 1) places = walk(name, places)
      const reached = new Set(places)
      for (let count = least; count < most && places.size > 0; count += 1) {
        places = new Set([...walk(name, places)].filter((place) => !reached.has(place)))
        for (const place of places) reached.add(place)
      }
      return reached
    },
    steps: steps * most,
  }
}

const classes: Record<string, (one: string) => boolean> = {
  d: (one) => /\d/.test(one),
  D: (one) => /\D/.test(one),
  w: (one) => /\w/.test(one),
  W: (one) => /\W/.test(one),
}

const special = '\\^$.|?*+()[]{}'

/** The pattern as one part, or what is wrong with it. */
function parse(text: string): Part | string {
  let at = 0
  let fault: string | undefined
  const refused = (says: string): Part => {
    fault ??= says
    at = text.length
    return begins
  }
  const took = (wanted: string): boolean => {
    const there = text.startsWith(wanted, at)
    if (there) at += wanted.length
    return there
  }

  function alternatives(): Part {
    const ways = [sequence()]
    while (took('|')) ways.push(sequence())
    return oneOf(ways)
  }

  function sequence(): Part {
    const parts: Part[] = []
    while (at < text.length && text[at] !== '|' && text[at] !== ')') parts.push(withCount(one()))
    return inTurn(parts)
  }

  function withCount(part: Part): Part {
    const [sign, least = '', comma, most = ''] = /^(?:[?*+]|\{(\d{1,3})(,?)(\d{0,3})\})/.exec(text.slice(at)) ?? []
    if (sign === undefined)
      return text[at] === '{'
        ? refused('In braces stands how often: a number, a number and a comma, or two numbers. A brace itself has a backslash before it')
        : part
    at += sign.length
    if (/^[?*+{]/.test(text.slice(at))) return refused('Say only once how often a part comes')
    if (sign === '?') return repeated(part, 0, 1)
    if (sign === '*') return repeated(part, 0, mostRepeats)
    if (sign === '+') return repeated(part, 1, mostRepeats)
    const [from, to] = [Number(least), comma === '' ? Number(least) : most === '' ? mostRepeats : Number(most)]
    return from > to || to > mostRepeats
      ? refused(say`A part repeats at most ${mostRepeats} times, the smaller number first`)
      : repeated(part, from, to)
  }

  function one(): Part {
    const letter = text[at] ?? ''
    at += 1
    if (letter === '^') return begins
    if (letter === '$') return ends
    if (letter === '.') return character(() => true)
    if (letter === '(') return group()
    if (letter === '[') return set()
    if (letter === '\\') return escaped()
    if (special.includes(letter)) return refused(say`Write a ${letter} itself as \\${letter}`)
    return character((each) => each === letter)
  }

  function group(): Part {
    if (!took('?:') && text[at] === '?') return refused('(? is not known here: look-ahead, names and the like cannot be used')
    const within = alternatives()
    return took(')') ? within : refused('A ( is not closed')
  }

  function escaped(): Part {
    const letter = text[at] ?? ''
    at += 1
    const known = classes[letter]
    if (known !== undefined) return character(known)
    return /^[A-Za-z0-9]?$/.test(letter)
      ? refused(say`\\${letter} is not known here: there are \\d, \\w, \\D, \\W, and \\ before a sign`)
      : character((each) => each === letter)
  }

  function set(): Part {
    const not = took('^')
    const allowed: ((each: string) => boolean)[] = []
    while (at < text.length && text[at] !== ']') {
      const from = member()
      if (typeof from !== 'string') allowed.push(from)
      else if (text[at] !== '-' || text[at + 1] === ']') allowed.push((each) => each === from)
      else {
        at += 1
        const to = member()
        if (typeof to !== 'string' || to < from) return refused('In [ ] a stretch goes from a smaller to a greater character, such as a-z')
        allowed.push((each) => each >= from && each <= to)
      }
    }
    if (!took(']')) return refused('A [ is not closed')
    return allowed.length === 0 ? refused('A [ ] is empty') : character((each) => allowed.some((fits) => fits(each)) !== not)
  }

  function member(): string | ((each: string) => boolean) {
    const letter = text[at] ?? ''
    at += 1
    if (letter !== '\\') return letter
    const sign = text[at] ?? ''
    at += 1
    if (classes[sign] === undefined && /^[A-Za-z0-9]?$/.test(sign))
      refused(say`\\${sign} is not known here: there are \\d, \\w, \\D, \\W, and \\ before a sign`)
    return classes[sign] ?? sign
  }

  const whole = alternatives()
  if (fault === undefined && at < text.length) return 'A ) closes nothing'
  return fault ?? (whole.steps > mostSteps ? 'Too much is repeated within what is repeated' : whole)
}
