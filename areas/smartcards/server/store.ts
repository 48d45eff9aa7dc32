// The tables of cards and their templates, the type of each row, and every question that is asked of them. Operations have a store of their own.

import { sql, type JSONColumnType } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { CardSlot, CardStatus, OperationKind, OperationState, SlotAlgorithm } from '../rules.ts'

export type TemplateSlot = { slot: CardSlot; algorithm: SlotAlgorithm; templateId: string }

export type CardTemplateRecord = {
  tenant_id: string
  id: string
  name: string
  slots: TemplateSlot[]
  validity_months: number
  enabled: boolean
  /** Its keys are to be attested by the card. */
  attested: boolean
  version: number
  created_at: Date
}

export type CardRecord = {
  tenant_id: string
  id: string
  serial: string
  atr: string
  guid: string
  kind: string
  firmware: string
  status: CardStatus
  holder_id: string | null
  card_template_id: string | null
  management_algorithm: string
  key_version: number
  key_next: number | null
  puk_sealed: Buffer | null
  puk_key_id: string | null
  puk_next_sealed: Buffer | null
  puk_next_key_id: string | null
  fence: string
  expires_at: Date | null
  read_at: Date | null
  added_at: Date
  label: string
  custody: string
  extensions: Record<string, string | number | boolean>
  next_template_id: string | null
  assigned_at: Date | null
  temporary: boolean
  replaces_id: string | null
  temporary_days: number | null
  suspended_at: Date | null
  suspended_by: string
  suspend_reason: string
  pin_left: number | null
  passphrase_hash: string | null
  passphrase_tries: number
  passphrase_tried_at: Date | null
}

/** `slots` are empty where nothing is made; `days` are those of a temporary card, 0 is without an end. */
export type Plan = {
  cardTemplateId: string
  userId: string
  slots: TemplateSlot[]
  attested?: boolean
  guid: string
  expires: string
  replacesId?: string
  days?: number
}

export type OperationRecord = {
  tenant_id: string
  id: string
  card_id: string
  kind: OperationKind
  state: OperationState
  plan: Plan
  fence: string
  lease_until: Date
  error: string
  by_id: string
  by_name: string
  started_at: Date
  changed_at: Date
}

export type StepRecord = {
  tenant_id: string
  operation_id: string
  n: number
  name: string
  slot: string
  intent_at: Date
  done_at: Date | null
  error: string
}

/** `making` until the operation is done, then `current`; `former` when a later one took its place, `ended` when its certificate was revoked for that. */
export type SlotState = 'making' | 'current' | 'former' | 'ended'
export type SlotRecord = {
  tenant_id: string
  operation_id: string
  slot: CardSlot
  card_id: string
  algorithm: SlotAlgorithm
  state: SlotState
  spki: Buffer
  csr: Buffer | null
  request_id: string | null
  certificate_id: string | null
  written_at: Date | null
  origin: 'proved' | 'attested'
  /** Who attests it, or why nobody does. */
  origin_says: string
  statement: Buffer | null
  device: Buffer | null
}

export type AttestationRecord = { tenant_id: string; roots: string; accepts_virtual: boolean; changed_at: Date }

export type SettingsRecord = { tenant_id: string; temporary_days: number; unlimited_is_default: boolean; changed_at: Date }
type MasterRecord = { tenant_id: string; master_sealed: Buffer; tenant_key_id: string; made_at: Date }

export type CardTables = {
  card_templates: Omit<CardTemplateRecord, 'slots'> & { slots: JSONColumnType<TemplateSlot[]> }
  card_masters: MasterRecord
  cards: Omit<CardRecord, 'extensions'> & { extensions: JSONColumnType<CardRecord['extensions']> }
  card_settings: SettingsRecord
  card_operations: Omit<OperationRecord, 'plan'> & { plan: JSONColumnType<Plan> }
  card_steps: StepRecord
  card_slots: SlotRecord
  card_attestation: AttestationRecord
}

export const tables = (db: Database) => db.withTables<CardTables>()

export const findCardRow = ({ db, tenantId }: Tenancy, id: string): Promise<CardRecord | undefined> =>
  tables(db).selectFrom('cards').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const findCardRows = async ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<CardRecord[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('cards')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute()

/** Cards whose serial number lies behind one, in the order of its bytes; without those that were unregistered. */
export const listBySerial = ({ db, tenantId }: Tenancy, after: string, most: number): Promise<CardRecord[]> =>
  tables(db)
    .selectFrom('cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('status', '<>', 'UNREGISTERED')
    .where(sql<boolean>`serial collate "C" > ${after}`)
    .orderBy(sql`serial collate "C"`)
    .limit(most)
    .execute()

export const findBySerial = ({ db, tenantId }: Tenancy, serial: string): Promise<CardRecord | undefined> =>
  tables(db).selectFrom('cards').selectAll().where('tenant_id', '=', tenantId).where('serial', '=', serial).executeTakeFirst()

/** Holds the row until the transaction ends. */
export const lockCard = ({ db, tenantId }: Tenancy, id: string): Promise<CardRecord | undefined> =>
  tables(db).selectFrom('cards').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

export type NewCard = Pick<
  CardRecord,
  'id' | 'serial' | 'atr' | 'kind' | 'firmware' | 'status' | 'management_algorithm' | 'read_at' | 'added_at'
> & { guid: string }

const unused = {
  extensions: '{}',
  label: '',
  custody: '',
  suspended_by: '',
  suspend_reason: '',
  temporary: false,
  key_version: 0,
  fence: '0',
  passphrase_tries: 0,
}

/** False where the card is there already. */
export async function insertCard({ db, tenantId }: Tenancy, row: NewCard): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tables(db)
    .insertInto('cards')
    .values({ tenant_id: tenantId, ...row, ...unused })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'serial']).doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export type CardChange = Partial<Omit<CardRecord, 'tenant_id' | 'id' | 'serial' | 'fence'>>

