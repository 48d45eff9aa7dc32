// The tree of organisations, and every question that is asked of it. What is below a path is read by range: `path >= p and path < p || '~'`.

import { sql, type ExpressionBuilder, type Generated, type SqlBool, type Expression } from 'kysely'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { OrganisationType } from '../rules.ts'

export type OrganisationRecord = {
  tenant_id: string
  id: string
  parent_id: string | null
  path: string
  type: OrganisationType
  name: string
  country: string
  business_number: string
  number_fault: string
  address: string
  contact: string
  note: string
  added_at: Date
  modified_at: Date
  version: number
}

export type OrganisationTables = {
  organisation_trees: { tenant_id: string; codes: Generated<number> }
  organisations: Omit<OrganisationRecord, 'version'> & { version: Generated<number> }
  organisation_members: { tenant_id: string; organisation_id: string; user_id: string; added_at: Date }
}

const tables = (db: Database) => db.withTables<OrganisationTables>()

/** Paths of the parts of the tree that somebody may see; `''` is the whole. */
export type Scope = readonly string[]

type Building = ExpressionBuilder<OrganisationTables, 'organisations'>

const below = (all: Building, path: string): Expression<SqlBool> =>
  all.and([all('organisations.path', '>=', path), all('organisations.path', '<', `${path}~`)])

const inScope = (all: Building, scope: Scope): Expression<SqlBool> => all.or(scope.map((path) => below(all, path)))

