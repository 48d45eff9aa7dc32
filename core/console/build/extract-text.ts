// Collects every text that a person can read: what `t('...')` says in the console, the words of the contracts, and the sentences that the server marks
// with `say`. The list is what a translator gets. `npm run texts` writes it, `--check` fails where it is old.

import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'vite'
import { judgeTranslation, roomTranslations } from './translations.ts'

/** Properties whose literal is a text: the contracts' words, and tables of the console that are passed to `t` later. */
const wordKeys = new Set([
  'title',
  'single',
  'one',
  'asks',
  'label',
  'tab',
  'button',
  'done',
  'failed',
  'says',
  'word',
  'group',
  'hint',
  'description',
  'singular',
  'plural',
  'intro',
])

type Node = { type: string; [key: string]: unknown }
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

function walk(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) return node.forEach((one) => walk(one, visit))
  if (!isNode(node)) return
  visit(node)
  for (const [key, value] of Object.entries(node)) if (key !== 'parent') walk(value, visit)
}

const literal = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  const quasis =
    node.type === 'TemplateLiteral' && Array.isArray(node['quasis']) && node['quasis'].length === 1 ? node['quasis'][0] : undefined
  const value: unknown = isNode(quasis) ? quasis['value'] : undefined
  return typeof value === 'object' && value !== null && 'cooked' in value && typeof value.cooked === 'string' ? value.cooked : undefined
}

/** All literals that an expression can come to: both sides of a choice, not what it is chosen by. */
function literalsOf(node: unknown): string[] {
  if (isNode(node) && node.type === 'ConditionalExpression') return [...literalsOf(node['consequent']), ...literalsOf(node['alternate'])]
  if (isNode(node) && node.type === 'LogicalExpression') return literalsOf(node['right'])
  const text = literal(node)
  return text === undefined ? [] : [text]
}

/** Only messages are written so. */
export const holdsValue = /\{\s*[\w.-]+\s*[,}]/

/** The message of a marked sentence: each value has the name of its variable or property, or its number. */
function messageOf(quasi: unknown): string | undefined {
  if (!isNode(quasi) || !Array.isArray(quasi['quasis']) || !Array.isArray(quasi['expressions'])) return undefined
  const names = quasi['expressions'].map(nameOf)
  // Two of one name are two values.
  const values = names.map((name, at) => (name === undefined || names.indexOf(name) < at ? String(at) : name))
  return quasi['quasis'].map(cookedOf).reduce((text, part, at) => `${text}{${values[at - 1]}}${part}`)
}

const cookedOf = (part: unknown): string => {
  const value: unknown = isNode(part) ? part['value'] : undefined
  return typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked) : ''
}

const nameOf = (value: unknown): string | undefined => {
  const named = isNode(value) && value.type === 'MemberExpression' && value['computed'] !== true ? value['property'] : value
  return isNode(named) && named.type === 'Identifier' ? String(named['name']) : undefined
}

