// Leaves out of the console what only the server does with shapes: hold answers and events to theirs, and describe them as JSON schema. The console sends
// what fits a shape and takes the server at its word, so that a page carries no shape of an answer and a third less of the library.

import { parseSync, type ESTree, type Plugin } from 'vite'

type Node = ESTree.Node
type Part = { start: number; end: number }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

function* under(node: Node): Generator<Node> {
  for (const value of Object.values(node)) for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) yield one
}

const keyOf = (property: Node): string => (property.type === 'Property' && property.key.type === 'Identifier' ? property.key.name : '')

/** What an object is shows in its keys: a call has a method and a path, a stream an event and a path, a contract an area. */
const unread = (keys: ReadonlySet<string>): string | undefined => (keys.has('method') && keys.has('path') ? 'output' : keys.has('needs') && keys.has('path') ? 'event' : keys.has('area') && keys.has('calls') ? 'events' : undefined)

function partsToLeave(node: Node): Part[] {
  if (node.type !== 'ObjectExpression') return [...under(node)].flatMap(partsToLeave)
  const left = unread(new Set(node.properties.map(keyOf)))
  return node.properties.flatMap((property) => (left !== undefined && keyOf(property) === left ? [{ start: property.start, end: property.end }] : partsToLeave(property)))
}

/** A contract without the shapes that the console never reads. */
export function withoutAnswers(code: string, name = 'contract.ts'): string {
  const parts = partsToLeave(parseSync(name, code).program).toSorted((a, b) => b.start - a.start)
  return parts.reduce((text, { start, end }) => text.slice(0, start) + text.slice(end).replace(/^\s*,/, ''), code)
}

/** The library without its JSON schemas. */
export function withoutSchemas(code: string): string {
  return code.replaceAll(/^ *inst\._zod\.processJSONSchema = .*;$/gm, '').replace(/^( *)toJSONSchema\(params\) \{\n.*\n\1\},$/m, '').replace(/^( *)jsonSchema: \{\n(?:.*createStandardJSONSchemaMethod.*\n)+\1\},$/m, '')
}

export function shapesPlugin(): Plugin {
  return {
    name: 'chancery:shapes',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (/\/areas\/[^/]+\/[\w-]+\.ts$/.test(id) && code.includes("from 'zod'")) return { code: withoutAnswers(code, id), map: null }
      if (!id.endsWith('/zod/v4/classic/schemas.js')) return undefined
      const rest = withoutSchemas(code)
      // Another version of the library may write them otherwise.
      if (/JSONSchema\w*\(/.test(rest.replaceAll(/^import.*$/gm, ''))) this.error('The JSON schemas of zod are written in a way that is not known here')
      return { code: rest, map: null }
    },
  }
}
