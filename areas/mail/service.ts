// Mail for other rooms: queued in the caller's transaction, sent after its commit.

import { wakeAfterCommit } from '#core/server/commit.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { speak, type Message } from '#core/server/texts.ts'
import { mail } from './contract.ts'
import { noticeKinds, type NoticeKind } from './rules.ts'
import { readerOf } from './server/reader-store.ts'
import { insertMail, unwantedBy } from './server/store.ts'

export { deleteReader, keepReader, readerOf } from './server/reader-store.ts'
export { deleteChoices as forgetChoices, withdrawMail } from './server/store.ts'

export type NewMail = {
  /** Without a `userId` it goes to somebody who has no account here. */
  to: { userId?: string; emailAddress: string }
  kind: NoticeKind
  subject: Message
  /** Its paragraphs, or one of them as its lines. */
  text: Message | readonly (Message | readonly Message[])[]
  link?: string
  /** Where an answer to this letter goes, instead of to the tenancy. */
  replyTo?: string
}

/**
 * Queues a mail, unless the person switched its kind off or has no address. It is written in the language of who gets it, or where they have chosen none,
 * in that of the tenancy's mail. The sender is woken by the commit.
 */
export async function queueMail(tenancy: Tenancy, { to, kind, subject, text, link, replyTo = '' }: NewMail): Promise<void> {
  const { db, now } = tenancy
  if (to.emailAddress === '') return
  if (noticeKinds[kind].optional && to.userId !== undefined && (await unwantedBy(tenancy, to.userId)).includes(kind)) return
  const reader = await readerOf(tenancy, to.userId)
  const said = (one: Message): string => speak(reader, one)
  const body = ('message' in text ? [text] : text).map((part) => ('message' in part ? said(part) : part.map(said).join('\n'))).join('\n\n')
  await insertMail(tenancy, {
    id: timeOrderedId(now),
    recipient: to.emailAddress,
    user_id: to.userId ?? null,
    kind,
    subject: said(subject),
    body: link === undefined ? body : `${body}\n\n${link}\n`,
    status: 'waiting',
    attempts: 0,
    next_attempt_at: now,
    queued_at: now,
    sent_at: null,
    last_error: '',
    reply_to: replyTo,
  })
  wakeAfterCommit(db, mail.jobs.send)
}

/** The address that people open: for links in mail. */
export const linkTo = (house: House, path: string): string => `${house.settings.origin}${path}`
