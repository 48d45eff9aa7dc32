// Leaves out of the console what only the server reads of a contract: the shapes of answers and events, and what calls do and are called in the log. It holds
// no answer to its shape and describes none as JSON schema. The console sends
// what fits a shape and takes the server at its word, so that a page carries no shape of an answer, and 5 kB less of the library. (`zod/mini` would leave
// the descriptions out by itself, for another way of writing each of two thousand shapes.)

import { parseSync, type ESTree, type Plugin } from 'vite'

type Node = ESTree.Node
type Part = { start: number; end: number }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

function* under(node: Node): Generator<Node> {
  for (const value of Object.values(node)) for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) yield one
}

const keyOf = (property: Node): string => (property.type === 'Property' && property.key.type === 'Identifier' ? property.key.name : '')

/** Which properties of an object the console never reads. What an object is shows in its keys. */
function unread(keys: ReadonlySet<string>): readonly string[] {
  const has = (...names: string[]) => names.every((name) => keys.has(name))
  if (has('method', 'path')) return ['output', 'does', 'title']
  if (has('needs', 'path')) return ['event']
  if (has('area', 'calls')) return ['events', 'title']
  // An event in a part of a contract, which stands in a file of its own.
  return has('says', 'body') ? ['says', 'body'] : []
}

function partsToLeave(node: Node): Part[] {
  if (node.type !== 'ObjectExpression') return [...under(node)].flatMap(partsToLeave)
  const left = unread(new Set(node.properties.map(keyOf)))
  return node.properties.flatMap((property) =>
    left.includes(keyOf(property)) ? [{ start: property.start, end: property.end }] : partsToLeave(property),
  )
}

/** A contract without the shapes that the console never reads. */
export function withoutAnswers(code: string, name = 'contract.ts'): string {
  const parts = partsToLeave(parseSync(name, code).program).toSorted((a, b) => b.start - a.start)
  return parts.reduce((text, { start, end }) => text.slice(0, start) + text.slice(end).replace(/^\s*,/, ''), code)
}

/** A module that exports the same names and does nothing. */
export const withoutWork = (code: string, name = 'module.js'): string =>
  [
    'const left = () => { throw new TypeError("The console describes no shapes") }',
    ...parseSync(name, code).module.staticExports.flatMap(({ entries }) =>
      entries.map(({ exportName }) => `export const ${exportName.name} = left`),
    ),
  ].join('\n')

/** What describes shapes as JSON schema: each shape names it, so that a bundler cannot tell that nobody calls it. */
const schemas = /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/

export function shapesPlugin(): Plugin {
  return {
    name: 'chancery:shapes',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (/\/areas\/[^/]+\/[\w-]+\.ts$/.test(id) && code.includes("from 'zod'")) return { code: withoutAnswers(code, id), map: null }
      return schemas.test(id) ? { code: withoutWork(code, id), map: null } : undefined
    },
  }
}
