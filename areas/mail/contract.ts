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
  'account',
])

export const mail = contract({
  area: 'mail',
  screens: {
    outbox: { path: '/config/outbox', needs: 'infrastructureConfig', title: 'Outbox', menu: { group: 'operate' } },
  },
  calls: {
    outbox: {
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
      method: 'GET',
      path: '/api2/Monitoring-v1/OutboxMail',
      needs: 'infrastructureConfig',
      input: z.object({ id: Id }),
      output: z.object({ id: Id, to: z.string(), subject: z.string(), text: z.string(), queuedAt: Instant }),
    },
    /** Whether mail leaves this installation, for the texts that speak of it. */
    state: {
      method: 'GET',
      path: '/api2/Monitoring-v1/MailState',
      needs: 'signedIn',
      input: z.object({}),
      output: z.object({ configured: z.boolean() }),
    },
    notices: {
      method: 'GET',
      path: '/api2/IDM-v1/NoticePreferences',
      needs: 'signedIn',
      home: true,
      input: z.object({}),
      output: z.object({ notices: z.array(z.object({ kind: NoticeKind, wanted: z.boolean() })) }),
    },
    chooseNotices: {
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
  events: { noticesChosen: z.object({ unwanted: z.array(NoticeKind) }) },
})
