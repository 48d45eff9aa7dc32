import { permissions } from '#core/contract/permissions.ts'
import { serve, type Viewer } from '#core/server/serve.ts'
import { mail } from '../contract.ts'
import { noticeKinds, type NoticeKind } from '../rules.ts'
import { sendWaiting } from './send.ts'
import { tables } from './store.ts'

/** A link of a mail can open an account that holds more than the reader: the secret in it is for the recipient and for who holds everything. */
const holdsAll = ({ permission }: Viewer): boolean => Object.keys(permissions).every((name) => permission.api.includes(name))
const withoutSecrets = (text: string): string => text.replace(/[\w-]{40,}/g, '…')

export default serve(
  mail,
  {
    async outbox({ page, size, status, text }, { db, viewer, house }) {
      const found = tables(db)
        .selectFrom('outbox')
        .where('tenant_id', '=', viewer.tenantId)
        .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'waiting'))
        .$if(text !== '', (query) => query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['recipient']), all.val(text.toLowerCase())]), '>', 0)))
      const rows = await found.selectAll().orderBy('queued_at', 'desc').limit(size).offset((page - 1) * size).execute()
      const { total } = await found.select((all) => all.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
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

    async read({ id }, { db, viewer, fault }) {
      const row = await tables(db).selectFrom('outbox').selectAll().where('tenant_id', '=', viewer.tenantId).where('id', '=', id).executeTakeFirst()
      if (row === undefined) return fault('missing')
      return { id: row.id, to: row.recipient, subject: row.subject, text: holdsAll(viewer) ? row.body : withoutSecrets(row.body), queuedAt: row.queued_at.toISOString() }
    },

    state: async (_input, { house }) => ({ configured: house.settings.smtpUrl !== undefined }),

    async notices(_input, { db, viewer }) {
      const choice = await tables(db).selectFrom('notice_choices').select('unwanted').where('tenant_id', '=', viewer.homeTenantId).where('user_id', '=', viewer.userId).executeTakeFirst()
      const kinds = Object.keys(noticeKinds) as NoticeKind[]
      return { notices: kinds.filter((kind) => noticeKinds[kind].optional).map((kind) => ({ kind, wanted: choice?.unwanted.includes(kind) !== true })) }
    },

    async chooseNotices({ unwanted }, { db, viewer, emit }) {
      await tables(db)
        .insertInto('notice_choices')
        .values({ tenant_id: viewer.homeTenantId, user_id: viewer.userId, unwanted })
        .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet({ unwanted }))
        .execute()
      emit('noticesChosen', { unwanted }, viewer.userId)
      return {}
    },
  },
  { jobs: [{ name: 'mail.send', title: 'Send mail', every: '* * * * *', run: sendWaiting }] },
)