const columnsOf = ({ extensions, ...change }: CardChange) => ({
  ...change,
  ...(extensions === undefined ? {} : { extensions: JSON.stringify(extensions) }),
})

export const updateCard = async ({ db, tenantId }: Tenancy, id: string, change: CardChange): Promise<void> =>
  void (await tables(db).updateTable('cards').set(columnsOf(change)).where('tenant_id', '=', tenantId).where('id', '=', id).execute())

/** Only while no newer operation drives the card: false where one does. */
export async function updateFenced({ db, tenantId }: Tenancy, id: string, fence: string, change: CardChange): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable('cards')
    .set(columnsOf(change))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('fence', '=', fence)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export async function raiseFence({ db, tenantId }: Tenancy, id: string): Promise<string> {
  const { fence } = await tables(db)
    .updateTable('cards')
    .set((all) => ({ fence: all('fence', '+', '1') }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returning('fence')
    .executeTakeFirstOrThrow()
  return fence
}

const sortColumns = { serial: 'serial', addedAt: 'added_at' } as const
export type CardQuestion = {
  page: number
  size: number
  text: string
  direction: 'asc' | 'desc'
  sort?: keyof typeof sortColumns | undefined
  status: readonly CardStatus[]
  /** The people whose cards match the text besides. */
  holders: readonly string[]
}

export const pageOfCards = ({ db, tenantId }: Tenancy, question: CardQuestion) =>
  readPage(
    tables(db)
      .selectFrom('cards')
      .where('tenant_id', '=', tenantId)
      .$if(question.status.length > 0, (query) => query.where('status', 'in', [...question.status]))
      .$if(question.text !== '', (query) =>
        query.where((all) =>
          all.or([
            all(all.fn<number>('strpos', [all.fn('lower', ['serial']), all.val(question.text.toLowerCase())]), '>', 0),
            all('holder_id', '=', sql<string>`any(${[...question.holders]}::uuid[])`),
          ]),
        ),
      ),
    question,
    (found) =>
      found
        .selectAll()
        .orderBy(sortColumns[question.sort ?? 'addedAt'], question.direction)
        .orderBy('id'),
  )

export const cardsNamed = ({ db, tenantId }: Tenancy, text: string, most: number): Promise<CardRecord[]> =>
  tables(db)
    .selectFrom('cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where((all) => all(all.fn<number>('strpos', [all.fn('lower', ['serial']), all.val(text.toLowerCase())]), '>', 0))
    .orderBy('serial')
    .limit(most)
    .execute()

export const findTemplateRow = ({ db, tenantId }: Tenancy, id: string): Promise<CardTemplateRecord | undefined> =>
  tables(db).selectFrom('card_templates').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const lockTemplate = ({ db, tenantId }: Tenancy, id: string): Promise<CardTemplateRecord | undefined> =>
  tables(db).selectFrom('card_templates').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

export const listCardTemplates = ({ db, tenantId }: Tenancy): Promise<CardTemplateRecord[]> =>
  tables(db).selectFrom('card_templates').selectAll().where('tenant_id', '=', tenantId).orderBy('name').execute()

export const pageOfTemplates = (
  { db, tenantId }: Tenancy,
  question: { page: number; size: number; text: string; direction: 'asc' | 'desc' },
) =>
  readPage(
    tables(db)
      .selectFrom('card_templates')
      .where('card_templates.tenant_id', '=', tenantId)
      .$if(question.text !== '', (query) =>
        query.where((all) => all(all.fn<number>('strpos', [all.fn('lower', ['name']), all.val(question.text.toLowerCase())]), '>', 0)),
      ),
    question,
    (found) =>
      found
        .selectAll()
        .select((all) =>
          all
            .selectFrom('cards')
            .whereRef('cards.tenant_id', '=', 'card_templates.tenant_id')
            .whereRef('cards.card_template_id', '=', 'card_templates.id')
            .select((inner) => inner.fn.countAll<number>().as('cards'))
            .as('cards'),
        )
        .orderBy('name', question.direction)
        .orderBy('id'),
  )

type TemplateText = Pick<CardTemplateRecord, 'name' | 'slots' | 'validity_months' | 'enabled'> &
  Partial<Pick<CardTemplateRecord, 'attested'>>
const written = ({ slots, attested = false, ...text }: TemplateText) => ({ ...text, attested, slots: JSON.stringify(slots) })

/** Throws where the name is taken: the index `card_templates_by_name`. */
export const insertTemplate = async ({ db, tenantId, now }: Tenancy, id: string, text: TemplateText): Promise<void> =>
  void (await tables(db)
    .insertInto('card_templates')
    .values({ tenant_id: tenantId, id, version: 1, created_at: now, ...written(text) })
    .execute())

/** Throws where the name is taken: the index `card_templates_by_name`. */
export const updateTemplate = async ({ db, tenantId }: Tenancy, id: string, text: TemplateText): Promise<void> =>
  void (await tables(db)
    .updateTable('card_templates')
    .set((all) => ({ ...written(text), version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const findMaster = ({ db, tenantId }: Tenancy): Promise<MasterRecord | undefined> =>
  tables(db).selectFrom('card_masters').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()

/** The first one stays. */
export const insertMaster = async ({ db, tenantId, now }: Tenancy, row: Omit<MasterRecord, 'tenant_id' | 'made_at'>): Promise<void> =>
  void (await tables(db)
    .insertInto('card_masters')
    .values({ tenant_id: tenantId, made_at: now, ...row })
    .onConflict((conflict) => conflict.columns(['tenant_id']).doNothing())
    .execute())
