// The tables of passes and of what was sent to be printed, and every question that is asked of them.

import { sql, type RawBuilder } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { PassKind, PassStatus } from '../rules.ts'

export type PassRecord = {
  tenant_id: string
  id: string
  number: string
  kind: PassKind
  status: Exclude<PassStatus, 'expired'>
  user_id: string | null
  given_name: string
  family_name: string
  valid_from: Date | null
  valid_until: Date | null
  expired_at: Date | null
  reason: string
  print_id: string | null
  changed_at: Date
}

export type PrintRecord = {
  tenant_id: string
  id: string
  kind: PassKind
  quantity: number
  first_number: string
  last_number: string
  by_name: string
  at: Date
}

type PassTables = { passes: PassRecord; pass_prints: PrintRecord }

const tables = (db: Database) => db.withTables<PassTables>()

const columns = { passNumber: 'number', expirationDate: 'valid_until', changedAt: 'changed_at' } as const

export type Question = {
  page: number
  size: number
  text: string
  sort?: keyof typeof columns | undefined
  direction: 'asc' | 'desc'
  status: readonly PassStatus[]
  cardType?: PassKind | undefined
  /** The people whose passes match the text besides. */
  holders: readonly string[]
}

const statusAt = (now: Date): RawBuilder<PassStatus> =>
  sql<PassStatus>`case when status = 'issued' and valid_until < ${now} then 'expired' else status end`

const matching = ({ db, tenantId }: Tenancy, { text, cardType, holders }: Pick<Question, 'text' | 'cardType' | 'holders'>) =>
  tables(db)
    .selectFrom('passes')
    .where('tenant_id', '=', tenantId)
    .$if(cardType !== undefined, (query) => query.where('kind', '=', cardType ?? 'guest'))
    .$if(text.trim() !== '', (query) =>
      query.where((all) =>
        all.or([
          all(
            all.fn<number>('strpos', [
              sql<string>`lower(number || ' ' || given_name || ' ' || family_name)`,
              all.val(text.trim().toLowerCase()),
            ]),
            '>',
            0,
          ),
          all('user_id', '=', sql<string>`any(${[...holders]}::uuid[])`),
        ]),
      ),
    )

export const pageOfPasses = (tenancy: Tenancy, question: Question): Promise<{ rows: PassRecord[]; total: number }> => {
  const { sort = 'passNumber', direction, status } = question
  const wanted = sql<PassStatus>`any(${[...status]}::text[])`
  return readPage(
    matching(tenancy, question).$if(status.length > 0, (query) => query.where(statusAt(tenancy.now), '=', wanted)),
    question,
    (all) => all.selectAll().orderBy(columns[sort], direction).orderBy('number'),
  )
}

/** How many are in each status, of those that match apart from it. */
export const countStatuses = (tenancy: Tenancy, question: Question): Promise<{ status: PassStatus; count: number }[]> =>
  matching(tenancy, question)
    .select((all) => [statusAt(tenancy.now).as('status'), all.fn.countAll<number>().as('count')])
    // By the first column of the answer: the same expression with another parameter is another one to PostgreSQL.
    .groupBy(sql`1`)
    .execute()

export const listPasses = (tenancy: Tenancy, status: PassStatus | undefined, most: number): Promise<PassRecord[]> =>
  matching(tenancy, { text: '', holders: [] })
    .selectAll()
    .$if(status !== undefined, (query) => query.where(statusAt(tenancy.now), '=', status ?? 'issued'))
    .orderBy('number')
    .limit(most)
    .execute()

export const listOfPerson = ({ db, tenantId }: Tenancy, userId: string): Promise<PassRecord[]> =>
  tables(db)
    .selectFrom('passes')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('status', '=', 'issued')
    .orderBy('number')
    .execute()

export const findByNumber = ({ db, tenantId }: Tenancy, number: string): Promise<PassRecord | undefined> =>
  tables(db).selectFrom('passes').selectAll().where('tenant_id', '=', tenantId).where('number', '=', number).executeTakeFirst()

