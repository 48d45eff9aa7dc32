// The outbox, and which notices a person does without.

import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { NoticeKind } from '../rules.ts'

type MailTables = {
  outbox: {
    tenant_id: string
    id: string
    recipient: string
    /** None of mail to somebody without an account, and of mail from before this was kept. */
    user_id: string | null
    kind: NoticeKind
    subject: string
    body: string
    status: 'waiting' | 'sent' | 'failed'
    attempts: number
    next_attempt_at: Date
    queued_at: Date
    sent_at: Date | null
    last_error: string
    /** Where answers to this letter go; empty where they go to the tenancy. */
    reply_to: string
  }
  notice_choices: { tenant_id: string; user_id: string; unwanted: NoticeKind[] }
  mail_settings: { tenant_id: string; sender_name: string; reply_to: string; language: string }
}

const tables = (db: Database) => db.withTables<MailTables>()

export type MailRow = MailTables['outbox']

export type OutboxPage = { page: number; size: number; text: string; status: MailRow['status'] | undefined }

/** A page of the outbox, the newest first, by status and by a part of the recipient's address. */
export async function pageOfOutbox(
  { db, tenantId }: Tenancy,
  { page, size, text, status }: OutboxPage,
): Promise<{ rows: MailRow[]; total: number }> {
  const found = tables(db)
    .selectFrom('outbox')
    .where('tenant_id', '=', tenantId)
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'waiting'))
    .$if(text !== '', (query) =>
      query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['recipient']), all.val(text.toLowerCase())]), '>', 0)),
    )
  return readPage(found, { page, size }, (all) => all.selectAll().orderBy('queued_at', 'desc'))
}

export const findMail = ({ db, tenantId }: Tenancy, id: string): Promise<MailRow | undefined> =>
  tables(db).selectFrom('outbox').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export async function insertMail({ db, tenantId }: Tenancy, row: Omit<MailRow, 'tenant_id'>): Promise<void> {
  await tables(db)
    .insertInto('outbox')
    .values({ tenant_id: tenantId, ...row })
    .execute()
}

/** The next mail that is due, as it stood before it was claimed: until `until` nobody else takes it. */
export async function claimNext(tenancy: Tenancy, until: Date): Promise<MailRow | undefined> {
  const { db, tenantId, now } = tenancy
  const next = await tables(db)
    .selectFrom('outbox')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'waiting')
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (next !== undefined) await updateMail(tenancy, next.id, { attempts: next.attempts + 1, next_attempt_at: until })
  return next
}

export async function updateMail(
  { db, tenantId }: Tenancy,
  id: string,
  changes: Partial<Omit<MailRow, 'tenant_id' | 'id'>>,
): Promise<void> {
  await tables(db).updateTable('outbox').set(changes).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** Gives up what waits of a kind for a person, and says why. */
export async function withdrawMail({ db, tenantId }: Tenancy, userId: string, kind: NoticeKind, why: string): Promise<void> {
  await tables(db)
    .updateTable('outbox')
    .set({ status: 'failed', last_error: why })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('status', '=', 'waiting')
    .execute()
}

export async function unwantedBy({ db, tenantId }: Tenancy, userId: string): Promise<readonly NoticeKind[]> {
  const choice = await tables(db)
    .selectFrom('notice_choices')
    .select('unwanted')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return choice?.unwanted ?? []
}

export async function writeUnwanted({ db, tenantId }: Tenancy, userId: string, unwanted: NoticeKind[]): Promise<void> {
  await tables(db)
    .insertInto('notice_choices')
    .values({ tenant_id: tenantId, user_id: userId, unwanted })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet({ unwanted }))
    .execute()
}

export async function deleteChoices({ db, tenantId }: Tenancy, userId: string): Promise<void> {
  await tables(db).deleteFrom('notice_choices').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

/** Deletes at most so many of those that nobody will try to send again, the oldest first, and returns the status of each. */
export async function deleteEnded({ db, tenantId }: Tenancy, before: Date, most: number): Promise<MailRow['status'][]> {
  const rows = await tables(db)
    .deleteFrom('outbox')
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', (all) =>
      all
        .selectFrom('outbox')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('status', '!=', 'waiting')
        .where('queued_at', '<', before)
        .orderBy('queued_at')
        .limit(most),
    )
    .returning('status')
    .execute()
  return rows.map(({ status }) => status)
}

export type MailSettings = { senderName: string; replyTo: string; language: 'en-GB' | 'de' }

export async function findSettings({ db, tenantId }: Tenancy): Promise<MailSettings> {
  const row = await tables(db).selectFrom('mail_settings').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
  return { senderName: row?.sender_name ?? '', replyTo: row?.reply_to ?? '', language: row?.language === 'de' ? 'de' : 'en-GB' }
}

export async function writeSettings({ db, tenantId }: Tenancy, { senderName, replyTo, language }: MailSettings): Promise<void> {
  const changes = { sender_name: senderName, reply_to: replyTo, language }
  await tables(db)
    .insertInto('mail_settings')
    .values({ tenant_id: tenantId, ...changes })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(changes))
    .execute()
}
