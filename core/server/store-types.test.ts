// The row types that the stores write by hand, against the columns that the database has: neither may know what the other does not.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import pg from 'pg'
import { beforeAll, expect, inject, test } from 'vitest'
import { order } from '#areas/order.ts'
import { onDatabase } from '#core/testing/cluster.ts'

type Node = { type: string; [key: string]: unknown }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
const nodeAt = (node: Node | undefined, key: string): Node | undefined => (isNode(node?.[key]) ? node[key] : undefined)
const nodesAt = (node: Node | undefined, key: string): Node[] => (Array.isArray(node?.[key]) ? node[key].filter(isNode) : [])
const nameOf = (node: Node | undefined): string => String(node?.['name'] ?? node?.['value'] ?? '')

/** Every type alias of a file by its name. */
function aliasesOf(file: string): Map<string, Node> {
  const { program } = parseSync(file, readFileSync(file, 'utf8'))
  const found = new Map<string, Node>()
  for (const statement of nodesAt(
    JSON.parse(JSON.stringify(program, (_key, value) => (typeof value === 'bigint' ? String(value) : value))),
    'body',
  )) {
    const declared = statement.type === 'ExportNamedDeclaration' ? nodeAt(statement, 'declaration') : statement
    const type = nodeAt(declared, 'typeAnnotation')
    if (declared?.type === 'TSTypeAliasDeclaration' && type !== undefined) found.set(nameOf(nodeAt(declared, 'id')), type)
  }
  return found
}

/** The members of a type: a literal, a reference to an alias of the file, or an intersection of such. */
function membersOf(type: Node | undefined, aliases: Map<string, Node>): Map<string, Node | undefined> {
  if (type?.type === 'TSTypeLiteral')
    return new Map(
      nodesAt(type, 'members').map((member) => [nameOf(nodeAt(member, 'key')), nodeAt(nodeAt(member, 'typeAnnotation'), 'typeAnnotation')]),
    )
  if (type?.type === 'TSTypeReference') {
    // `Omit<Row, ...>` and the like say again elsewhere what they leave out.
    const [row] = nodesAt(nodeAt(type, 'typeArguments'), 'params')
    return membersOf(row ?? aliases.get(nameOf(nodeAt(type, 'typeName'))), aliases)
  }
  if (type?.type === 'TSIntersectionType') return new Map(nodesAt(type, 'types').flatMap((part) => [...membersOf(part, aliases)]))
  return new Map()
}

const isNullable = (type: Node | undefined): boolean =>
  type?.type === 'TSUnionType' && nodesAt(type, 'types').some((part) => part.type === 'TSNullKeyword')

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const stores = [
  ...order.map((area) => `areas/${area}/server/store.ts`).filter((path) => existsSync(pathOf(path))),
  'core/server/events.ts',
  'core/server/repeats.ts',
  'core/server/limits.ts',
  'core/server/bus-store.ts',
  'core/server/job-runs.ts',
  'core/server/deliveries/store.ts',
  'core/server/staged-import/import-store.ts',
  'core/server/attachments/attachment-store.ts',
]

type Column = { name: string; nullable: boolean; hasDefault: boolean }
let database: Map<string, Column[]>

beforeAll(async () => {
  const client = new pg.Client(onDatabase(inject('cluster'), inject('template')))
  await client.connect()
  const { rows } = await client.query<Column & { table: string }>(
    `select table_name as "table", column_name as name, is_nullable = 'YES' as nullable, column_default is not null as "hasDefault" from information_schema.columns where table_schema = 'public'`,
  )
  await client.end()
  database = new Map(rows.map(({ table }) => [table, rows.filter((row) => row.table === table)]))
})

function declaredBy(path: string): Map<string, Map<string, Node | undefined>> {
  const aliases = aliasesOf(pathOf(path))
  const tables = [...aliases].filter(([name]) => name.endsWith('Tables')).flatMap(([, type]) => [...membersOf(type, aliases)])
  return new Map(tables.map(([table, type]) => [table, membersOf(type, aliases)]))
}

test.each(stores)('%s knows the columns of its tables, no more, no fewer, and which may be null', (path) => {
  const declared = declaredBy(path)
  expect(declared.size).toBeGreaterThan(0)
  for (const [table, columns] of declared) {
    // A column with a default may be the database's own affair.
    const real = (database.get(table) ?? []).filter(({ name, hasDefault }) => columns.has(name) || !hasDefault)
    expect([table, [...columns.keys()].sort()]).toEqual([table, real.map(({ name }) => name).sort()])
    expect([
      table,
      [...columns]
        .filter(([, type]) => isNullable(type))
        .map(([name]) => name)
        .sort(),
    ]).toEqual([
      table,
      real
        .filter(({ nullable }) => nullable)
        .map(({ name }) => name)
        .sort(),
    ])
  }
})

test('every table is known to a store', () => {
  const rooms = order.flatMap((area) => {
    const folder = pathOf(`areas/${area}/server`)
    if (!existsSync(folder)) return []
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `areas/${area}/server/${file}`)
  })
  const texts = [...stores, ...rooms.filter((file) => file.endsWith('store.ts'))].map((file) => readFileSync(pathOf(file), 'utf8'))
  const isNamed = (table: string) => texts.some((text) => new RegExp(`\\b${table}\\b`).test(text))
  expect([...database.keys()].filter((table) => !isNamed(table) && table !== 'migrations')).toEqual([])
})
