// Many rows in one statement. What all rows have in common, which among certificates of one template is most of them, is sent and read once; of the rest each
// column is a list, in binary.

import type { Statement } from './batch.ts'
import { binaryList, isElementType } from './binary-list.ts'

/** The columns that are written, each with its type in the database. */
type Columns = Readonly<Record<string, string>>

/** There must be a row. `ending` is what follows: a conflict rule, what to return. */
export function insertRows<C extends Columns>(
  table: string,
  columns: C,
  rows: readonly { readonly [column in keyof C]: unknown }[],
  ending = '',
): Statement {
  const all = Object.entries(columns)
  const [first] = rows
  if (first === undefined) throw new Error(`No rows to insert into ${table}`)
  const differs = rememberedShape(
    table,
    all.map(([name]) => rows.some((row) => !isSame(row[name], first[name]))),
  )
  const same = all.filter((_, at) => !differs[at])
  const each = all.filter((_, at) => differs[at])
  const given = same.map(([, type], at) => `$${at + 1}::${type}`)
  const lists = each.map(([, type], at) => `$${same.length + at + 1}::${listTypeOf(type)}[]`)
  const read = each.map(([name, type]) => (listTypeOf(type) === type ? `each.${name}` : `each.${name}::${type}`))
  const from = each.length === 0 ? '' : ` from unnest(${lists.join(', ')}) as each (${each.map(([name]) => name).join(', ')})`
  const text = `insert into ${table} (${[...same, ...each].map(([name]) => name).join(', ')}) select ${[...given, ...read].join(', ')}${from} ${ending}`
  return {
    name: nameOf(text),
    text,
    values: [
      ...same.map(([name]) => first[name]),
      ...each.map(([name, type]) =>
        listOf(
          type,
          rows.map((row) => row[name]),
        ),
      ),
    ],
  }
}

/** Lists within lists come as texts. */
const listTypeOf = (type: string) => (isElementType(type) ? type : 'text')

const listOf = (type: string, values: readonly unknown[]): Buffer =>
  isElementType(type)
    ? binaryList(type, values)
    : binaryList(
        'text',
        values.map((value) => (Array.isArray(value) ? textOfList(value) : value)),
      )

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

/** A list as the database reads it in a text: each element in quotes. */
const textOfList = (values: readonly unknown[]): string =>
  `{${values.map((value) => (value === null ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`)).join(',')}}`
