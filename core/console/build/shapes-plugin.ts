// Leaves out of the console what only the server does with shapes: hold answers and events to theirs, and describe them as JSON schema. The console sends
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

/** What an object is shows in its keys: a call has a method and a path, a stream an event and a path, a contract an area. */
const unread = (keys: ReadonlySet<string>): string | undefined =>
  keys.has('method') && keys.has('path')
    ? 'output'
    : keys.has('needs') && keys.has('path')
      ? 'event'
      : keys.has('area') && keys.has('calls')
        ? 'events'
        : undefined

function partsToLeave(node: Node): Part[] {
  if (node.type !== 'ObjectExpression') return [...under(node)].flatMap(partsToLeave)
  const left = unread(new Set(node.properties.map(keyOf)))
  return node.properties.flatMap((property) =>
    left !== undefined && keyOf(property) === left ? [{ start: property.start, end: property.end }] : partsToLeave(property),
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
