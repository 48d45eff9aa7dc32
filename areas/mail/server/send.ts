// Sends what waits in the outbox, one tenancy after another. A mail is claimed by moving its next attempt forward, so that two servers
// do not send it twice; if this process dies midway it is sent again later, which is the lesser evil.

import { createTransport, type Transporter } from 'nodemailer'
import { findTenancy } from '#areas/tenancy/service.ts'
import type { House } from '#core/server/house.ts'
import type { TakeTurn } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { mailLooks, type MailLook } from '../mail-looks.ts'
import { retryAt } from '../rules.ts'
import { htmlParts } from './html.ts'
import { claimNext, findSettings, updateMail } from './store.ts'

const claimMinutes = 5
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 }
const unreachable = new Set(['ECONNECTION', 'ECONNREFUSED', 'ECONNRESET', 'EDNS', 'ENOTFOUND', 'ESOCKET', 'ETIMEDOUT', 'EAUTH', 'ETLS'])

/** So many of a tenancy before it is another's turn. */
const mailsOfATurn = 50

export const transportTo = (smtpUrl: string): Transporter => createTransport({ url: smtpUrl, ...patience })

/** What people see as sender: the tenancy's own name or one that it chose, and the address of the installation, which the mail server lets it use. */
export async function senderOf(house: House, tenancy: Tenancy): Promise<{ from: { name: string; address: string }; replyTo?: string }> {
  const { senderName, replyTo } = await findSettings(tenancy)
  const name = senderName || (await lookOf(house, tenancy))?.name || (await findTenancy(tenancy.db, tenancy.tenantId))?.name || 'Chancery'
  return { from: { name, address: house.settings.mailFrom }, ...(replyTo === '' ? {} : { replyTo }) }
}

async function lookOf(house: House, tenancy: Tenancy): Promise<MailLook | undefined> {
  for (const ask of house.offers(mailLooks)) {
    const look = await ask(tenancy)
    if (look !== undefined) return look
  }
  return undefined
}

/** Job. Where the mail server is out of reach, what waits is left to the next run, instead of each mail waiting for it in vain. */
export function sendWaiting({ settings: { smtpUrl } }: House): TakeTurn {
  if (smtpUrl === undefined) return async () => {}
  const transport = transportTo(smtpUrl)
  let reachable = true
  return async ({ house, tenantId }) => {
    if (!reachable) return
    const sent = await sendOf(house, tenantId, transport)
    reachable = sent !== 'unreachable'
    if (sent === 'more') return sent
  }
}

export const failureOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500)

async function sendOf(house: House, tenantId: string, transport: Transporter): Promise<'all' | 'more' | 'unreachable'> {
  let sender: Awaited<ReturnType<typeof senderOf>> | undefined
  let look: MailLook | undefined
  for (let mails = 0; mails < mailsOfATurn; mails += 1) {
    const mail = await withTenancy(house, tenantId, (tenancy) =>
      claimNext(tenancy, new Date(tenancy.now.getTime() + claimMinutes * 60_000)),
    )
    if (mail === undefined) return 'all'
    if (sender === undefined) {
      sender = await withTenancy(house, tenantId, (tenancy) => senderOf(house, tenancy))
      look = await withTenancy(house, tenantId, (tenancy) => lookOf(house, tenancy))
    }
    const written = { to: mail.recipient, subject: mail.subject, text: mail.body, ...htmlParts(mail.body, look, sender.from.name) }
    // Programs that answer by themselves, such as those of who is away, leave it alone (RFC 3834).
    const headers = { 'Auto-Submitted': 'auto-generated' }
    const answersTo = mail.reply_to === '' ? {} : { replyTo: mail.reply_to }
    const error: unknown = await transport.sendMail({ ...sender, ...answersTo, headers, ...written }).then(
      () => undefined,
      (thrown: unknown) => thrown ?? 'unknown',
    )
    const failure = error === undefined ? undefined : failureOf(error)
    await withTenancy(house, tenantId, (tenancy) => {
      const { now } = tenancy
      if (failure === undefined) return updateMail(tenancy, mail.id, { status: 'sent', sent_at: now, last_error: '' })
      const again = retryAt(mail.attempts + 1, now)
      const status = again === undefined ? 'failed' : 'waiting'
      return updateMail(tenancy, mail.id, { status, last_error: failure, next_attempt_at: again ?? now })
    })
    if (error instanceof Error && 'code' in error && unreachable.has(String(error.code))) return 'unreachable'
  }
  return 'more'
}
