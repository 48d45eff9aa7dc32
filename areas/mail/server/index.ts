import { permissions } from '#core/contract/permission-labels.ts'
import { serve, type Viewer } from '#core/server/serve.ts'
import { message, speak } from '#core/server/texts.ts'
import { mail } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { noticeKinds, type NoticeKind } from '../rules.ts'
import { deleteOld } from './clean.ts'
import { readerOf } from './reader-store.ts'
import { failureOf, senderOf, sendWaiting, transportTo } from './send.ts'
import { findMail, findSettings, pageOfOutbox, unwantedBy, writeSettings, writeUnwanted } from './store.ts'

/** A link of a mail can open an account that holds more than the reader: the secret in it is for the recipient and for who holds everything. */
const holdsAll = ({ permission }: Viewer): boolean => Object.keys(permissions).every((name) => permission.api.includes(name))
const withoutSecrets = (text: string): string => text.replace(/[\w-]{40,}/g, '…')

export default serve(
  mail,
  {
    async outbox({ page, size, status, text }, { tenancy, house }) {
      const { rows, total } = await pageOfOutbox(tenancy, { page, size, status, text })
      return {
        rows: rows.map((row) => ({
          id: row.id,
          to: row.recipient,
          subject: row.subject,
          kind: row.kind,
          status: row.status,
          queuedAt: row.queued_at.toISOString(),
          ...(row.sent_at === null ? {} : { sentAt: row.sent_at.toISOString() }),
          lastError: row.last_error,
        })),
        total,
        smtpConfigured: house.settings.smtpUrl !== undefined,
      }
    },

    async read({ id }, { tenancy, viewer, fault }) {
      const row = await findMail(tenancy, id)
      if (row === undefined) return fault('missing')
      return {
        id: row.id,
        to: row.recipient,
        subject: row.subject,
        text: holdsAll(viewer) ? row.body : withoutSecrets(row.body),
        queuedAt: row.queued_at.toISOString(),
      }
    },

    settings: async (_input, { tenancy, house }) => ({
      ...(await findSettings(tenancy)),
      senderAddress: house.settings.mailFrom,
      configured: house.settings.smtpUrl !== undefined,
    }),

    async saveSettings(settings, { tenancy, emit }) {
      await writeSettings(tenancy, settings)
      emit('settingsChanged', settings, tenancy.tenantId)
      return {}
    },

    async test({ to }, { tenancy, house, emit, fault }) {
      const { smtpUrl } = house.settings
      if (smtpUrl === undefined) return fault('noServer')
      const sender = await senderOf(house, tenancy)
      const reader = await readerOf(tenancy, undefined)
      const subject = speak(reader, message(mailWords.test.subject, { name: sender.from.name }))
      const transport = transportTo(smtpUrl)
      const error: unknown = await transport.sendMail({ ...sender, to, subject, text: speak(reader, message(mailWords.test.text)) }).then(
        () => undefined,
        (thrown: unknown) => thrown ?? 'unknown',
      )
      transport.close()
      if (error !== undefined) return fault('notSent', { params: { reason: failureOf(error) } })
      emit('tested', { to }, tenancy.tenantId)
      return {}
    },

    state: async (_input, { house }) => ({ configured: house.settings.smtpUrl !== undefined }),

    async notices(_input, { tenancy, viewer }) {
      const unwanted = await unwantedBy(tenancy, viewer.userId)
      const kinds = Object.keys(noticeKinds) as NoticeKind[]
      return { notices: kinds.filter((kind) => noticeKinds[kind].optional).map((kind) => ({ kind, wanted: !unwanted.includes(kind) })) }
    },

    async chooseNotices({ unwanted }, { tenancy, viewer, emit }) {
      await writeUnwanted(tenancy, viewer.userId, unwanted)
      emit('noticesChosen', { unwanted }, viewer.userId)
      return {}
    },
  },
  { jobs: { send: { perRun: sendWaiting }, clean: { inTenancy: deleteOld } } },
)
