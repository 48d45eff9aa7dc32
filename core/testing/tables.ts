// Which tables the outcome of a statement can hang on, and in which of them an id stands: as the database itself tells.

import pg from 'pg'
import type { ConnectionSettings } from '#core/server/database.ts'

/** The text behind a name: what a function does, what a view shows, what a trigger or a policy of a table runs, what its references look up. */
const behindNames = `
  select relname::text as name, '' as behind from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
  union all select proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace
  union all select viewname, definition from pg_views where schemaname = 'public'
  union all select tgrelid::regclass::text, proname from pg_trigger join pg_proc on pg_proc.oid = tgfoid where not tgisinternal
  union all select tablename, concat(qual, ' ', with_check) from pg_policies where schemaname = 'public'
  union all select conrelid::regclass::text, confrelid::regclass::text from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace`

const tableNames = `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`

export type Tables = {
  /** Every table that the text names, and those that these lead to. */
  namedIn(text: string): ReadonlySet<string>
  /** The tables with a row, of whatever tenancy, in which all of these words stand. */
  holding(words: readonly string[]): readonly string[]
}

/** Reads the database as its owner, whom no row security holds. */
export async function readTables(connection: ConnectionSettings): Promise<Tables> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string; behind: string }>(behindNames)
    const tables = (await client.query<{ name: string }>(tableNames)).rows.map(({ name }) => name)
    const contents = new Map<string, string[]>()
    for (const table of tables) {
      const found = await client.query<{ row: string }>(`select one::text as row from "${table}" as one`)
      contents.set(
        table,
        found.rows.map(({ row }) => row),
      )
    }
    return {
      namedIn: nameFinder(
        new Set(tables),
        Map.groupBy(rows, ({ name }) => name),
      ),
      holding: (words) => tables.filter((table) => contents.get(table)?.some((row) => words.every((word) => row.includes(word)))),
    }
  } finally {
    await client.end()
  }
}

/** Any word that is a name counts, whatever it means where it stands: too many tables are asked about rather than too few. */
function nameFinder(tables: ReadonlySet<string>, behind: ReadonlyMap<string, readonly { behind: string }[]>): Tables['namedIn'] {
  const known = new Map<string, ReadonlySet<string>>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const names = new Set<string>()
    const texts = [text]
    for (const one of texts)
      for (const [word] of one.matchAll(/\w+/g))
        if (behind.has(word) && !names.has(word)) {
          names.add(word)
          texts.push(...(behind.get(word) ?? []).map((entry) => entry.behind))
        }
    const found = new Set([...names].filter((name) => tables.has(name)))
    known.set(text, found)
    return found
  }
}
