// Addresses that letters are answered to, and the mail that arrived there.

import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { HeldReason } from '../../rules.ts'

type TokenRecord = { tenant_id: string; hash: Buffer; ticket_id: number; user_id: string; made_at: Date }

export type MailRecord = {
  tenant_id: string
  id: string
  mail_key: Buffer
  ticket_id: number
  sender: string
  subject: string
  content: string
  state: 'taken' | 'held' | 'released' | 'discarded'
  /** Empty where it was taken. */
  reason: HeldReason | ''
  received_at: Date
}

type MailTables = { ticket_reply_tokens: TokenRecord; ticket_mails: MailRecord }

const tables = (db: Database) => db.withTables<MailTables>()

export const insertToken = async (
  { db, tenantId, now }: Tenancy,
  row: Pick<TokenRecord, 'hash' | 'ticket_id' | 'user_id'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('ticket_reply_tokens')
    .values({ tenant_id: tenantId, made_at: now, ...row })
    .execute())

export const findToken = (
  { db, tenantId }: Tenancy,
  hash: Buffer,
  since: Date,
): Promise<Pick<TokenRecord, 'ticket_id' | 'user_id'> | undefined> =>
  tables(db)
    .selectFrom('ticket_reply_tokens')
    .select(['ticket_id', 'user_id'])
    .where('tenant_id', '=', tenantId)
    .where('hash', '=', hash)
    .where('made_at', '>', since)
    .executeTakeFirst()

/** Answers whether it is new: a mail server hands over again what it is not sure of. */
export async function insertMail({ db, tenantId, now }: Tenancy, row: Omit<MailRecord, 'tenant_id' | 'received_at'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tables(db)
    .insertInto('ticket_mails')
    .values({ tenant_id: tenantId, received_at: now, ...row })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

export async function countFrom({ db, tenantId }: Tenancy, sender: string, since: Date): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('ticket_mails')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('sender', '=', sender)
    .where('received_at', '>', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

const held = ({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, text = '') =>
  tables(db)
    .selectFrom('ticket_mails')
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'held')
    .$if(text !== '', (query) =>
      query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['sender']), all.val(text.toLowerCase())]), '>', 0)),
    )

export async function pageOfHeld(
  tenancy: Tenancy,
  { text, page, size }: { text: string; page: number; size: number },
): Promise<{ rows: MailRecord[]; total: number }> {
  return readPage(held(tenancy, text.trim()), { page, size }, (all) => all.selectAll().orderBy('received_at', 'desc').orderBy('id'))
}

/** How many wait for somebody to look, at most `most`. */
export const countHeld = async (tenancy: Pick<Tenancy, 'db' | 'tenantId'>, most: number): Promise<number> =>
  (await held(tenancy).select('id').limit(most).execute()).length

/** Locks the row until the commit, so that two who decide about it go one after the other. */
export const lockHeld = (tenancy: Tenancy, id: string): Promise<MailRecord | undefined> =>
  held(tenancy).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** The text goes as soon as somebody has decided. */
export const updateMail = async ({ db, tenantId }: Tenancy, id: string, state: 'released' | 'discarded'): Promise<void> =>
  void (await tables(db)
    .updateTable('ticket_mails')
    .set({ state, content: '' })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export async function deleteOld({ db, tenantId }: Tenancy, { tokens, mails }: { tokens: Date; mails: Date }): Promise<void> {
  await tables(db).deleteFrom('ticket_reply_tokens').where('tenant_id', '=', tenantId).where('made_at', '<', tokens).execute()
  await tables(db).deleteFrom('ticket_mails').where('tenant_id', '=', tenantId).where('received_at', '<', mails).execute()
}
