// Many rows in one statement. What all rows have in common, which among certificates of one template is most of them, is sent and read once; of the rest each
// column is a list. The database reads lists in half the time that it takes for JSON.

import type { Statement } from './batch.ts'

/** The columns that are written, each with its type in the database. */
type Columns = Readonly<Record<string, string>>

/** There must be a row. `ending` is what follows: a conflict rule, what to return. */
export function insertRows<C extends Columns>(table: string, columns: C, rows: readonly { readonly [column in keyof C]: unknown }[], ending = ''): Statement {
  const all = Object.entries(columns)
  const [first] = rows
  if (first === undefined) throw new Error(`No rows to insert into ${table}`)
  const differs = rememberedShape(table, all.map(([name]) => rows.some((row) => !isSame(row[name], first[name]))))
  const same = all.filter((_, at) => !differs[at])
  const each = all.filter((_, at) => differs[at])
  const given = same.map(([, type], at) => `$${at + 1}::${type}`)
  const lists = each.map(([, type], at) => `$${same.length + at + 1}::${listTypeOf(type)}[]`)
  const read = each.map(([name, type]) => (type === 'bytea' ? `decode(each.${name}, 'hex')` : listTypeOf(type) === type ? `each.${name}` : `each.${name}::${type}`))
  const from = each.length === 0 ? '' : ` from unnest(${lists.join(', ')}) as each (${each.map(([name]) => name).join(', ')})`
  const text = `insert into ${table} (${[...same, ...each].map(([name]) => name).join(', ')}) select ${[...given, ...read].join(', ')}${from} ${ending}`
  return { name: nameOf(text), text, values: [...same.map(([name]) => first[name]), ...each.map(([name]) => list(rows.map((row) => row[name])))] }
}

/** Bytes, and lists within lists, come as texts. */
const listTypeOf = (type: string): string => (type === 'bytea' || type.endsWith('[]') ? 'text' : type)

const isSame = (a: unknown, b: unknown): boolean => a === b || (a instanceof Date && b instanceof Date && a.getTime() === b.getTime())

/** Each shape is a statement that every connection keeps prepared, so of unusual ones there are not many. */
const mostShapes = 32
const shapes = new Map<string, Set<string>>()

function rememberedShape(table: string, differs: boolean[]): boolean[] {
  const known = shapes.get(table) ?? new Set()
  shapes.set(table, known)
  const shape = differs.join()
  if (known.size < mostShapes) known.add(shape)
  return known.has(shape) ? differs : differs.map(() => true)
}

/** Short, since the database knows statements by 63 characters. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `insert-${names.size}`
  names.set(text, name)
  return name
}
const names = new Map<string, string>()

/** A list as the database reads it in a text. */
const list = (values: readonly unknown[]): string => `{${values.map(element).join(',')}}`

function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return value.length === 0 ? '""' : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')
  if (Array.isArray(value)) return quoted(list(value))
  const text = String(value)
  return needsQuotes.test(text) ? quoted(text) : text
}
const needsQuotes = /[{},"\\\s]|^$|^null$/i
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
