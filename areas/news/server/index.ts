import { offer } from '#core/contract/slots.ts'
import { serve } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { news } from '../contract.ts'
import { isLower, isShownOn } from '../rules.ts'
import { defaultText, defaultVersion } from './default-news.ts'
import { deleteSeen, findNews, findSeen, noteSeen, updateNews } from './store.ts'

type Current = { version: string; markdownString: string; from?: string; until?: string; changedBy: string; changedAt?: string }

async function currentNews(tenancy: Tenancy): Promise<Current> {
  const row = await findNews(tenancy)
  return row === undefined
    ? { version: defaultVersion, markdownString: defaultText, changedBy: '' }
    : {
        version: String(row.version),
        markdownString: row.markdown,
        ...(row.shown_from === null ? {} : { from: row.shown_from }),
        ...(row.shown_until === null ? {} : { until: row.shown_until }),
        changedBy: row.changed_by,
        changedAt: row.changed_at.toISOString(),
      }
}

export default serve(
  news,
  {
    async read(_input, { tenancy, viewer, now }) {
      const { changedBy: _, changedAt: _at, ...current } = await currentNews(tenancy)
      const isNew = Number(current.version) > (await findSeen(tenancy, viewer.userId))
      return {
        version: current.version,
        markdownString: current.markdownString,
        jsonString: JSON.stringify(current),
        show: isNew && isShownOn(now.toISOString().slice(0, 10), current),
      }
    },

    async seen({ version }, { tenancy, viewer }) {
      const { version: newest } = await currentNews(tenancy)
      // Nobody has seen what is yet to be written.
      const known = isLower(newest, version) ? newest : version
      await noteSeen(tenancy, viewer.userId, Number(known))
      return {}
    },

    settings: (_input, { tenancy }) => currentNews(tenancy),

    async change({ version, markdownString, from, until }, { tenancy, viewer, now, emit, fault }) {
      if (from !== undefined && until !== undefined && until < from) fault('days')
      const { version: before } = await currentNews(tenancy)
      if (isLower(version, before)) fault('lower', { params: { version: before } })
      const record = {
        version: Number(version),
        markdown: markdownString,
        shown_from: from ?? null,
        shown_until: until ?? null,
        changed_by: actorOf(viewer),
        changed_at: now,
      }
      if (!(await updateNews(tenancy, record))) fault('conflict')
      emit('changed', { version })
      return {}
    },
  },
  {
    atHome: { read: [{}] },
    offers: [offer(personalData, (db, tenantId, userId) => deleteSeen({ db, tenantId, now: new Date(0) }, userId))],
  },
)
