// The tables of faces, batches and printed cards, and every question that is asked of them.

import { sql, type Generated, type JSONColumnType } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { FaceDesign } from '../contract.ts'
import type { BatchState, FileKind, PrintState, SkipReason } from '../rules.ts'

/** Lets one batch of requests after the other be made in a tenancy, because two at once would both take a request. Held until the end of the transaction. */
export const holdRequests = async ({ db, tenantId }: Tenancy): Promise<void> =>
  void (await sql`select pg_advisory_xact_lock(hashtextextended(${`printing:${tenantId}`}, 0))`.execute(db))

export type FaceRecord = { tenant_id: string; card_template_id: string; design: FaceDesign; version: number }
export type BatchRecord = { tenant_id: string; id: string; state: BatchState; printer: string; by_name: string; made_at: Date }
export type PrintedRecord = {
  tenant_id: string
  id: string
  batch_id: string | null
  n: number
  user_id: string | null
  card_template_id: string
  card_serial: string
  state: PrintState
  printer: string
  job_id: number | null
  attempt: number
  says: string
  followed_until: Date | null
  changed_at: Date
  request_id: string | null
  photo_request_id: string | null
  skipped_for: SkipReason | null
  again_for: string
}

export type BureauRecord = { tenant_id: string; certificate: Buffer; by_name: string; set_at: Date }
export type TakingRecord = {
  tenant_id: string
  id: string
  batch_id: string
  file: FileKind
  by_name: string
  at: Date
  completed_at: Date | null
}

type PrintTables = {
  print_bureaus: BureauRecord
  print_file_takings: TakingRecord
  card_faces: { tenant_id: string; card_template_id: string; design: JSONColumnType<FaceDesign>; version: Generated<number> }
  print_batches: BatchRecord
  printed_cards: PrintedRecord
}

const tables = (db: Database) => db.withTables<PrintTables>()

export const findFace = ({ db, tenantId }: Tenancy, cardTemplateId: string): Promise<FaceRecord | undefined> =>
  tables(db)
    .selectFrom('card_faces')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('card_template_id', '=', cardTemplateId)
    .executeTakeFirst()

export const listFaced = async ({ db, tenantId }: Tenancy): Promise<Set<string>> =>
  new Set(
    (await tables(db).selectFrom('card_faces').select('card_template_id').where('tenant_id', '=', tenantId).execute()).map(
      ({ card_template_id: id }) => id,
    ),
  )

/** False where another change came first. */
export async function putFace(
  { db, tenantId }: Tenancy,
  cardTemplateId: string,
  design: FaceDesign,
  version: number | undefined,
): Promise<boolean> {
  const text = JSON.stringify(design)
  const { numInsertedOrUpdatedRows } = await tables(db)
    .insertInto('card_faces')
    .values({ tenant_id: tenantId, card_template_id: cardTemplateId, design: text })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'card_template_id'])
        .doUpdateSet((all) => ({ design: text, version: all('card_faces.version', '+', 1) }))
        .where((all) => (version === undefined ? all.lit(true) : all('card_faces.version', '=', version))),
    )
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export const insertBatch = async ({ db, tenantId, now }: Tenancy, id: string, byName: string): Promise<void> =>
  void (await tables(db)
    .insertInto('print_batches')
    .values({ tenant_id: tenantId, id, state: 'new', printer: '', by_name: byName, made_at: now })
    .execute())

export const insertPrinted = async (
  { db, tenantId, now }: Tenancy,
  rows: readonly Pick<
    PrintedRecord,
    'id' | 'batch_id' | 'n' | 'user_id' | 'card_template_id' | 'card_serial' | 'request_id' | 'photo_request_id'
  >[],
): Promise<void> =>
  void (await tables(db)
    .insertInto('printed_cards')
    .values(
      rows.map((row) => ({
        tenant_id: tenantId,
        ...row,
        state: 'waiting' as const,
        printer: '',
        job_id: null,
        attempt: 0,
        says: '',
        followed_until: null,
        changed_at: now,
        skipped_for: null,
        again_for: '',
      })),
    )
    .execute())

export const lockBatch = ({ db, tenantId }: Tenancy, id: string): Promise<BatchRecord | undefined> =>
  tables(db).selectFrom('print_batches').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

export const findBatch = ({ db, tenantId }: Tenancy, id: string): Promise<BatchRecord | undefined> =>
  tables(db).selectFrom('print_batches').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const updateBatch = async (
  { db, tenantId }: Tenancy,
  id: string,
  change: Partial<Pick<BatchRecord, 'state' | 'printer'>>,
): Promise<void> =>
  void (await tables(db).updateTable('print_batches').set(change).where('tenant_id', '=', tenantId).where('id', '=', id).execute())

export const pageOfBatches = (
  { db, tenantId }: Tenancy,
  question: { page: number; size: number },
): Promise<{ rows: BatchRecord[]; total: number }> =>
  readPage(tables(db).selectFrom('print_batches').where('tenant_id', '=', tenantId), question, (all) =>
    all.selectAll().orderBy('made_at', 'desc').orderBy('id'),
  )

