import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, pageOf, PageQuery } from '#core/contract/shapes.ts'

const NoticeKind = z.enum([
  'approvalWaiting',
  'requestDecided',
  'certificateExpiring',
  'certificateChanged',
  'domainProof',
  'applicationEnding',
  'provisioningHeld',
  'visitOverstayed',
  'leaverHolds',
  'licenceEnding',
  'authorityHealth',
  'ticketAnswered',
  'ticketWaiting',
  'account',
])

/** Both may be empty: the name of the tenancy, and no address of its own for answers. */
const MailSettings = z.object({
  senderName: z
    .string()
    .trim()
    .max(100)
    .regex(/^[^\p{Cc}<>"]*$/u, 'Use a name without < > and "'),
  replyTo: z.union([z.literal(''), z.email('Enter an e-mail address').max(254)]),
  /** Of mail to who has chosen none. */
  language: z.enum(['en-GB', 'de']).default('en-GB'),
})

export const mail = contract({
  area: 'mail',
  title: 'Mail',
  screens: {
    outbox: {
      path: '/config/outbox',
      needs: 'infrastructureConfig',
      title: 'Outbox',
      also: 'e-mail, messages, was it sent',
      menu: { group: 'operate', entry: 'outbox', tab: 'Outbox', place: 10 },
    },
    settings: {
      path: '/config/mail',
      needs: 'infrastructureConfig',
      title: 'Mail settings',
      also: 'sender, reply address, SMTP, test mail',
      menu: { group: 'operate', entry: 'outbox', tab: 'Settings', place: 20 },
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
    settings: {
      does: 'Answers under which name and in which language mail of the tenancy is sent, where answers to it go, and the address that it comes from.',
      method: 'GET',
      path: '/api2/Monitoring-v1/MailSettings',
      needs: 'infrastructureConfig',
      input: z.object({}),
      output: MailSettings.extend({ senderAddress: z.string(), configured: z.boolean() }),
    },
    saveSettings: {
      does: 'Sets under which name mail of the tenancy is sent, its language for who has chosen none, and where answers to it go; answers nothing.',
      title: 'Change the mail settings',
      method: 'PUT',
      path: '/api2/Monitoring-v1/MailSettings',
      needs: 'infrastructureConfig',
      input: MailSettings,
      output: z.object({}),
      done: 'The mail settings are saved',
      failed: 'The mail settings were not saved',
    },
    test: {
      does: 'Sends a test mail at once; where the mail server does not take it, the fault says what it said.',
      title: 'Send a test mail',
      method: 'POST',
      path: '/api2/Monitoring-v1/SendTestMail',
      needs: 'infrastructureConfig',
      input: z.object({ to: z.email('Enter an e-mail address').max(254) }),
      output: z.object({}),
      faults: {
        noServer: { status: 409, says: 'No mail server is set. Start Chancery with CHANCERY_SMTP_URL' },
        notSent: { status: 502, says: 'The mail server did not take it: {reason}' },
      },
      done: 'The mail server took it',
      failed: 'The test mail was not sent',
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
    settingsChanged: {
      says: 'Changed the mail settings',
      body: z.object({ senderName: z.string(), replyTo: z.string(), language: z.string().optional() }),
    },
    tested: { says: 'Sent a test mail', body: z.object({ to: z.string() }) },
    deleted: { says: 'Deleted old mail', body: z.object({ sent: z.number().int(), failed: z.number().int() }) },
  },
})
