import { authorities } from '#areas/authorities/contract.ts'
import { isMeantBy, listIssuers } from '#areas/authorities/service.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { searchCertificates } from '#areas/certificates/service.ts'
import { roles } from '#areas/roles/contract.ts'
import { searchRoles } from '#areas/roles/service.ts'
import { users } from '#areas/users/contract.ts'
import { fullName, searchPeople } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import { satisfies } from '#core/contract/permissions.ts'
import type { Permission } from '#core/contract/permissions.ts'
import type { Database } from '#core/server/database.ts'
import { serve } from '#core/server/serve.ts'
import { search } from '../contract.ts'
import { mostRecords, mostViews, recordTypes, type RecordType } from '../rules.ts'
import { keepView, removeView, viewsOf } from './store.ts'

type Found = { id: string; label: string; detail: string; path: string }
type Finder = { needs: Permission; find(db: Database, tenantId: string, text: string, most: number, now: Date): Promise<Found[]> }

const finders: Record<RecordType, Finder> = {
  certificate: {
    needs: 'certView',
    find: async (db, tenantId, text, most, now) =>
      (await searchCertificates(db, tenantId, text, most, now)).map(({ id, name, subject, serialHex }) => ({
        id,
        label: name === '' ? subject : name,
        detail: serialHex,
        path: to(certificates.screens.view, { certId: id }),
      })),
  },
  user: {
    needs: 'userView',
    find: async (db, tenantId, text, most) =>
      (await searchPeople(db, tenantId, text, most)).map((person) => ({
        id: person.id,
        label: fullName(person),
        detail: `${person.username} · ${person.emailAddress}`,
        path: to(users.screens.view, { id: person.id }),
      })),
  },
  role: {
    needs: 'roleView',
    find: async (db, tenantId, text, most) =>
      (await searchRoles(db, tenantId, text, most)).map(({ id, name, description }) => ({
        id,
        label: name,
        detail: description,
        path: to(roles.screens.view, { id }),
      })),
  },
  authority: {
    needs: 'manageCAs',
    find: async (db, tenantId, text, most, now) => {
      const fits = (await listIssuers(db, tenantId, now)).filter(isMeantBy(text))
      return fits.slice(0, most).map(({ caId, friendlyName, subject }) => ({
        id: caId,
        label: friendlyName,
        detail: subject,
        path: to(authorities.screens.manage, { id: caId }),
      }))
    },
  },
}

export default serve(search, {
  async records({ text }, { db, viewer, now }) {
    const seen = recordTypes.filter((type) => satisfies(viewer.permission.api, finders[type].needs))
    const share = Math.floor(mostRecords / Math.max(1, seen.length))
    const records = []
    for (const type of seen)
      for (const found of await finders[type].find(db, viewer.tenantId, text, share, now)) records.push({ type, ...found })
    return { records }
  },

  async views(_input, { db, viewer }) {
    return { views: await viewsOf(db, viewer) }
  },

  async keepView(view, { db, viewer, emit, now, fault }) {
    const kept = await viewsOf(db, viewer)
    const isNew = !kept.some(({ list, name }) => list === view.list && name === view.name)
    if (isNew && kept.length >= mostViews) fault('tooMany', { params: { most: mostViews } })
    await keepView(db, viewer, view, now)
    emit('viewKept', { list: view.list, name: view.name }, viewer.userId)
    return {}
  },

  async removeView(view, { db, viewer, emit }) {
    if (await removeView(db, viewer, view)) emit('viewRemoved', view, viewer.userId)
    return {}
  },
})
