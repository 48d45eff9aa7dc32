// Operations on cards, the steps that they went, and the keys that they made.

import { sql } from 'kysely'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { CardSlot, OperationState } from '../rules.ts'
import { tables, type OperationRecord, type SlotRecord, type SlotState, type StepRecord } from './store.ts'

export const findOperation = ({ db, tenantId }: Tenancy, id: string): Promise<OperationRecord | undefined> =>
  tables(db).selectFrom('card_operations').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const listOperations = ({ db, tenantId }: Tenancy, cardId: string, most: number): Promise<OperationRecord[]> =>
  tables(db)
    .selectFrom('card_operations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('card_id', '=', cardId)
    .orderBy('started_at', 'desc')
    .limit(most)
    .execute()

/** The one that is not over. */
export const findUnfinished = ({ db, tenantId }: Tenancy, cardId: string): Promise<OperationRecord | undefined> =>
  tables(db)
    .selectFrom('card_operations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('card_id', '=', cardId)
    .where('state', 'in', ['running', 'waiting', 'failed'])
    .orderBy('started_at', 'desc')
    .executeTakeFirst()

export const insertOperation = async ({ db, tenantId }: Tenancy, { plan, ...row }: Omit<OperationRecord, 'tenant_id'>): Promise<void> =>
  void (await tables(db)
    .insertInto('card_operations')
    .values({ tenant_id: tenantId, ...row, plan: JSON.stringify(plan) })
    .execute())

export const takeUpOperation = async (
  { db, tenantId, now }: Tenancy,
  id: string,
  change: { fence: string; lease_until: Date; by_id: string; by_name: string },
): Promise<void> =>
  void (await tables(db)
    .updateTable('card_operations')
    .set({ ...change, state: 'running', error: '', changed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** Only by whoever drives it: false where a newer one does, or where it was given up. */
export async function updateOperation(
  { db, tenantId, now }: Tenancy,
  { id, fence }: { id: string; fence: string },
  change: { state?: OperationState; error?: string; lease_until?: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable('card_operations')
    .set({ ...change, changed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('state', '=', 'running')
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export const updateState = async ({ db, tenantId, now }: Tenancy, id: string, state: OperationState): Promise<void> =>
  void (await tables(db)
    .updateTable('card_operations')
    .set({ state, changed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** Those that nobody came back to. */
export const listForgotten = ({ db, tenantId }: Tenancy, before: Date, most: number): Promise<OperationRecord[]> =>
  tables(db)
    .selectFrom('card_operations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('state', 'in', ['running', 'waiting', 'failed'])
    .where('changed_at', '<', before)
    .orderBy('changed_at')
    .limit(most)
    .execute()

export const listSteps = async ({ db, tenantId }: Tenancy, operationIds: readonly string[]): Promise<StepRecord[]> =>
  operationIds.length === 0
    ? []
    : tables(db)
        .selectFrom('card_steps')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('operation_id', 'in', [...operationIds])
        .orderBy('n')
        .execute()

/** Says what is about to be done; another try of the same step begins it anew. */
export const putIntent = async (
  { db, tenantId, now }: Tenancy,
  step: Pick<StepRecord, 'operation_id' | 'n' | 'name' | 'slot'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('card_steps')
    .values({ tenant_id: tenantId, ...step, intent_at: now, done_at: null, error: '' })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'operation_id', 'n']).doUpdateSet({ intent_at: now, done_at: null, error: '' }),
    )
    .execute())

export const updateStep = async (
  { db, tenantId }: Tenancy,
  { operation_id: operationId, n }: Pick<StepRecord, 'operation_id' | 'n'>,
  change: Partial<Pick<StepRecord, 'done_at' | 'error'>>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('card_steps')
    .set(change)
    .where('tenant_id', '=', tenantId)
    .where('operation_id', '=', operationId)
    .where('n', '=', n)
    .execute())

export const listSlots = ({ db, tenantId }: Tenancy, operationId: string): Promise<SlotRecord[]> =>
  tables(db)
    .selectFrom('card_slots')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('operation_id', '=', operationId)
    .orderBy('slot')
    .execute()

/** What is on these cards as far as is known. */
export const listCurrent = async ({ db, tenantId }: Tenancy, cardIds: readonly string[]): Promise<SlotRecord[]> =>
  cardIds.length === 0
    ? []
    : tables(db)
        .selectFrom('card_slots')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('card_id', 'in', [...cardIds])
        .where('state', '=', 'current')
        .orderBy('slot')
        .execute()

/** What is on a card, and what an operation that was not finished may have put there. */
export const listMade = ({ db, tenantId }: Tenancy, cardIds: readonly string[]): Promise<SlotRecord[]> =>
  tables(db)
    .selectFrom('card_slots')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('card_id', '=', sql<string>`any(${[...cardIds]}::uuid[])`)
    .where('state', 'in', ['current', 'making'])
    .where((all) => all.or([all('certificate_id', 'is not', null), all('request_id', 'is not', null)]))
    .orderBy('operation_id')
    .orderBy('slot')
    .execute()

/** The serials of the cards that hold this certificate now. */
export const listSerialsOf = async ({ db, tenantId }: Tenancy, certificateId: string): Promise<string[]> => {
  const rows = await tables(db)
    .selectFrom('card_slots')
    .innerJoin('cards', (on) => on.onRef('cards.id', '=', 'card_slots.card_id').onRef('cards.tenant_id', '=', 'card_slots.tenant_id'))
    .select('cards.serial')
    .distinct()
    .where('card_slots.tenant_id', '=', tenantId)
    .where('card_slots.certificate_id', '=', certificateId)
    .where('card_slots.state', '=', 'current')
    .orderBy('cards.serial')
    .execute()
  return rows.map(({ serial }) => serial)
}

/** Tells whether the newest keys of a card come from an operation that did not end: some of those before may be overwritten. */
export const isHalfMade = async ({ db, tenantId }: Tenancy, cardId: string): Promise<boolean> => {
  const newest = await tables(db)
    .selectFrom('card_slots')
    .select('state')
    .where('tenant_id', '=', tenantId)
    .where('card_id', '=', cardId)
    .orderBy('operation_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest !== undefined && newest.state !== 'current'
}

/** What is on no card any more, or never came there: of operations that were given up, and what a later one replaced. */
/** `after`: the last of those that were read before. */
export const listOrphans = ({ db, tenantId }: Tenancy, after: SlotRecord | undefined, most: number): Promise<SlotRecord[]> =>
  tables(db)
    .selectFrom('card_slots')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where((all) =>
      all.or([
        all('state', '=', 'former'),
        all.and([
          all('state', '=', 'making'),
          all(
            'operation_id',
            'in',
            all
              .selectFrom('card_operations')
              .where('card_operations.tenant_id', '=', tenantId)
              .where('card_operations.state', '=', 'abandoned')
              .select('card_operations.id'),
          ),
        ]),
      ]),
    )
    .$if(after !== undefined, (query) =>
      query.where((all) => all(all.refTuple('operation_id', 'slot'), '>', all.tuple(after?.operation_id ?? '', after?.slot ?? '9A'))),
    )
    .orderBy('operation_id')
    .orderBy('slot')
    .limit(most)
    .execute()

export const putSlot = async ({ db, tenantId }: Tenancy, row: Omit<SlotRecord, 'tenant_id'>): Promise<void> =>
  void (await tables(db)
    .insertInto('card_slots')
    .values({ tenant_id: tenantId, ...row })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'operation_id', 'slot']).doUpdateSet((all) => ({
        spki: all.ref('excluded.spki'),
        csr: all.ref('excluded.csr'),
        request_id: all.ref('excluded.request_id'),
        certificate_id: all.ref('excluded.certificate_id'),
        written_at: all.ref('excluded.written_at'),
      })),
    )
    .execute())

export type SlotChange = Partial<Pick<SlotRecord, 'csr' | 'request_id' | 'certificate_id' | 'written_at' | 'state'>>

export const updateSlot = async ({ db, tenantId }: Tenancy, operationId: string, slot: CardSlot, change: SlotChange): Promise<void> =>
  void (await tables(db)
    .updateTable('card_slots')
    .set(change)
    .where('tenant_id', '=', tenantId)
    .where('operation_id', '=', operationId)
    .where('slot', '=', slot)
    .execute())

/** What an operation made becomes what the card has; what it had before is former. */
export async function replaceCurrent({ db, tenantId }: Tenancy, cardId: string, operationId: string): Promise<void> {
  await tables(db)
    .updateTable('card_slots')
    .set({ state: 'former' satisfies SlotState })
    .where('tenant_id', '=', tenantId)
    .where('card_id', '=', cardId)
    .where('state', '=', 'current')
    .execute()
  await tables(db)
    .updateTable('card_slots')
    .set({ state: 'current' satisfies SlotState })
    .where('tenant_id', '=', tenantId)
    .where('operation_id', '=', operationId)
    .execute()
}

export const countCurrent = async ({ db, tenantId }: Tenancy, cardIds: readonly string[]): Promise<Map<string, number>> => {
  const rows = await tables(db)
    .selectFrom('card_slots')
    .where('tenant_id', '=', tenantId)
    .where('card_id', '=', sql<string>`any(${[...cardIds]}::uuid[])`)
    .where('state', '=', 'current')
    .groupBy('card_id')
    .select((all) => ['card_id', all.fn.countAll<number>().as('count')])
    .execute()
  return new Map(rows.map((row) => [row.card_id, row.count]))
}

export const countUnfinished = async ({ db, tenantId }: Tenancy): Promise<number> =>
  (
    await tables(db)
      .selectFrom('card_operations')
      .where('tenant_id', '=', tenantId)
      .where('state', 'in', ['waiting', 'failed'])
      .select((all) => all.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

/** In which slots keys were ever made, each once. */
export const listUsedSlots = ({ db, tenantId }: Tenancy, cardId: string): Promise<Pick<SlotRecord, 'slot' | 'algorithm'>[]> =>
  tables(db)
    .selectFrom('card_slots')
    .select(['slot', 'algorithm'])
    .distinctOn('slot')
    .where('tenant_id', '=', tenantId)
    .where('card_id', '=', cardId)
    .orderBy('slot')
    .execute()

/** What a card has is on it no more. */
export const endCurrent = async ({ db, tenantId }: Tenancy, cardId: string): Promise<void> =>
  void (await tables(db)
    .updateTable('card_slots')
    .set({ state: 'former' satisfies SlotState })
    .where('tenant_id', '=', tenantId)
    .where('card_id', '=', cardId)
    .where('state', '=', 'current')
    .execute())
