import { offer } from '#core/contract/slots.ts'
import { serve } from '#core/server/serve.ts'
import { firstSteps } from '#core/server/slots.ts'
import { registerTenancies } from '#core/server/tenancies.ts'
import { say } from '#standards/say/say.ts'
import { tenancy } from '../contract.ts'
import { isTimeZone } from '../rules.ts'
import { findTenancy, listTenancies, refuseDisguised } from '../service.ts'
import { readUsernamePattern } from '../username-pattern.ts'
import { pageManagedBy, updateRow } from './store.ts'

export default serve(
  tenancy,
  {
    async read(_input, { db, viewer, fault }) {
      const found = (await findTenancy(db, viewer.tenantId)) ?? fault('missing')
      const { id, name, kind, bannerColour, supportEmail, disclaimer, toastTimeout, timeZone, usernamePattern, usernameMessage } = found
      return {
        id,
        name,
        kind,
        bannerColour,
        supportEmail,
        disclaimer,
        toastTimeout,
        timeZone,
        usernamePattern,
        usernameMessage,
        cmsRequireSelfServiceSecretQuestionsSet: found.requireSecretQuestions,
      }
    },

    async change(draft, { db, viewer, emit, fault }) {
      const before = (await findTenancy(db, viewer.tenantId)) ?? fault('missing')
      refuseDisguised('name', draft.name)
      if (!isTimeZone(draft.timeZone))
        fault('invalid', { fields: [{ field: 'timeZone', says: say`Choose a time zone such as Europe/London` }] })
      const { fault: unreadable } = readUsernamePattern(draft.usernamePattern)
      if (unreadable !== undefined) fault('invalid', { fields: [{ field: 'usernamePattern', says: unreadable }] })
      const stood = { ...before, cmsRequireSelfServiceSecretQuestionsSet: before.requireSecretQuestions }
      const changed = Object.entries(draft).flatMap(([field, value]) => (Reflect.get(stood, field) === value ? [] : [field]))
      await updateRow(db, viewer.tenantId, {
        name: draft.name,
        banner_colour: draft.bannerColour,
        support_email: draft.supportEmail,
        disclaimer: draft.disclaimer,
        toast_timeout: draft.toastTimeout,
        time_zone: draft.timeZone,
        username_pattern: draft.usernamePattern,
        username_message: draft.usernameMessage,
        require_secret_questions: draft.cmsRequireSelfServiceSecretQuestionsSet,
      })
      emit('changed', { fields: changed }, viewer.tenantId)
      return {}
    },

    async managed({ page, size, text, direction }, { db, viewer }) {
      const { rows, total } = await pageManagedBy(db, viewer.homeTenantId, { page, size, text, direction })
      return {
        rows: rows.map((row) => ({
          id: row.id,
          name: row.name,
          kind: row.kind,
          bannerColour: row.banner_colour,
          createdAt: row.created_at.toISOString(),
          ...(row.ends_at === null ? {} : { endsAt: row.ends_at.toISOString() }),
          removing: row.removing_at !== null,
        })),
        total,
      }
    },
  },
  {
    offers: [
      offer(firstSteps, {
        step: 'support',
        isDone: async (db, tenantId) => ((await findTenancy(db, tenantId))?.supportEmail ?? '') !== '',
      }),
    ],
    async start(house) {
      registerTenancies(house, {
        find: (id) => findTenancy(house.database, id),
        list: async () => (await listTenancies(house.database)).filter(({ removingAt }) => removingAt === undefined),
      })
    },
  },
)
