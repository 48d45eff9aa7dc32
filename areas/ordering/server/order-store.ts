// Every question about orders: their rows, who works on one, what is due, and the files that answer challenges.

import { randomUUID } from 'node:crypto'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { claimMilliseconds, mostRenewalsADay, type Step } from '../rules.ts'
import { tables, type AttemptRecord, type OrderRecord } from './store.ts'

export type OrderPatch = Partial<Omit<OrderRecord, 'tenant_id' | 'id' | 'claim' | 'claimed_until'>>

const json = (value: object | null): string | null => (value === null ? null : JSON.stringify(value))

/** The columns as they are written. */
function written({ problem, state, nonces, ari, ...plain }: OrderPatch) {
  return {
    ...plain,
    ...(problem === undefined ? {} : { problem: json(problem) }),
    ...(state === undefined ? {} : { state: JSON.stringify(state) }),
    ...(nonces === undefined ? {} : { nonces: JSON.stringify(nonces) }),
    ...(ari === undefined ? {} : { ari: json(ari) }),
  }
}

const ordersOf = ({ db, tenantId }: Tenancy) => tables(db).selectFrom('external_acme_orders').where('tenant_id', '=', tenantId)

export const insertOrder = async ({ db }: Tenancy, row: OrderRecord): Promise<void> => {
  const { problem, state, nonces, ari, ...plain } = row
  await tables(db)
    .insertInto('external_acme_orders')
    .values({ ...plain, problem: json(problem), state: JSON.stringify(state), nonces: JSON.stringify(nonces), ari: json(ari) })
    .execute()
}

export const findOrder = (tenancy: Tenancy, id: string): Promise<OrderRecord | undefined> =>
  ordersOf(tenancy).selectAll().where('id', '=', id).executeTakeFirst()

export const lockOrder = (tenancy: Tenancy, id: string): Promise<OrderRecord | undefined> =>
  ordersOf(tenancy).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export type OrderQuestion = { page: number; size: number; text: string; state?: 'underWay' | 'failed' | 'obtained' | undefined }

export const findOrders = (tenancy: Tenancy, { text, state, ...page }: OrderQuestion): Promise<{ rows: OrderRecord[]; total: number }> =>
  readPage(
    ordersOf(tenancy)
      .$if(text.trim() !== '', (query) =>
        query.where((all) =>
          all.eb(
            all.fn<number>('strpos', [all.fn('array_to_string', ['names', all.val(' ')]), all.val(text.trim().toLowerCase())]),
            '>',
            0,
          ),
        ),
      )
      .$if(state === 'underWay', (query) => query.where('step', '<>', 'done').where('problem', 'is', null))
      .$if(state === 'failed', (query) => query.where('problem', 'is not', null))
      .$if(state === 'obtained', (query) => query.where('certificate_id', 'is not', null)),
    page,
    (all) => all.selectAll().orderBy('created_at', 'desc').orderBy('id'),
  )

