// Bytes out of the database as they are. The driver knows results only as text, in which a column of bytes takes twice its size and has to be
// decoded; COPY in its binary format hands them over untouched, a value a message. The values of one column are joined into blocks on the
// way, as the driver uses the memory of a message again for the next.

import { CompiledQuery } from 'kysely'
import pg from 'pg'
import type { CopiedBlock } from './copy-reader.ts'
import type { Database } from './database.ts'

/** The value as it stands in a statement: COPY takes no parameters. */
export const literal = (value: string | number | Date): string =>
  typeof value === 'number' ? String(value) : pg.escapeLiteral(typeof value === 'string' ? value : value.toISOString())

/** What a query with one column of bytes selects, none of them null. `query` is SQL: what is not written in the source is put in by `literal`. */
export async function* copyOut(db: Database, query: string): AsyncGenerator<CopiedBlock> {
  for await (const { rows } of db.getExecutor().stream<CopiedBlock>(CompiledQuery.raw(`copy (${query}) to stdout (format binary)`), 1))
    yield* rows
}