/** The sentences of a file that are marked with `say`, and those that it makes messages of itself. */
export function sentencesOf(name: string, code: string): string[] {
  if (!/\bsay`|\bmessage\(['"]/.test(code)) return []
  const found = new Set<string>()
  walk(parseSync(name, code).program, (node) => {
    const message = node.type === 'TaggedTemplateExpression' && named(node['tag'], 'say') ? messageOf(node['quasi']) : undefined
    if (message !== undefined) found.add(message)
    if (node.type === 'CallExpression' && named(node['callee'], 'message') && Array.isArray(node['arguments']))
      for (const text of literalsOf(node['arguments'][0])) found.add(text)
  })
  return [...found]
}

/** All literals of a file and where they stand. */
export function literalsIn(name: string, code: string): { text: string; start: number; end: number }[] {
  const found: { text: string; start: number; end: number }[] = []
  walk(parseSync(name, code).program, (node) => {
    const text = literal(node)
    if (text !== undefined) found.push({ text, start: Number(node['start']), end: Number(node['end']) })
  })
  return found
}

const sentence = /^\p{Lu}.*[\p{Ll}].*$/u
const named = (node: unknown, name: string) => isNode(node) && node.type === 'Identifier' && node['name'] === name

/** The texts of one file. In a contract every sentence counts, so that the shapes' own messages are there. */
export function textsOf(name: string, code: string, contract = false): string[] {
  const { program, errors } = parseSync(name, code)
  if (errors.length > 0) throw new SyntaxError(`${name}: ${errors[0]?.message}`)
  const texts = new Set<string>()
  const forPrograms = new Set<unknown>()
  walk(program, (node) => {
    // What a call does stands in the description of the API, which is not translated.
    if (node.type === 'Property' && named(node['key'], 'does')) forPrograms.add(node['value'])
    if (forPrograms.has(node)) return
    if (node.type === 'CallExpression' && named(node['callee'], 't') && Array.isArray(node['arguments']))
      for (const text of literalsOf(node['arguments'][0])) texts.add(text)
    if (node.type === 'Property' && isNode(node['key']) && wordKeys.has(String(node['key']['name']))) {
      const text = literal(node['value'])
      if (text !== undefined && (/^\p{Lu}/u.test(text) || text.includes(' '))) texts.add(text)
    }
    // Other words for a screen, which need no capital.
    if (node.type === 'Property' && named(node['key'], 'also')) for (const text of literalsOf(node['value'])) texts.add(text)
    const whole = literal(node)
    if (
      whole !== undefined &&
      (holdsValue.test(whole) ||
        (contract && sentence.test(whole) && (/ |^\p{Lu}\p{Ll}+-\p{Ll}+$/u.test(whole) || name.endsWith('menu.ts'))))
    )
      texts.add(whole)
  })
  return [...texts].filter((text) => text !== '')
}

/** The files at the root of its own room that a file takes words from: the parts of a contract, what judges a password. */
const partsOf = (file: string, code: string): string[] =>
  parseSync(file, code)
    .module.staticImports.flatMap(({ moduleRequest: { value } }) => (/^\.\.?\/[\w-]+\.ts$/.test(value) ? [join(dirname(file), value)] : []))
    .filter((part) => /^areas\/[^/]+\/[^/]+$/.test(part))

/** Files whose every sentence is a text. */
const spoken = ['areas/*/contract.ts', 'core/contract/*.ts', 'areas/*/rules.ts', 'areas/*/refusals.ts', 'areas/*/*-words.ts']
/** Files that mark theirs. */
const marked = ['areas/**/*.ts', 'core/**/*.ts', 'standards/**/*.ts', 'apps/**/*.ts']

/** Files that say something to people in the browser. */
const shown = ['core/console/**/*.ts', 'core/console/**/*.tsx', 'areas/*/*.tsx', 'areas/*/console/**/*.ts', 'areas/*/console/**/*.tsx']

/** All texts, and of each the folder of the room where it stands; undefined where it stands in several, or in core. */
function textsByRoom(root: string): Map<string, string | undefined> {
  const files = (patterns: string[]) =>
    globSync(patterns, { cwd: root }).filter((path) => !/\.(?:test|types|fixture)\.tsx?$|\/(build|testing)\//.test(path))
  const read = (file: string): string => readFileSync(join(root, file), 'utf8')
  const texts = new Map<string, string | undefined>()
  const add = (file: string, found: readonly string[]): void => {
    const room = /^areas\/[^/]+/.exec(file)?.[0]
    for (const text of found) texts.set(text, texts.has(text) && texts.get(text) !== room ? undefined : room)
  }
  const [ofConsole, ofContracts] = [files(shown), files(spoken)]
  for (const file of ofConsole) add(file, textsOf(file, read(file)))
  for (const file of new Set([...ofContracts, ...[...ofConsole, ...ofContracts].flatMap((one) => partsOf(one, read(one)))]))
    add(file, textsOf(file, read(file), true))
  for (const file of files(marked)) add(file, sentencesOf(file, read(file)))
  return texts
}

const sorted = (texts: Iterable<string>): string[] => [...texts].toSorted((a, b) => (a < b ? -1 : 1))

export const extractTexts = (root: string): string[] => sorted(textsByRoom(root).keys())

type Translation = { place: string; texts: string[] }

/** Which texts each file of a language translates: a room that has its own file has those that stand there alone; core has all others. */
export function translationsOf(root: string, language: string): { core: Translation; rooms: Translation[] } {
  const rooms = roomTranslations(root, language)
  const owner = (room: string | undefined): string | undefined => rooms.find((place) => room !== undefined && place.startsWith(`${room}/`))
  const texts = Map.groupBy(textsByRoom(root), ([, room]) => owner(room))
  const of = (place: string | undefined): string[] => sorted((texts.get(place) ?? []).map(([text]) => text))
  return {
    core: { place: join('core/console/locales', `${language}.json`), texts: of(undefined) },
    rooms: rooms.map((place) => ({ place, texts: of(place) })),
  }
}

/** What is wrong with the help in other languages: it answers the same questions as the English one, in the same order. */
export function helpFaults(root: string): string[] {
  const headings = (file: string) => [...readFileSync(join(root, file), 'utf8').matchAll(/^(#+) /gm)].map(([, level = '']) => level)
  return globSync('areas/*/console/help.*.md', { cwd: root }).flatMap((file) => {
    const [own, english] = [headings(file), headings(file.replace(/\.[a-z]+\.md$/, '.md'))]
    return own.join(' ') === english.join(' ')
      ? []
      : [`${file} has other headings than the English help: ${own.length} of ${english.length}`]
  })
}

const asFile = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

if (import.meta.main) {
  const root = join(import.meta.dirname, '../../..')
  const check = process.argv.includes('--check')
  const tell = (fault: string): void => {
    console.error(fault)
    process.exitCode = 1
  }
  const english = join(root, 'core/console/locales/en-GB.json')
  const german = translationsOf(root, 'de')
  if (!check) writeFileSync(english, asFile(german.core.texts))
  else if (readFileSync(english, 'utf8') !== asFile(german.core.texts)) tell('core/console/locales/en-GB.json is old: run npm run texts')
  helpFaults(root).forEach(tell)
  for (const { place, texts } of [german.core, ...german.rooms]) {
    const translation: Record<string, string> = JSON.parse(readFileSync(join(root, place), 'utf8'))
    // In the order of the English ones, so that two who add texts meet only where their texts do.
    const kept = Object.fromEntries(texts.flatMap((text) => (translation[text] === undefined ? [] : [[text, translation[text]]])))
    if (!check) writeFileSync(join(root, place), asFile(kept))
    for (const fault of judgeTranslation(texts, check ? translation : kept)) tell(`${place} ${fault}`)
  }
}