/** Locks the pass until the commit: of two clerks the second sees what the first did. */
export const lockByNumber = ({ db, tenantId }: Tenancy, number: string): Promise<PassRecord | undefined> =>
  tables(db).selectFrom('passes').selectAll().where('tenant_id', '=', tenantId).where('number', '=', number).forUpdate().executeTakeFirst()

export type PassChange = Partial<Omit<PassRecord, 'tenant_id' | 'id' | 'number' | 'kind'>>

export const updatePass = async ({ db, tenantId, now }: Tenancy, id: string, change: PassChange): Promise<void> =>
  void (await tables(db)
    .updateTable('passes')
    .set({ ...change, changed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** Those that were not returned in time, and of which it was not told yet. They are held until the commit. */
export const lockExpired = ({ db, tenantId, now }: Tenancy, most: number): Promise<PassRecord[]> =>
  tables(db)
    .selectFrom('passes')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'issued')
    .where('expired_at', 'is', null)
    .where('valid_until', '<', now)
    .orderBy('valid_until')
    .limit(most)
    .forUpdate()
    .execute()

/** One after another in a tenancy: two that take the next numbers take different ones. */
export const lockNumbers = async ({ db, tenantId }: Tenancy): Promise<void> =>
  void (await sql`select pg_advisory_xact_lock(hashtextextended(${`passes ${tenantId}`}, 0))`.execute(db))

/** The smallest numbers that no pass has. */
export async function freeNumbers({ db, tenantId }: Tenancy, most: number, highest: number): Promise<string[]> {
  const { rows } = await sql<{ number: string }>`
    select lpad(n::text, 5, '0') as number from generate_series(1, ${highest}::integer) as n
    where not exists (select from passes where tenant_id = ${tenantId} and number = lpad(n::text, 5, '0'))
    order by n limit ${most}`.execute(db)
  return rows.map(({ number }) => number)
}

export const numbersTaken = async ({ db, tenantId }: Tenancy, first: string, last: string): Promise<string[]> =>
  (
    await tables(db)
      .selectFrom('passes')
      .select('number')
      .where('tenant_id', '=', tenantId)
      .where('number', '>=', first)
      .where('number', '<=', last)
      .orderBy('number')
      .limit(1)
      .execute()
  ).map(({ number }) => number)

export const insertPasses = async (
  { db, tenantId, now }: Tenancy,
  rows: readonly { id: string; number: string; kind: PassKind; print_id: string | null }[],
): Promise<void> =>
  void (await tables(db)
    .insertInto('passes')
    .values(
      rows.map((row) => ({
        tenant_id: tenantId,
        ...row,
        status: 'available' as const,
        user_id: null,
        given_name: '',
        family_name: '',
        valid_from: null,
        valid_until: null,
        expired_at: null,
        reason: '',
        changed_at: now,
      })),
    )
    .execute())

export const insertPrint = async ({ db, tenantId, now }: Tenancy, row: Omit<PrintRecord, 'tenant_id' | 'at'>): Promise<void> =>
  void (await tables(db)
    .insertInto('pass_prints')
    .values({ tenant_id: tenantId, ...row, at: now })
    .execute())

export const pageOfPrints = (
  { db, tenantId }: Tenancy,
  question: { page: number; size: number },
): Promise<{ rows: PrintRecord[]; total: number }> =>
  readPage(tables(db).selectFrom('pass_prints').where('tenant_id', '=', tenantId), question, (all) =>
    all.selectAll().orderBy('at', 'desc').orderBy('id'),
  )

export const findPrint = ({ db, tenantId }: Tenancy, id: string): Promise<PrintRecord | undefined> =>
  tables(db).selectFrom('pass_prints').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const listPrinted = ({ db, tenantId }: Tenancy, printId: string, after: string, size: number): Promise<PassRecord[]> =>
  tables(db)
    .selectFrom('passes')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('print_id', '=', printId)
    .where('number', '>', after)
    .orderBy('number')
    .limit(size)
    .execute()

/** Takes the name of a person from the passes that the person has: what becomes of the account, the pass is still out. */
export const releasePerson = async ({ db, tenantId }: Omit<Tenancy, 'now'>, userId: string): Promise<void> =>
  void (await tables(db)
    .updateTable('passes')
    .set({ user_id: null, given_name: '', family_name: '' })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .execute())
