// What a room says of an import that it offers: the columns, how a row is checked, applied and undone.

import type * as z from 'zod'
import type { Permission } from '#core/contract/permission-labels.ts'
import type { ViewerPermission } from '#core/contract/permissions.ts'
import type { House, TenantWork } from '../house.ts'
import type { Tenancy } from '../tenancy.ts'
import type { ImportGrants } from './import-store.ts'

export type ImportColumn = {
  label: string
  /** Other names that files give it; case, spaces and punctuation do not count. */
  synonyms?: readonly string[]
  /** An empty cell is a fault, and the column must be mapped. */
  required?: true
  /** Two rows with the same value, in whatever case, are a fault. */
  unique?: true
  /** Reads a cell that is not empty; the text is trimmed. */
  shape: z.ZodType<unknown, string>
}

export type ImportColumns = { readonly [name: string]: ImportColumn }

/** A row as its columns' shapes have read it; what is empty and not required is undefined. */
export type RowOf<C extends ImportColumns> = {
  [N in keyof C]: C[N] extends { required: true } ? z.output<C[N]['shape']> : z.output<C[N]['shape']> | undefined
}

/** One transaction of the tenancy. Rows of one batch share it. */
export type ImportWork = TenantWork & {
  house: House
  importId: string
  /** Who began the step, with what they may do now. */
  actor: ImportRights & { userId: string; name: string }
  options: unknown
}

/** Whoever began a step that goes on without them, and what they held then. */
export type ImportBeginner = { userId: string; granted: ImportGrants }
export type ImportRights = { permission: ViewerPermission; narrowed?: true; person: { tenantId: string } }

/** The file that rows of a batch stand in, for kinds whose rows are about one another. */
export type ImportFile<C extends ImportColumns = ImportColumns> = {
  /** The numbers of the batch's rows, in their order. */
  numbers: readonly number[]
  /** All rows whose cells are well formed; once the import runs, those that were found good. */
  whole(): Promise<readonly { number: number; row: RowOf<C> }[]>
}

export type ImportFault = { /** A name of a column, or '' for the row as a whole. */ column: string; says: string }
export type BecomesOther = { row: number; value: string; becomes: string }
export type CheckedRow = {
  /** What an apply would do, as 'new', 'changed', 'same': counted. */ effect?: string
  faults?: readonly ImportFault[]
}

export type ImportKind<C extends ImportColumns = ImportColumns, Undo = unknown> = {
  /** `room.noun`, as `users.people`. */
  kind: string
  columns: C
  /** All of them are needed for each step, by whoever takes it: an import does only what they could do by hand. */
  needs: readonly Permission[]
  /** What the beginner of a step may do now; undefined where that is less than the needs. Asked for each batch. */
  rights(tenancy: Tenancy, beginner: ImportBeginner, needs: readonly Permission[]): Promise<ImportRights | undefined>
  /** Reads what `apply` left for `undo`. */
  undoShape: z.ZodType<Undo>
  /** Looks at rows whose cells are well formed, a batch at a time, and changes nothing. Answers in their order. */
  check(rows: readonly RowOf<C>[], work: ImportWork, file: ImportFile<C>): Promise<readonly CheckedRow[]>
  /** Which values of rows an apply would write otherwise than the file says them: told with the check. */
  becomes?(rows: readonly { number: number; row: RowOf<C> }[], tenancy: Tenancy): Promise<readonly BecomesOther[]>
  /**
   * Does the rows of a batch, in the transaction that also notes them as done: so each is applied once, whatever dies. Answers in their order with what an
   * undo will need, undefined where nothing was done. Where it throws, each row gets a transaction part of its own, and those that fail are told.
   */
  apply(rows: readonly RowOf<C>[], work: ImportWork, file: ImportFile<C>): Promise<readonly (Undo | undefined)[]>
  /** Takes back rows of a batch, the last first. Where it throws, each row is tried by itself; a fault tells why one stays. */
  undo(rows: readonly Undo[], work: ImportWork): Promise<void>
}

/** Holds a kind to its own columns. */
export const importKind = <C extends ImportColumns, Undo>(kind: ImportKind<C, Undo>): ImportKind<C, Undo> => kind

const plain = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

export type Mapping = Readonly<Record<string, number>>

/** Finds a column of the file for each of ours, by name, label or synonym; none is used twice. */
export function suggestMapping(columns: ImportColumns, headers: readonly string[]): Mapping {
  const left = new Map<string, number>()
  for (const [at, header] of headers.entries()) if (!left.has(plain(header))) left.set(plain(header), at)
  left.delete('')
  const found: [string, number][] = []
  for (const [name, { label, synonyms = [] }] of Object.entries(columns)) {
    const match = [name, label, ...synonyms].map(plain).find((key) => left.has(key))
    const at = match === undefined ? undefined : left.get(match)
    if (match === undefined || at === undefined) continue
    left.delete(match)
    found.push([name, at])
  }
  return Object.fromEntries(found)
}
