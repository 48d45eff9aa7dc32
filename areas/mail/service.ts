// Mail for other rooms: queued in the caller's transaction, sent after its commit.

import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { noticeKinds, type NoticeKind } from './rules.ts'
import { insertMail, unwantedBy } from './server/store.ts'

export type NewMail = {
  tenantId: string
  to: { userId: string; emailAddress: string }
  kind: NoticeKind
  subject: string
  text: string
  link?: string
}

/** Queues a mail, unless the person switched its kind off or has no address. Wake the sender after the commit with `house.wake(mail.jobs.send)`. */
export async function queueMail(db: Database, mail: NewMail, now: Date): Promise<void> {
  const { tenantId, to, kind } = mail
  if (to.emailAddress === '') return
  if (noticeKinds[kind].optional && (await unwantedBy(db, tenantId, to.userId)).includes(kind)) return
  await insertMail(db, {
    tenant_id: tenantId,
    id: timeOrderedId(now),
    recipient: to.emailAddress,
    kind,
    subject: mail.subject,
    body: mail.link === undefined ? mail.text : `${mail.text}\n\n${mail.link}\n`,
    status: 'waiting',
    attempts: 0,
    next_attempt_at: now,
    queued_at: now,
    sent_at: null,
    last_error: '',
  })
}

/** The address that people open: for links in mail. */
export const linkTo = (house: House, path: string): string => `${house.settings.origin}${path}`
