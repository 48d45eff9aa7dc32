// The messages of tickets and the records that are linked to them.

import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type MessageRecord = {
  tenant_id: string
  message_id: string
  ticket_id: number
  sender_id: string
  sender_name: string
  internal: boolean
  content: string
  sent_at: Date
  edited_at: Date | null
  by_mail: boolean
}

type MessageTables = {
  ticket_messages: MessageRecord
  ticket_links: { tenant_id: string; ticket_id: number; kind: string; record_id: string; added_by: string; added_at: Date }
}

const tables = (db: Database) => db.withTables<MessageTables>()

/** More than a person reads are left out. */
const mostRead = 1_000

/** What tells that something has changed, without the texts: whoever follows a ticket reads it after each change anywhere. */
export const listSigns = (
  { db, tenantId }: Tenancy,
  ticketId: number,
): Promise<Pick<MessageRecord, 'message_id' | 'internal' | 'edited_at'>[]> =>
  tables(db)
    .selectFrom('ticket_messages')
    .select(['message_id', 'internal', 'edited_at'])
    .where('tenant_id', '=', tenantId)
    .where('ticket_id', '=', ticketId)
    .orderBy('sent_at', 'desc')
    .orderBy('message_id', 'desc')
    .limit(mostRead)
    .execute()

export const countWrittenSince = async ({ db, tenantId }: Tenancy, senderId: string, since: Date): Promise<number> => {
  const { count } = await tables(db)
    .selectFrom('ticket_messages')
    .where('tenant_id', '=', tenantId)
    .where('sender_id', '=', senderId)
    .where('sent_at', '>', since)
    .select((all) => all.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** The oldest first; of more than a person reads the oldest are left out. */
export async function listMessages({ db, tenantId }: Tenancy, ticketId: number): Promise<MessageRecord[]> {
  const newest = await tables(db)
    .selectFrom('ticket_messages')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('ticket_id', '=', ticketId)
    .orderBy('sent_at', 'desc')
    .orderBy('message_id', 'desc')
    .limit(mostRead)
    .execute()
  return newest.toReversed()
}

export const findMessage = ({ db, tenantId }: Tenancy, messageId: string): Promise<MessageRecord | undefined> =>
  tables(db)
    .selectFrom('ticket_messages')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('message_id', '=', messageId)
    .executeTakeFirst()

export const insertMessage = async (
  { db, tenantId }: Tenancy,
  row: Omit<MessageRecord, 'tenant_id' | 'edited_at' | 'by_mail'> & { by_mail?: boolean },
): Promise<void> =>
  void (await tables(db)
    .insertInto('ticket_messages')
    .values({ tenant_id: tenantId, edited_at: null, by_mail: false, ...row })
    .execute())

export const updateMessage = async ({ db, tenantId, now }: Tenancy, messageId: string, content: string): Promise<void> =>
  void (await tables(db)
    .updateTable('ticket_messages')
    .set({ content, edited_at: now })
    .where('tenant_id', '=', tenantId)
    .where('message_id', '=', messageId)
    .execute())

/** Deletes the text as well: what was deleted is nowhere. */
export const deleteMessage = async ({ db, tenantId }: Tenancy, messageId: string): Promise<void> =>
  void (await tables(db).deleteFrom('ticket_messages').where('tenant_id', '=', tenantId).where('message_id', '=', messageId).execute())

export const moveMessages = async ({ db, tenantId }: Tenancy, from: number, into: number): Promise<void> =>
  void (await tables(db)
    .updateTable('ticket_messages')
    .set({ ticket_id: into })
    .where('tenant_id', '=', tenantId)
    .where('ticket_id', '=', from)
    .execute())

export type LinkRecord = { kind: string; record_id: string }

export const listLinks = ({ db, tenantId }: Tenancy, ticketId: number): Promise<(LinkRecord & { added_at: Date })[]> =>
  tables(db)
    .selectFrom('ticket_links')
    .select(['kind', 'record_id', 'added_at'])
    .where('tenant_id', '=', tenantId)
    .where('ticket_id', '=', ticketId)
    .orderBy('added_at')
    .orderBy('record_id')
    .execute()

/** Answers whether it is new. */
export async function insertLink(
  { db, tenantId, now }: Tenancy,
  row: LinkRecord & { ticket_id: number; added_by: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tables(db)
    .insertInto('ticket_links')
    .values({ tenant_id: tenantId, ...row, added_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

export async function deleteLink({ db, tenantId }: Tenancy, ticketId: number, { kind, record_id }: LinkRecord): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom('ticket_links')
    .where('tenant_id', '=', tenantId)
    .where('ticket_id', '=', ticketId)
    .where('kind', '=', kind)
    .where('record_id', '=', record_id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