/** Holds the tree: whoever adds, moves, merges or deletes comes after. */
export async function lockTree({ db, tenantId }: Tenancy): Promise<void> {
  await tables(db)
    .insertInto('organisation_trees')
    .values({ tenant_id: tenantId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tables(db).selectFrom('organisation_trees').select('codes').where('tenant_id', '=', tenantId).forUpdate().executeTakeFirst()
}

/** Counts the codes up by so many and answers the first of them. Under the lock of the tree. */
export async function updateCodes({ db, tenantId }: Tenancy, by: number): Promise<number> {
  const { codes } = await tables(db)
    .updateTable('organisation_trees')
    .set((all) => ({ codes: all('codes', '+', by) }))
    .where('tenant_id', '=', tenantId)
    .returning('codes')
    .executeTakeFirstOrThrow()
  return Number(codes) - by + 1
}

const matchingIn = ({ db, tenantId }: Tenancy, scope: Scope) =>
  tables(db)
    .selectFrom('organisations')
    .where('organisations.tenant_id', '=', tenantId)
    .where((all) => inScope(all, scope))

export type Question = {
  page: number
  size: number
  text: string
  sort?: keyof typeof columns | undefined
  direction: 'asc' | 'desc'
  type?: OrganisationType | undefined
  wrongNumber?: boolean | undefined
}
const columns = { name: 'name', type: 'type' } as const

const matching = (tenancy: Tenancy, scope: Scope, { text, type, wrongNumber }: Pick<Question, 'text' | 'type' | 'wrongNumber'>) => {
  const typed = text.trim().toLowerCase()
  return matchingIn(tenancy, scope)
    .$if(typed !== '', (query) =>
      query.where(
        sql<boolean>`(strpos(lower(organisations.name), ${typed}) > 0 or strpos(replace(lower(organisations.business_number), ' ', ''), ${typed.replaceAll(/\s/g, '')}) > 0)`,
      ),
    )
    .$if(type !== undefined, (query) => query.where('type', '=', type ?? 'organisation'))
    .$if(wrongNumber !== undefined, (query) => query.where('number_fault', wrongNumber === true ? '<>' : '=', ''))
}

export async function findPage(tenancy: Tenancy, scope: Scope, question: Question): Promise<{ rows: OrganisationRecord[]; total: number }> {
  const { page, size, sort = 'name', direction } = question
  const rows = await matching(tenancy, scope, question)
    .selectAll('organisations')
    .orderBy(columns[sort], direction)
    .orderBy('organisations.id')
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  const { total } = await tables(tenancy.db)
    .selectFrom(
      matching(tenancy, scope, question)
        .select('organisations.id')
        .limit(countedUpTo + 1)
        .as('found'),
    )
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total }
}

/** The beginning of a name goes first, then the shorter ones. */
export const findNamed = (tenancy: Tenancy, scope: Scope, text: string, most: number): Promise<OrganisationRecord[]> =>
  matching(tenancy, scope, { text })
    .selectAll('organisations')
    .orderBy(sql`strpos(lower(organisations.name), ${text.trim().toLowerCase()})`)
    .orderBy(sql`length(organisations.name)`)
    .orderBy('name')
    .limit(most)
    .execute()

export const findRows = async ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<OrganisationRecord[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('organisations')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
        .execute()

export const findRowsNamed = async ({ db, tenantId }: Tenancy, names: readonly string[]): Promise<OrganisationRecord[]> =>
  names.length === 0
    ? []
    : tables(db)
        .selectFrom('organisations')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where(sql<boolean>`lower(name) = any(${names.map((name) => name.toLowerCase())}::text[])`)
        .execute()

export const findRow = (tenancy: Tenancy, scope: Scope, id: string): Promise<OrganisationRecord | undefined> =>
  matchingIn(tenancy, scope).selectAll('organisations').where('organisations.id', '=', id).executeTakeFirst()

/** Locks the row until the commit, so that nobody changes or deletes what is decided by it. */
export const lockRow = (tenancy: Tenancy, scope: Scope, id: string): Promise<OrganisationRecord | undefined> =>
  matchingIn(tenancy, scope).selectAll('organisations').where('organisations.id', '=', id).forUpdate().executeTakeFirst()

/** Those of these in the scope, held against a delete. In the order of their ids, so that two who hold several do not wait for each other. */
export const lockRows = async (tenancy: Tenancy, scope: Scope, ids: readonly string[]): Promise<OrganisationRecord[]> =>
  ids.length === 0
    ? []
    : matchingIn(tenancy, scope)
        .selectAll('organisations')
        .where('organisations.id', '=', sql<string>`any(${[...ids]}::uuid[])`)
        .orderBy('organisations.id')
        .forUpdate()
        .execute()

/** Names what stands at these paths. */
export async function findByPath({ db, tenantId }: Tenancy, paths: readonly string[]): Promise<Map<string, { id: string; name: string }>> {
  if (paths.length === 0) return new Map()
  const rows = await tables(db)
    .selectFrom('organisations')
    .select(['path', 'id', 'name'])
    .where('tenant_id', '=', tenantId)
    .where('path', '=', sql<string>`any(${[...new Set(paths)]}::text[])`)
    .execute()
  return new Map(rows.map(({ path, id, name }) => [path, { id, name }]))
}

/** The children of one whose names come after, by name, of which no two are alike; without a parent those at the top, or what the scope begins with. */
export async function findChildren(
  tenancy: Tenancy,
  scope: Scope,
  parentId: string | undefined,
  after: string | undefined,
  most: number,
): Promise<OrganisationRecord[]> {
  const whole = scope.includes('')
  return matchingIn(tenancy, scope)
    .selectAll('organisations')
    .$if(parentId !== undefined, (query) => query.where('parent_id', '=', parentId ?? null))
    .$if(parentId === undefined && whole, (query) => query.where('parent_id', 'is', null))
    .$if(parentId === undefined && !whole, (query) => query.where('path', '=', sql<string>`any(${[...scope]}::text[])`))
    .$if(after !== undefined, (query) => query.where('name', '>', after ?? ''))
    .orderBy('name')
    .orderBy('id')
    .limit(most)
    .execute()
}

/** How many stand directly below each. */
export async function countChildren({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await tables(db)
    .selectFrom('organisations')
    .select((all) => ['parent_id', all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .where('parent_id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .groupBy('parent_id')
    .execute()
  return new Map(rows.map((row) => [row.parent_id ?? '', Number(row.count)]))
}

/** Whether a name stands below both, in capitals or not. */
export async function haveSameChild({ db, tenantId }: Tenancy, oneId: string, otherId: string): Promise<boolean> {
  const found = await tables(db)
    .selectFrom('organisations as one')
    .innerJoin('organisations as other', (join) =>
      join.onRef('other.tenant_id', '=', 'one.tenant_id').on(sql`lower(other.name)`, '=', sql`lower(one.name)`),
    )
    .select('one.id')
    .where('one.tenant_id', '=', tenantId)
    .where('one.parent_id', '=', oneId)
    .where('other.parent_id', '=', otherId)
    .whereRef('other.id', '!=', 'one.id')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** How many stand at a path and below it, and on how many characters of path the deepest does. */
export async function countBelow({ db, tenantId }: Tenancy, path: string): Promise<{ count: number; longest: number }> {
  const { count, longest } = await tables(db)
    .selectFrom('organisations')
    .select((all) => [all.fn.countAll<number>().as('count'), sql<number>`coalesce(max(length(path)), 0)`.as('longest')])
    .where('tenant_id', '=', tenantId)
    .where((all) => below(all, path))
    .executeTakeFirstOrThrow()
  return { count: Number(count), longest: Number(longest) }
}

type Draft = Omit<OrganisationRecord, 'tenant_id' | 'added_at' | 'modified_at' | 'version'>

/** Throws where the name is taken: the constraint `organisations_by_name`. */
export const insertRows = async ({ db, tenantId, now }: Tenancy, rows: readonly Draft[]): Promise<void> =>
  void (await tables(db)
    .insertInto('organisations')
    .values(rows.map((row) => ({ tenant_id: tenantId, ...row, added_at: now, modified_at: now })))
    .execute())

/** Throws where the name is taken: the constraint `organisations_by_name`. */
export const updateRow = async ({ db, tenantId, now }: Tenancy, id: string, values: Partial<Omit<Draft, 'id' | 'path'>>): Promise<void> =>
  void (await tables(db)
    .updateTable('organisations')
    .set((all) => ({ ...values, modified_at: now, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** Puts all at `from` and below it to `to`, in one statement. Under the lock of the tree. */
export const updatePaths = async ({ db, tenantId }: Tenancy, from: string, to: string): Promise<void> =>
  void (await tables(db)
    .updateTable('organisations')
    .set({ path: sql<string>`${to}::text || substr(path, ${from.length + 1}::int)` })
    .where('tenant_id', '=', tenantId)
    .where((all) => below(all, from))
    .execute())

export const deleteRow = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('organisations').where('tenant_id', '=', tenantId).where('id', '=', id).execute())

/** In the order of the tree, those after a path. */
export const listAfter = (tenancy: Tenancy, scope: Scope, path: string, most: number): Promise<OrganisationRecord[]> =>
  matchingIn(tenancy, scope).selectAll('organisations').where('path', '>', path).orderBy('path').limit(most).execute()
