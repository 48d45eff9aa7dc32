// Gives what draws the home page the calls and screens that it names, and not the contracts that they stand in. A dozen rooms draw it: the shapes of all their
// calls, with the library that holds things to them, would be a quarter of what it loads, and nobody there holds anything to a shape.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseSync, type ESTree, type Plugin } from 'vite'
import { readContracts } from './contracts-plugin.ts'
import { modulesOfHome } from './pages-plugin.ts'

type Node = ESTree.Node

/** What the console reads of these, beside the shapes. */
const kept = {
  calls: ['area', 'name', 'method', 'path', 'needs', 'reads', 'created', 'done', 'failed', 'faults'],
  screens: ['area', 'name', 'path', 'needs', 'title'],
  streams: ['area', 'name', 'path', 'failed'],
}
type Part = keyof typeof kept
const parts: readonly Part[] = ['calls', 'screens', 'streams']
const partNamed = (name: string): Part | undefined => parts.find((part) => part === name)

/** What is named of the contract of a room. */
type Names = Record<Part, Set<string>>

// Compiled like the other contracts that the build writes (messages-plugin.ts).
const prefix = '\0virtual:contracts/named/'

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/** All but types, which are gone before anything runs. */
function* under(node: Node): Generator<Node> {
  for (const value of Object.values(node))
    for (const one of Array.isArray(value) ? value : [value]) if (isNode(one) && !/^TS(?!As|NonNull|Satisfies)/.test(one.type)) yield one
}

type Import = { file: string; start: number; end: number; locals: string[] }

/** The files that a module of a room imports from rooms, types aside. */
function importsOf(file: string, code: string, root: string): Import[] {
  return parseSync(file, code).module.staticImports.flatMap(({ moduleRequest: { value, start, end }, entries }) => {
    const values = entries.filter(({ isType }) => !isType)
    const path = value.startsWith('.') ? join(dirname(file), value) : value.startsWith('#areas/') ? join(root, value.slice(1)) : undefined
    if (path === undefined || (entries.length > 0 && values.length === 0) || !/\.tsx?$/.test(path) || !existsSync(path)) return []
    return [{ file: path, start, end, locals: values.map(({ localName }) => localName.value) }]
  })
}

const contractOf = (file: string): string | undefined => /\/areas\/([^/]+)\/contract\.ts$/.exec(file)?.[1]

/** What a module names of a contract; throws where it uses it in any other way. */
function namesIn(file: string, code: string, contract: string): [Part, string][] {
  const names: [Part, string][] = []
  const refuse = (): never => {
    throw new TypeError(`${file} draws the home page: it may only name calls and screens of ${contract}, as ${contract}.calls.x`)
  }
  const partOf = (node: Node): Part | undefined =>
    node.type === 'MemberExpression' &&
    node.object.type === 'Identifier' &&
    node.object.name === contract &&
    node.property.type === 'Identifier'
      ? partNamed(node.property.name)
      : undefined
  const visit = (node: Node): void => {
    if (node.type === 'ImportDeclaration') return
    if (node.type === 'Identifier' && node.name === contract) refuse()
    if (node.type === 'MemberExpression') {
      const part = partOf(node.object)
      if (part !== undefined) {
        if (node.computed || node.property.type !== 'Identifier') return refuse()
        names.push([part, node.property.name])
        return
      }
      if (!node.computed) return visit(node.object)
    }
    // A key is no name of anything.
    if (node.type === 'Property' && !node.computed) return visit(node.value)
    if (node.type === 'VariableDeclarator' && node.init !== null && node.id.type === 'ObjectPattern') {
      const part = partOf(node.init)
      if (part !== undefined) {
        for (const property of node.id.properties)
          if (property.type === 'Property' && property.key.type === 'Identifier') names.push([part, property.key.name])
          else refuse()
        return
      }
    }
    for (const one of under(node)) visit(one)
  }
  visit(parseSync(file, code).program)
  return names
}

/** The modules that these load at once, as far as they stand in rooms and are no contracts, and what they name of each contract. */
export function namedBy(root: string, heads: readonly string[]): { modules: ReadonlySet<string>; names: ReadonlyMap<string, Names> } {
  const modules = new Set<string>()
  const names = new Map<string, Names>()
  const take = (file: string): void => {
    if (modules.has(file)) return
    modules.add(file)
    const code = readFileSync(file, 'utf8')
    for (const one of importsOf(file, code, root)) {
      const room = contractOf(one.file)
      if (room === undefined) {
        take(one.file)
        continue
      }
      const named = names.get(room) ?? { calls: new Set(), screens: new Set(), streams: new Set() }
      names.set(room, named)
      for (const contract of one.locals) for (const [part, name] of namesIn(file, code, contract)) named[part].add(name)
    }
  }
  heads.forEach(take)
  return { modules, names }
}

/** The module with what is named of a contract in its place. */
export const withNamed = (root: string, file: string, code: string): string =>
  importsOf(file, code, root)
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { file: imported, start, end }) => {
      const room = contractOf(imported)
      return room === undefined ? text : `${text.slice(0, start)}'${prefix.slice(1)}${room}'${text.slice(end)}`
    }, code)

type Contract = Record<Part, Record<string, Record<string, unknown>>>

const isContract = (value: unknown): value is Contract => typeof value === 'object' && value !== null && 'area' in value && 'calls' in value

const pick = (shape: Record<string, unknown> = {}, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(shape).filter(([key]) => keys.includes(key)))

/** The exports of a contract's file, with what is named. */
const presentNamed = (file: Record<string, unknown>, names: Names): string =>
  Object.entries(file)
    .flatMap(([name, contract]) => (isContract(contract) ? [[name, contract] as const] : []))
    .map(([name, contract]) => {
      const named = parts.map((part) => [
        part,
        Object.fromEntries([...names[part]].map((one) => [one, pick(contract[part][one], kept[part])])),
      ])
      return `export const ${name} = ${JSON.stringify(Object.fromEntries(named))}`
    })
    .join('\n')

export function namedPlugin(root: string): Plugin {
  let named: ReturnType<typeof namedBy> = { modules: new Set(), names: new Map() }
  return {
    name: 'chancery:named',
    apply: 'build',
    enforce: 'pre',
    async buildStart() {
      named = namedBy(root, modulesOfHome(root, await readContracts(root)))
    },
    resolveId: (asked) => (asked.startsWith(prefix.slice(1)) ? `\0${asked}` : undefined),
    async load(id) {
      if (!id.startsWith(prefix)) return undefined
      const room = id.slice(prefix.length)
      const file: unknown = await import(pathToFileURL(join(root, `areas/${room}/contract.ts`)).href)
      const names = named.names.get(room)
      if (typeof file !== 'object' || file === null || names === undefined) throw new TypeError(`Nothing is named of ${room}`)
      return presentNamed(Object.fromEntries(Object.entries(file)), names)
    },
    transform: (code, id) => (named.modules.has(id) ? { code: withNamed(root, id, code), map: null } : undefined),
  }
}