export const listCards = ({ db, tenantId }: Tenancy, batchIds: readonly string[]): Promise<PrintedRecord[]> =>
  tables(db)
    .selectFrom('printed_cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('batch_id', '=', sql<string>`any(${[...batchIds]}::uuid[])`)
    .orderBy('n')
    .execute()

/** All cards of these people, those that changed last first. */
export const listPrintedOf = ({ db, tenantId }: Tenancy, userIds: readonly string[]): Promise<PrintedRecord[]> =>
  tables(db)
    .selectFrom('printed_cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', sql<string>`any(${[...userIds]}::uuid[])`)
    .orderBy('changed_at', 'desc')
    .orderBy('id')
    .execute()

export const lockPrinted = ({ db, tenantId }: Tenancy, id: string): Promise<PrintedRecord | undefined> =>
  tables(db).selectFrom('printed_cards').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

/** The next card of a batch that waits, held until the commit. */
export const lockNext = ({ db, tenantId }: Tenancy, batchId: string): Promise<PrintedRecord | undefined> =>
  tables(db)
    .selectFrom('printed_cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('batch_id', '=', batchId)
    .where('state', '=', 'waiting')
    .orderBy('n')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()

export type PrintedChange = Partial<
  Pick<
    PrintedRecord,
    'state' | 'printer' | 'job_id' | 'attempt' | 'says' | 'followed_until' | 'skipped_for' | 'again_for' | 'photo_request_id'
  >
>

export const updatePrinted = async ({ db, tenantId, now }: Tenancy, id: string, change: PrintedChange): Promise<void> =>
  void (await tables(db)
    .updateTable('printed_cards')
    .set({ ...change, changed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** Only of the attempt that is followed: false where it is another one, or has ended. */
export async function updateAttempt(
  { db, tenantId, now }: Tenancy,
  { id, attempt }: Pick<PrintedRecord, 'id' | 'attempt'>,
  change: PrintedChange,
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable('printed_cards')
    .set({ ...change, changed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', 'in', ['sending', 'printing'])
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Those at a printer whom nobody follows any more, held until the commit. */
export const lockAbandoned = ({ db, tenantId, now }: Tenancy): Promise<PrintedRecord[]> =>
  tables(db)
    .selectFrom('printed_cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('state', 'in', ['sending', 'printing'])
    .where('followed_until', '<', now)
    .orderBy('id')
    .limit(200)
    .forUpdate()
    .execute()

/** Batches that are being printed although no card of theirs is at a printer, nor was since then. */
export const listIdle = ({ db, tenantId }: Tenancy, since: Date): Promise<{ id: string }[]> =>
  tables(db)
    .selectFrom('print_batches')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'printing')
    .where((all) =>
      all.not(
        all.exists(
          all
            .selectFrom('printed_cards')
            .select('printed_cards.id')
            .whereRef('printed_cards.tenant_id', '=', 'print_batches.tenant_id')
            .whereRef('printed_cards.batch_id', '=', 'print_batches.id')
            .where((card) =>
              card.or([card('printed_cards.state', 'in', ['sending', 'printing']), card('printed_cards.changed_at', '>', since)]),
            ),
        ),
      ),
    )
    .execute()

export const releasePerson = async ({ db, tenantId }: Omit<Tenancy, 'now'>, userId: string): Promise<void> =>
  void (await tables(db)
    .updateTable('printed_cards')
    .set({ user_id: null })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .execute())

export const findBureau = ({ db, tenantId }: Tenancy): Promise<BureauRecord | undefined> =>
  tables(db).selectFrom('print_bureaus').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()

export const putBureau = async ({ db, tenantId, now }: Tenancy, row: Pick<BureauRecord, 'certificate' | 'by_name'>): Promise<void> =>
  void (await tables(db)
    .insertInto('print_bureaus')
    .values({ tenant_id: tenantId, ...row, set_at: now })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ ...row, set_at: now }))
    .execute())

export const insertTaking = async (
  { db, tenantId, now }: Tenancy,
  row: Omit<TakingRecord, 'tenant_id' | 'at' | 'completed_at'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('print_file_takings')
    .values({ tenant_id: tenantId, ...row, at: now, completed_at: null })
    .execute())

export const updateCompleted = async ({ db, tenantId, now }: Tenancy, id: string): Promise<void> =>
  void (await tables(db)
    .updateTable('print_file_takings')
    .set({ completed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const pageOfTakings = (
  { db, tenantId }: Tenancy,
  { batchId, ...question }: { page: number; size: number; batchId: string },
): Promise<{ rows: TakingRecord[]; total: number }> =>
  readPage(tables(db).selectFrom('print_file_takings').where('tenant_id', '=', tenantId).where('batch_id', '=', batchId), question, (all) =>
    all.selectAll().orderBy('at', 'desc').orderBy('id'),
  )

/** Cards by person and state, those that changed last first. */
export const pageOfPrinted = (
  { db, tenantId }: Tenancy,
  { state, among, ...question }: { page: number; size: number; state?: PrintState | undefined; among: readonly string[] | undefined },
): Promise<{ rows: PrintedRecord[]; total: number }> =>
  readPage(
    tables(db)
      .selectFrom('printed_cards')
      .where('tenant_id', '=', tenantId)
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'printed'))
      .$if(among !== undefined, (query) => query.where('user_id', '=', sql<string>`any(${[...(among ?? [])]}::uuid[])`)),
    question,
    (all) => all.selectAll().orderBy('changed_at', 'desc').orderBy('id'),
  )

/** The printers at which a card of ours is now. */
export const listBusyPrinters = async ({ db, tenantId, now }: Tenancy): Promise<Set<string>> =>
  new Set(
    (
      await tables(db)
        .selectFrom('printed_cards')
        .select('printer')
        .distinct()
        .where('tenant_id', '=', tenantId)
        .where('state', 'in', ['sending', 'printing'])
        .where('followed_until', '>=', now)
        .execute()
    ).map(({ printer }) => printer),
  )
