import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, pageOf, PageQuery } from '#core/contract/shapes.ts'

const NoticeKind = z.enum([
  'approvalWaiting',
  'requestDecided',
  'certificateExpiring',
  'certificateChanged',
  'licenceEnding',
  'authorityHealth',
  'ticketAnswered',
  'ticketWaiting',
  'account',
])

export const mail = contract({
  area: 'mail',
  title: 'Mail',
  screens: {
    outbox: {
      path: '/config/outbox',
      needs: 'infrastructureConfig',
      title: 'Outbox',
      also: 'e-mail, messages, was it sent',
      menu: { group: 'operate', entry: 'outbox' },
    },
  },
  calls: {
    outbox: {
      does: 'Lists the mail that was sent or waits to be, with its state and last error, and says whether a mail server is set up.',
      method: 'POST',
      path: '/api2/Monitoring-v1/SearchOutbox',
      needs: 'infrastructureConfig',
      reads: true,
      input: PageQuery.extend({ status: z.enum(['waiting', 'sent', 'failed']).optional() }),
      output: pageOf(
        z.object({
          id: Id,
          to: z.string(),
          subject: z.string(),
          kind: NoticeKind,
          status: z.enum(['waiting', 'sent', 'failed']),
          queuedAt: Instant,
          sentAt: Instant.optional(),
          lastError: z.string(),
        }),
      ).extend({
        smtpConfigured: z.boolean(),
      }),
    },
    read: {
      does: 'Answers one mail of the outbox with its text.',
      method: 'GET',
      path: '/api2/Monitoring-v1/OutboxMail',
      needs: 'infrastructureConfig',
      input: z.object({ id: Id }),
      output: z.object({ id: Id, to: z.string(), subject: z.string(), text: z.string(), queuedAt: Instant }),
    },
    /** Whether mail leaves this installation, for the texts that speak of it. */
    state: {
      does: 'Says whether this installation can send mail at all.',
      method: 'GET',
      path: '/api2/Monitoring-v1/MailState',
      needs: 'signedIn',
      input: z.object({}),
      output: z.object({ configured: z.boolean() }),
    },
    notices: {
      does: 'Answers which notices there are and which of them the caller gets by mail.',
      method: 'GET',
      path: '/api2/IDM-v1/NoticePreferences',
      needs: 'signedIn',
      home: true,
      input: z.object({}),
      output: z.object({ notices: z.array(z.object({ kind: NoticeKind, wanted: z.boolean() })) }),
    },
    chooseNotices: {
      does: 'Sets which notices the caller does not want by mail; answers nothing.',
      title: 'Choose what mail to get',
      method: 'PUT',
      path: '/api2/IDM-v1/NoticePreferences',
      needs: 'signedIn',
      home: true,
      input: z.object({ unwanted: z.array(NoticeKind).max(10) }),
      output: z.object({}),
      done: 'Your choice of mail is saved',
      failed: 'Your choice of mail was not saved',
    },
  },
  jobs: {
    send: { title: 'Send mail', every: '* * * * *' },
    clean: { title: 'Delete old mail', every: '41 3 * * *' },
  },
  events: {
    noticesChosen: { says: 'Chose what mail to get', body: z.object({ unwanted: z.array(NoticeKind) }) },
    deleted: { says: 'Deleted old mail', body: z.object({ sent: z.number().int(), failed: z.number().int() }) },
  },
})
