import type { Database } from '#core/server/database.ts'
import type { NoticeKind } from '../rules.ts'

export type MailTables = {
  outbox: {
    tenant_id: string
    id: string
    recipient: string
    kind: NoticeKind
    subject: string
    body: string
    status: 'waiting' | 'sent' | 'failed'
    attempts: number
    next_attempt_at: Date
    queued_at: Date
    sent_at: Date | null
    last_error: string
  }
  notice_choices: { tenant_id: string; user_id: string; unwanted: NoticeKind[] }
}

export const tables = (db: Database) => db.withTables<MailTables>()
