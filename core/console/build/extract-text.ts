// Collects every text that a person can read: what `t('...')` says in the console, and the words of the contracts. The list is what a
// translator gets. `npm run texts` writes it, `--check` fails where it is old.

import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'vite'
import { judgeTranslation } from './translations.ts'

/** Properties whose literal is a text: the contracts' words, and tables of the console that are passed to `t` later. */
const wordKeys = new Set([
  'title',
  'single',
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
      (holdsValue.test(whole) || (contract && sentence.test(whole) && (whole.includes(' ') || name.endsWith('menu.ts'))))
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

export function extractTexts(root: string): string[] {
  const files = (patterns: string[]) =>
    globSync(patterns, { cwd: root }).filter((path) => !/\.(?:test|types)\.tsx?$|\/(build|testing)\//.test(path))
  const texts = new Set<string>()
  const parts = new Set<string>()
  const take = (file: string, words: boolean): void => {
    const code = readFileSync(join(root, file), 'utf8')
    for (const text of textsOf(file, code, words)) texts.add(text)
    for (const part of partsOf(file, code)) parts.add(part)
  }
  for (const file of files([
    'core/console/**/*.ts',
    'core/console/**/*.tsx',
    'areas/*/*.tsx',
    'areas/*/console/**/*.ts',
    'areas/*/console/**/*.tsx',
  ]))
    take(file, false)
  for (const file of files(['areas/*/contract.ts', 'core/contract/*.ts', 'areas/*/rules.ts', 'areas/*/*-words.ts'])) take(file, true)
  for (const file of parts) for (const text of textsOf(file, readFileSync(join(root, file), 'utf8'), true)) texts.add(text)
  return [...texts].toSorted((a, b) => (a < b ? -1 : 1))
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
  const folder = join(import.meta.dirname, '../locales')
  const english = join(folder, 'en-GB.json')
  const texts = extractTexts(join(import.meta.dirname, '../../..'))
  const check = process.argv.includes('--check')
  if (!check) writeFileSync(english, asFile(texts))
  else if (readFileSync(english, 'utf8') !== asFile(texts)) {
    console.error('core/console/locales/en-GB.json is old: run npm run texts')
    process.exitCode = 1
  }
  for (const fault of helpFaults(join(import.meta.dirname, '../../..'))) {
    console.error(fault)
    process.exitCode = 1
  }
  for (const name of globSync('*.json', { cwd: folder }).filter((one) => one !== 'en-GB.json')) {
    const place = join(folder, name)
    const translation: Record<string, string> = JSON.parse(readFileSync(place, 'utf8'))
    // In the order of the English ones, so that two who add texts meet only where their texts do.
    const kept = Object.fromEntries(texts.flatMap((text) => (translation[text] === undefined ? [] : [[text, translation[text]]])))
    if (!check) writeFileSync(place, asFile(kept))
    for (const fault of judgeTranslation(texts, check ? translation : kept)) {
      console.error(`core/console/locales/${name} ${fault}`)
      process.exitCode = 1
    }
  }
}
