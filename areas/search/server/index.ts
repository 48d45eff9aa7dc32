import { satisfies } from '#core/contract/permissions.ts'
import { byPlace } from '#core/contract/records.ts'
import { offer } from '#core/contract/slots.ts'
import type { House } from '#core/server/house.ts'
import { recordKinds } from '#core/server/records.ts'
import { serve, type Viewer } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { search } from '../contract.ts'
import { mostRecords, mostViews } from '../rules.ts'
import { deleteViews, keepView, removeView, viewsOf } from './store.ts'

type Asking = { tenancy: Tenancy; house: House; viewer: Viewer }

/** What a text means among the records that the viewer may see, shared evenly among the kinds. */
async function findRecords({ tenancy, house, viewer }: Asking, text: string) {
  const seen = house
    .offers(recordKinds)
    .filter((kind) => kind.search !== undefined && satisfies(viewer.permission.api, kind.needs))
    .toSorted(byPlace)
  const most = Math.floor(mostRecords / Math.max(1, seen.length))
  const records = []
  for (const kind of seen)
    for (const { from, ...hit } of (await kind.search?.(tenancy, { text, most })) ?? [])
      records.push({ type: kind.name, ...hit, ...(from === undefined ? {} : { from: from.toISOString() }) })
  return { records }
}

export default serve(
  search,
  {
    records: ({ text }, context) => findRecords(context, text),

    find: ({ text }, context) => findRecords(context, text),

    async facets(_input, { tenancy, house, viewer }) {
      const kinds = []
      for (const { name, needs, facets } of house.offers(recordKinds).toSorted(byPlace))
        if (facets !== undefined && satisfies(viewer.permission.api, needs)) kinds.push({ type: name, ...(await facets(tenancy)) })
      return { kinds: kinds.map(({ type, status }) => ({ type, status: { ...status } })) }
    },

    async views(_input, { db, viewer }) {
      return { views: await viewsOf(db, viewer) }
    },

    async keepView(view, { db, viewer, emit, now, fault }) {
      const saved = await viewsOf(db, viewer)
      const isNew = !saved.some(({ list, name }) => list === view.list && name === view.name)
      if (isNew && saved.length >= mostViews) fault('tooMany', { params: { most: mostViews } })
      await keepView(db, viewer, view, now)
      emit('viewKept', { list: view.list, name: view.name }, viewer.userId)
      return {}
    },

    async removeView(view, { db, viewer, emit }) {
      if (await removeView(db, viewer, view)) emit('viewRemoved', view, viewer.userId)
      return {}
    },
  },
  { offers: [offer(personalData, (db, tenantId, userId) => deleteViews(db, { tenantId, userId }))] },
)
