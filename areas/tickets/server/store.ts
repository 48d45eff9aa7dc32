// The tables of tickets, their numbers and words, and every question that is asked of them.

import { sql, type ExpressionBuilder, type Generated } from 'kysely'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import { prefixRange, searchTerms, termsOf } from '#core/server/search-terms.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { Category, Priority, Status } from '../rules.ts'

export type TicketRecord = {
  tenant_id: string
  ticket_id: number
  id: string
  title: string
  category: Category
  description: string
  status: Status
  priority: Priority
  created_by: string
  created_name: string
  assigned_to: string | null
  assigned_name: string | null
  waiting_on: 'us' | 'requester'
  created_at: Date
  updated_at: Date
  first_response_at: Date | null
  closed_at: Date | null
  /** By the clock of the ticket (clock-store.ts). */
  response_due: Date | null
  resolution_due: Date | null
  version: number
}

type TicketTables = {
  tickets: Omit<TicketRecord, 'version'> & { version: Generated<number> }
  ticket_numbers: { tenant_id: string; last: number }
  ticket_words: { tenant_id: string; word: string; ticket_id: number }
}

const tables = (db: Database) => db.withTables<TicketTables>()
type Builder = ExpressionBuilder<TicketTables, 'tickets'>

/** Whose tickets somebody sees: all, or those that the person raised or handles. */
export type Reader = { userId: string; handles: boolean }

export const columns = {
  ticketId: 'ticket_id',
  title: 'title',
  category: 'category',
  ticketStatus: 'status',
  priority: 'priority',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  assignedTo: 'assigned_to',
  createdBy: 'created_by',
  userId: 'created_by',
  username: 'created_name',
} as const

export type Condition = {
  field: keyof typeof columns
  comparison: 'equals' | 'notEquals' | 'contains' | 'startsWith' | 'lessThan' | 'greaterThan'
  /** Null asks for an empty field. */
  value: string | number | Date | null
}

export type Question = {
  text?: string
  whose?: 'all' | 'createdByMe' | 'assignedToMe'
  createdBy?: string | undefined
  assignedTo?: string | undefined
  status?: readonly Status[]
  category?: readonly Category[]
  priority?: readonly Priority[]
  /** Any of these lists of conditions, each as a whole. */
  any?: readonly (readonly Condition[])[]
}

export type Part = { sort: keyof typeof columns; direction: 'asc' | 'desc'; skip: number; take: number }

const seenBy = ({ db, tenantId }: Tenancy, { userId, handles }: Reader) =>
  tables(db)
    .selectFrom('tickets')
    .where('tickets.tenant_id', '=', tenantId)
    .$if(!handles, (query) => query.where((all) => all.or([all('created_by', '=', userId), all('assigned_to', '=', userId)])))

