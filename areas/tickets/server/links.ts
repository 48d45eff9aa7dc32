// What tickets are linked to: records, found by their kind and told only to those who may see them, and pages by their address.

import { findAboutAll } from '#areas/audit/service.ts'
import { satisfies } from '#core/contract/permissions.ts'
import type { House } from '#core/server/house.ts'
import { recordKinds, type RecordName, type ServedRecord } from '#core/server/records.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { listLinks } from './message-store.ts'

type Asked = { kind: string; id: string }
export type Link = {
  kind: string
  kindName: string
  id?: string
  name?: string
  path?: string
  since?: { at: string; what: string }[]
}

/** Of one linked record. */
const mostChanges = 5

export const mostLinks = 50

const kindOf = (house: House, viewer: Viewer, name: string): ServedRecord | undefined =>
  house.offers(recordKinds).find((kind) => kind.name === name && satisfies(viewer.permission.api, kind.needs))

/** Undefined where there is no such record, or not for this person: both are answered alike. */
export async function findRecord(tenancy: Tenancy, house: House, viewer: Viewer, { kind, id }: Asked): Promise<RecordName | undefined> {
  if (kind === 'page') return isPage(id) ? { id, name: id, path: id } : undefined
  const [found] = uuid.test(id) ? ((await kindOf(house, viewer, kind)?.names(tenancy, [id])) ?? []) : []
  return found
}

/** The address of a page of this console: it begins here, and leads nowhere else. */
const isPage = (text: string): boolean => /^\/(?![/\\])[\x21-\x7e]*$/.test(text)

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export async function presentLinks(tenancy: Tenancy, house: House, viewer: Viewer, ticketId: number): Promise<Link[]> {
  const rows = await listLinks(tenancy, ticketId)
  const kinds = house.offers(recordKinds)
  const links: Link[] = []
  for (const { kind, record_id: id, added_at: addedAt } of rows) {
    const kindName = kinds.find(({ name }) => name === kind)?.singular ?? kind
    const found = await findRecord(tenancy, house, viewer, { kind, id })
    if (found === undefined) links.push({ kind, kindName })
    else links.push({ kind, kindName, id, name: found.name, path: found.path, ...(await changesOf(tenancy, house, id, addedAt)) })
  }
  return links
}

/** What was done to a record since it was linked, the newest first; for those who may see the record. */
async function changesOf({ db, tenantId }: Tenancy, house: House, id: string, since: Date): Promise<Pick<Link, 'since'>> {
  if (!uuid.test(id)) return {}
  const events = await findAboutAll(db, tenantId, [id], 50)
  const later = events.filter(({ at, outcome }) => outcome === 'done' && at > since)
  const says = (area: string, name: string) => house.contracts.find((one) => one.area === area)?.events[name]?.says
  return {
    since: later
      .toReversed()
      .slice(0, mostChanges)
      .flatMap(({ area, name, at }) => {
        const what = says(area, name)
        return what === undefined ? [] : [{ at: at.toISOString(), what }]
      }),
  }
}
