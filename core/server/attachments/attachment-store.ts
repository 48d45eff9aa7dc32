// The rows of attachments and the bytes that they share within a tenancy.

import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Tenancy } from '../tenancy.ts'

type Tables = {
  attachments: {
    tenant_id: string
    id: string
    kind: string
    about: string
    hash: Buffer
    name: string
    type: string
    added_by: string | null
    added_at: Date
  }
  attachment_contents: { tenant_id: string; hash: Buffer; size: number; bytes: Buffer }
  attachment_usage: { tenant_id: string; bytes: number }
}
const tables = (db: Database) => db.withTables<Tables>()

/** The thing that files are attached to. */
export type Subject = { /** `room.noun`, as `tickets.ticket`. */ kind: string; about: string }
export type AttachmentRow = Tables['attachments'] & { size: number }

const ofSubject = ({ tenantId }: Tenancy, { kind, about }: Subject) =>
  sql<boolean>`attachments.tenant_id = ${tenantId} and kind = ${kind} and about = ${about}`

/** Counts bytes to the tenancy's, and gives its sum. Others who add or remove there wait for the end of the transaction. */
export async function addUsage({ db, tenantId }: Tenancy, bytes: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    insert into attachment_usage (tenant_id, bytes) values (${tenantId}, greatest(${bytes}::bigint, 0))
    on conflict (tenant_id) do update set bytes = attachment_usage.bytes + ${bytes}::bigint returning bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}

export async function readUsage({ db, tenantId }: Tenancy): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select bytes from attachment_usage where tenant_id = ${tenantId}`.execute(db)
  return rows[0]?.bytes ?? 0
}

/** Keeps the bytes unless the tenancy has them; true where it had not. */
export async function insertContent({ db, tenantId }: Tenancy, { hash, bytes }: { hash: Buffer; bytes: Uint8Array }): Promise<boolean> {
  const held = await sql`select 1 from attachment_contents where tenant_id = ${tenantId} and hash = ${hash}`.execute(db)
  if (held.rows.length > 0) return false
  await tables(db)
    .insertInto('attachment_contents')
    .values({ tenant_id: tenantId, hash, size: bytes.length, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) })
    .execute()
  return true
}

export async function insertAttachment(db: Database, row: Tables['attachments']): Promise<void> {
  await tables(db).insertInto('attachments').values(row).execute()
}

const selected = (tenancy: Tenancy, subject: Subject) =>
  tables(tenancy.db)
    .selectFrom('attachments')
    .innerJoin('attachment_contents', (join) =>
      join.onRef('attachment_contents.tenant_id', '=', 'attachments.tenant_id').onRef('attachment_contents.hash', '=', 'attachments.hash'),
    )
    .selectAll('attachments')
    .select('size')
    .where(ofSubject(tenancy, subject))

export const listAttachments = (tenancy: Tenancy, subject: Subject): Promise<AttachmentRow[]> =>
  selected(tenancy, subject).orderBy('added_at').orderBy('id').execute()

export const findAttachment = (tenancy: Tenancy, { id, ...subject }: Subject & { id: string }): Promise<AttachmentRow | undefined> =>
  selected(tenancy, subject).where('id', '=', id).executeTakeFirst()

/** Reads a part of the bytes of an attachment that is still there. */
export async function readPart(
  { db, tenantId }: Tenancy,
  { id, from, most }: { id: string; from: number; most: number },
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ part: Buffer }>`
    select substring(bytes from ${from + 1}::integer for ${most}::integer) as part from attachments a
    join attachment_contents c on c.tenant_id = a.tenant_id and c.hash = a.hash where a.tenant_id = ${tenantId} and a.id = ${id}`.execute(
    db,
  )
  return rows[0]?.part
}

/** Removes attachments; gives the hashes of their bytes. */
export async function deleteAttachments(tenancy: Tenancy, { id, ...subject }: Subject & { id?: string }): Promise<Buffer[]> {
  const rows = await tables(tenancy.db)
    .deleteFrom('attachments')
    .where(ofSubject(tenancy, subject))
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .returning('hash')
    .execute()
  return rows.map(({ hash }) => hash)
}

/** Removes bytes that nothing is attached with any more; says how many. */
export async function deleteUnused({ db, tenantId }: Tenancy, hash: Buffer): Promise<number> {
  const { rows } = await sql<{ size: number }>`
    delete from attachment_contents c where tenant_id = ${tenantId} and hash = ${hash}
    and not exists (select 1 from attachments a where a.tenant_id = ${tenantId} and a.hash = c.hash) returning size`.execute(db)
  return rows[0]?.size ?? 0
}