/** Those of some people who raised a ticket. */
export async function findRequesters({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await tables(db)
    .selectFrom('tickets')
    .select('created_by')
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('created_by', 'in', [...ids])
    .execute()
  return new Set(rows.map((row) => row.created_by))
}

const matching = (
  tenancy: Tenancy,
  reader: Reader,
  { text = '', whose = 'all', createdBy, assignedTo, status = [], category = [], priority = [], any = [] }: Question,
) => {
  let query = seenBy(tenancy, reader)
    .$if(whose === 'createdByMe', (one) => one.where('created_by', '=', reader.userId))
    .$if(whose === 'assignedToMe', (one) => one.where('assigned_to', '=', reader.userId))
    .$if(createdBy !== undefined, (one) => one.where('created_by', '=', createdBy ?? ''))
    .$if(assignedTo !== undefined, (one) => one.where('assigned_to', '=', assignedTo ?? ''))
    .$if(status.length > 0, (one) => one.where('status', 'in', [...status]))
    .$if(category.length > 0, (one) => one.where('category', 'in', [...category]))
    .$if(priority.length > 0, (one) => one.where('priority', 'in', [...priority]))
    .$if(any.length > 0, (one) => one.where((all) => all.or(any.map((conditions) => all.and(conditions.map((each) => fits(all, each)))))))
  for (const term of searchTerms(text)) {
    const { from, to } = prefixRange(term.replace(/^#(?=\d)/, ''))
    query = query.where((all) =>
      all.exists(
        all
          .selectFrom('ticket_words')
          .whereRef('ticket_words.tenant_id', '=', 'tickets.tenant_id')
          .whereRef('ticket_words.ticket_id', '=', 'tickets.ticket_id')
          .where('word', '>=', from)
          .where('word', '<', to)
          .select('ticket_words.word'),
      ),
    )
  }
  return query
}

function fits(all: Builder, { field, comparison, value }: Condition) {
  const column = columns[field]
  if (value === null) return comparison === 'notEquals' ? all(column, 'is not', null) : all(column, 'is', null)
  if (comparison === 'contains' || comparison === 'startsWith') {
    const at = all.fn<number>('strpos', [all.fn('lower', [column]), all.val(String(value).toLowerCase())])
    return comparison === 'contains' ? all(at, '>', 0) : all(at, '=', 1)
  }
  const operators = { equals: '=', notEquals: 'is distinct from', lessThan: '<', greaterThan: '>' } as const
  return all(column, operators[comparison], all.val(value))
}

const priorityOrder = sql<number>`array_position(array['Low', 'Normal', 'High', 'Urgent'], priority)`

/** With a text each row that is counted costs a look at its words, and nobody reads that far. */
const countedWithText = 1_000

/** A part of the tickets that fit, and how many there are; that is counted up to a bound. */
export async function findPart(
  tenancy: Tenancy,
  reader: Reader,
  question: Question,
  { sort, direction, skip, take }: Part,
): Promise<{ rows: TicketRecord[]; total: number; more: boolean }> {
  const rows = await matching(tenancy, reader, question)
    .selectAll('tickets')
    .orderBy(sort === 'priority' ? priorityOrder : columns[sort], direction)
    .orderBy('tickets.ticket_id', direction)
    .limit(take)
    .offset(skip)
    .execute()
  const countTo = (question.text ?? '') === '' ? countedUpTo : Math.max(countedWithText, skip + take)
  const { total } = await tables(tenancy.db)
    .selectFrom(
      matching(tenancy, reader, question)
        .select('tickets.ticket_id')
        .limit(countTo + 1)
        .as('counted'),
    )
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total: Math.min(total, countTo), more: total > countTo }
}

export const findTicket = (tenancy: Tenancy, reader: Reader, ticketId: number): Promise<TicketRecord | undefined> =>
  seenBy(tenancy, reader).selectAll('tickets').where('ticket_id', '=', ticketId).executeTakeFirst()

/** Locks the row until the commit, so that nobody changes what is decided by it. */
export const lockTicket = (tenancy: Tenancy, reader: Reader, ticketId: number): Promise<TicketRecord | undefined> =>
  seenBy(tenancy, reader).selectAll('tickets').where('ticket_id', '=', ticketId).forUpdate().executeTakeFirst()

/** Locks them in the order of their numbers, so that two who close the same ones wait for each other and not in a circle. */
export const lockTickets = (tenancy: Tenancy, reader: Reader, ticketIds: readonly number[]): Promise<TicketRecord[]> =>
  seenBy(tenancy, reader)
    .selectAll('tickets')
    .where('ticket_id', 'in', [...ticketIds])
    .orderBy('ticket_id')
    .forUpdate()
    .execute()

/** What waits for who handles tickets: theirs and nobody's, where the last public word is the requester's; the oldest first. */
export const listForHandler = ({ db, tenantId }: Tenancy, userId: string, most: number): Promise<TicketRecord[]> =>
  tables(db)
    .selectFrom('tickets')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('status', '<>', 'closed')
    .where('waiting_on', '=', 'us')
    .where('created_by', '<>', userId)
    .where((all) => all.or([all('assigned_to', '=', userId), all('assigned_to', 'is', null)]))
    .orderBy('updated_at')
    .orderBy('ticket_id')
    .limit(most)
    .execute()

/** By the ids of the audit log. */
export const findByIds = async ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<TicketRecord[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('tickets')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute()

export const countRaisedSince = async ({ db, tenantId }: Tenancy, userId: string, since: Date): Promise<number> => {
  const { count } = await tables(db)
    .selectFrom('tickets')
    .where('tenant_id', '=', tenantId)
    .where('created_by', '=', userId)
    .where('created_at', '>', since)
    .select((all) => all.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Answers the next number of the tenancy; whoever asks for one besides waits for the commit. */
export async function nextNumber({ db, tenantId }: Tenancy): Promise<number> {
  const { last } = await tables(db)
    .insertInto('ticket_numbers')
    .values({ tenant_id: tenantId, last: 1 })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet((all) => ({ last: all('ticket_numbers.last', '+', 1) })))
    .returning('last')
    .executeTakeFirstOrThrow()
  return last
}

export async function insertTicket(
  { db, tenantId }: Tenancy,
  row: Omit<TicketRecord, 'tenant_id' | 'version' | 'response_due' | 'resolution_due'>,
): Promise<void> {
  await tables(db)
    .insertInto('tickets')
    .values({ tenant_id: tenantId, ...row, response_due: null, resolution_due: null })
    .execute()
  await insertWords({ db, tenantId }, row)
}

export async function indexTicket(
  { db, tenantId }: Tenancy,
  row: Pick<TicketRecord, 'ticket_id' | 'title' | 'description' | 'created_name'>,
) {
  await tables(db).deleteFrom('ticket_words').where('tenant_id', '=', tenantId).where('ticket_id', '=', row.ticket_id).execute()
  await insertWords({ db, tenantId }, row)
}

async function insertWords(
  { db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>,
  row: Pick<TicketRecord, 'ticket_id' | 'title' | 'description' | 'created_name'>,
): Promise<void> {
  const words = termsOf(String(row.ticket_id), row.title, row.created_name, row.description)
  await tables(db)
    .insertInto('ticket_words')
    .values(words.map((word) => ({ tenant_id: tenantId, word, ticket_id: row.ticket_id })))
    .execute()
}

export type TicketChange = Partial<
  Omit<TicketRecord, 'tenant_id' | 'ticket_id' | 'id' | 'version' | 'created_at' | 'created_by' | 'response_due' | 'resolution_due'>
>

export const updateTicket = async ({ db, tenantId }: Tenancy, ticketId: number, change: TicketChange): Promise<void> =>
  void (await tables(db)
    .updateTable('tickets')
    .set((all) => ({ ...change, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('ticket_id', '=', ticketId)
    .execute())

/** Takes the open tickets from one who handles them no more; answers which they were. */
export const releaseAssigned = ({ db, tenantId, now }: Tenancy, userId: string): Promise<Pick<TicketRecord, 'id' | 'ticket_id'>[]> =>
  tables(db)
    .updateTable('tickets')
    .set((all) => ({ assigned_to: null, assigned_name: null, updated_at: now, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('assigned_to', '=', userId)
    .where('status', '<>', 'closed')
    .returning(['id', 'ticket_id'])
    .execute()

export async function countByStatus(tenancy: Tenancy, reader: Reader): Promise<Partial<Record<Status, number>>> {
  const rows = await seenBy(tenancy, reader)
    .select(['status', (all) => all.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

export type Times = { opened: number; answered: number; firstResponse: number | undefined; resolution: number | undefined }

/** What was opened, answered and closed in a time, and how long that took, in seconds. */
export async function measure(tenancy: Tenancy, reader: Reader, from: Date, to: Date): Promise<Times> {
  const seconds = (until: 'first_response_at' | 'closed_at') =>
    sql<number | null>`avg(extract(epoch from (${sql.ref(until)} - created_at)))::float8`
  const within = (column: 'created_at' | 'first_response_at' | 'closed_at') =>
    seenBy(tenancy, reader).where(column, '>=', from).where(column, '<', to)
  const opened = await within('created_at')
    .select((all) => [all.fn.countAll<number>().as('opened'), all.fn.count<number>('first_response_at').as('answered')])
    .executeTakeFirstOrThrow()
  const first = await within('first_response_at').select(seconds('first_response_at').as('average')).executeTakeFirstOrThrow()
  const closed = await within('closed_at').select(seconds('closed_at').as('average')).executeTakeFirstOrThrow()
  return { ...opened, firstResponse: first.average ?? undefined, resolution: closed.average ?? undefined }
}
