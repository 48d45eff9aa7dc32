// Sends what waits in the outbox, one tenancy after another. A mail is claimed by moving its next attempt forward, so that two servers
// do not send it twice; if this process dies midway it is sent again later, which is the lesser evil.

import { createTransport, type Transporter } from 'nodemailer'
import type { House } from '#core/server/house.ts'
import type { TakeTurn } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { retryAt } from '../rules.ts'
import { claimNext, updateMail } from './store.ts'

const claimMinutes = 5
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 }
const unreachable = new Set(['ECONNECTION', 'ECONNREFUSED', 'ECONNRESET', 'EDNS', 'ENOTFOUND', 'ESOCKET', 'ETIMEDOUT', 'EAUTH', 'ETLS'])

/** So many of a tenancy before it is another's turn. */
const mailsOfATurn = 50

/** Job. Where the mail server is out of reach, what waits is left to the next run, instead of each mail waiting for it in vain. */
export function sendWaiting({ settings: { smtpUrl, origin } }: House): TakeTurn {
  if (smtpUrl === undefined) return async () => {}
  const transport = createTransport({ url: smtpUrl, ...patience }, { from: `Chancery <no-reply@${new URL(origin).hostname}>` })
  let reachable = true
  return async ({ house, tenantId }) => {
    if (!reachable) return
    const sent = await sendOf(house, tenantId, transport)
    reachable = sent !== 'unreachable'
    if (sent === 'more') return sent
  }
}

async function sendOf(house: House, tenantId: string, transport: Transporter): Promise<'all' | 'more' | 'unreachable'> {
  for (let mails = 0; mails < mailsOfATurn; mails += 1) {
    const mail = await withTenancy(house, tenantId, (tenancy) =>
      claimNext(tenancy, new Date(tenancy.now.getTime() + claimMinutes * 60_000)),
    )
    if (mail === undefined) return 'all'
    const error: unknown = await transport.sendMail({ to: mail.recipient, subject: mail.subject, text: mail.body }).then(
      () => undefined,
      (thrown: unknown) => thrown ?? 'unknown',
    )
    const failure = error === undefined ? undefined : (error instanceof Error ? error.message : String(error)).slice(0, 500)
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