export const updateOrder = async ({ db, tenantId }: Tenancy, id: string, patch: OrderPatch): Promise<void> =>
  void (await tables(db)
    .updateTable('external_acme_orders')
    .set(written(patch))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const deleteOrder = async ({ db, tenantId }: Tenancy, id: string): Promise<void> => {
  for (const table of ['external_acme_attempts', 'acme_challenge_files'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('order_id', '=', id).execute()
  await tables(db).deleteFrom('external_acme_orders').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** Takes the order for one step, so that no other server takes it too. Undefined where another has it, or it stands at another step. */
export async function claimOrder(
  { db, tenantId, now }: Tenancy,
  id: string,
  step: Step,
): Promise<(OrderRecord & { claim: string }) | undefined> {
  const claim = randomUUID()
  const row = await tables(db)
    .updateTable('external_acme_orders')
    .set({ claim, claimed_until: new Date(now.getTime() + claimMilliseconds) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('step', '=', step)
    .where((all) => all.or([all('claimed_until', 'is', null), all('claimed_until', '<=', now)]))
    .returningAll()
    .executeTakeFirst()
  return row && { ...row, claim }
}

/** Writes what came of a step and gives the order free. False where the claim is over: another has taken the order, and its word counts. */
export async function releaseOrder(
  { db, tenantId }: Tenancy,
  { id, claim }: { id: string; claim: string },
  patch: OrderPatch,
): Promise<boolean> {
  const row = await tables(db)
    .updateTable('external_acme_orders')
    .set({ ...written(patch), claim: null, claimed_until: null })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('claim', '=', claim)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Writes within a step, before the network is asked. False where the claim is over. */
export async function updateClaimed(
  { db, tenantId }: Tenancy,
  { id, claim }: { id: string; claim: string },
  patch: OrderPatch,
): Promise<boolean> {
  const row = await tables(db)
    .updateTable('external_acme_orders')
    .set(written(patch))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('claim', '=', claim)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Those that go on by themselves, whose time has come. */
export const findDue = (tenancy: Tenancy, most: number): Promise<{ id: string }[]> =>
  ordersOf(tenancy)
    .select('id')
    .where('runs', '=', true)
    .where('next_at', '<=', tenancy.now)
    .where((all) => all.or([all('claimed_until', 'is', null), all('claimed_until', '<=', tenancy.now)]))
    .orderBy('next_at')
    .limit(most)
    .execute()

export const findToRenew = (tenancy: Tenancy, most: number): Promise<{ id: string }[]> =>
  ordersOf(tenancy)
    .select('id')
    .where('renew_at', '<=', tenancy.now)
    .where('step', '=', 'done')
    .where('renews', '=', true)
    .orderBy('renew_at')
    .limit(most)
    .execute()

/** Those whose authority is to be asked for the time of renewal. */
export const findToAsk = (tenancy: Tenancy, most: number): Promise<OrderRecord[]> =>
  ordersOf(tenancy)
    .selectAll()
    .where('ari_check_at', '<=', tenancy.now)
    .where('step', '=', 'done')
    .where('renews', '=', true)
    .orderBy('ari_check_at')
    .limit(most)
    .execute()

export const findByCertificate = (tenancy: Tenancy, certificateId: string): Promise<OrderRecord | undefined> =>
  ordersOf(tenancy).selectAll().where('certificate_id', '=', certificateId).executeTakeFirst()

/** How many orders use each authority, or each responder. */
export async function countOrders(tenancy: Tenancy, by: 'authority_id' | 'responder_id'): Promise<Map<string, number>> {
  const rows = await ordersOf(tenancy)
    .where(by, 'is not', null)
    .select(by)
    .select((all) => all.fn.countAll<number>().as('count'))
    .groupBy(by)
    .execute()
  return new Map(rows.map((row) => [row[by] ?? '', Number(row.count)]))
}

export const insertAttempt = async (
  { db, tenantId, now }: Tenancy,
  attempt: Pick<AttemptRecord, 'order_id' | 'step' | 'outcome' | 'detail'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('external_acme_attempts')
    .values({ tenant_id: tenantId, id: randomUUID(), at: now, ...attempt })
    .execute())

export const listAttempts = ({ db, tenantId }: Tenancy, orderId: string, most: number): Promise<AttemptRecord[]> =>
  tables(db)
    .selectFrom('external_acme_attempts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('order_id', '=', orderId)
    .orderBy('at', 'desc')
    .limit(most)
    .execute()

/** When its certificates were obtained, the latest first. */
export async function listObtained({ db, tenantId }: Tenancy, orderId: string): Promise<Date[]> {
  const rows = await tables(db)
    .selectFrom('external_acme_attempts')
    .select('at')
    .where('tenant_id', '=', tenantId)
    .where('order_id', '=', orderId)
    .where('step', '=', 'certificate')
    .where('outcome', '=', 'done')
    .orderBy('at', 'desc')
    .limit(mostRenewalsADay)
    .execute()
  return rows.map(({ at }) => at)
}

export const insertFile = async ({ db, tenantId }: Tenancy, file: { token: string; order_id: string; content: string }): Promise<void> =>
  void (await tables(db)
    .insertInto('acme_challenge_files')
    .values({ tenant_id: tenantId, ...file })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'token']).doUpdateSet({ content: file.content, order_id: file.order_id }))
    .execute())

export const findFile = async ({ db, tenantId }: Tenancy, token: string): Promise<string | undefined> =>
  (
    await tables(db)
      .selectFrom('acme_challenge_files')
      .select('content')
      .where('tenant_id', '=', tenantId)
      .where('token', '=', token)
      .executeTakeFirst()
  )?.content

export const deleteFiles = async ({ db, tenantId }: Tenancy, orderId: string): Promise<void> =>
  void (await tables(db).deleteFrom('acme_challenge_files').where('tenant_id', '=', tenantId).where('order_id', '=', orderId).execute())

export const findChallengeAddress = async ({ db, tenantId }: { db: Database; tenantId: string }): Promise<string | undefined> =>
  (await tables(db).selectFrom('acme_challenge_addresses').select('public_id').where('tenant_id', '=', tenantId).executeTakeFirst())
    ?.public_id

/** False where another request has made one meanwhile. */
export const insertChallengeAddress = async ({ db, tenantId }: Tenancy, publicId: string): Promise<boolean> =>
  (await tables(db)
    .insertInto('acme_challenge_addresses')
    .values({ tenant_id: tenantId, public_id: publicId })
    .onConflict((conflict) => conflict.column('tenant_id').doNothing())
    .returning('tenant_id')
    .executeTakeFirst()) !== undefined
