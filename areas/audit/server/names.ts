// What an event is about stands in it as an id, because names change. The rooms that know the names say in their records how they find them, so that the log
// can show them beside the ids, and find events by them: as things are called now. Nothing of it is recorded or proven.

import { satisfies, type ViewerPermission } from '#core/contract/permissions.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { recordKinds, type RecordName } from '#core/server/records.ts'
import { tenancyName } from '#core/server/tenancies.ts'
import { mostNamed } from '../rules.ts'

export type PresentedName = Omit<RecordName, 'path'> & { path?: string }

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** One statement for each kind of thing, however many ids. A page that the viewer may not open has no path. */
export async function namesOf(
  house: House,
  db: Database,
  { tenantId, permission }: { tenantId: string; permission: ViewerPermission },
  abouts: readonly string[],
): Promise<Map<string, PresentedName>> {
  const ids = [...new Set(abouts)].filter((about) => uuid.test(about))
  const found = new Map<string, PresentedName>()
  const own = ids.includes(tenantId) ? await tenancyName(house, tenantId) : undefined
  if (own !== undefined) found.set(tenantId, { id: tenantId, name: own })
  for (const { needs, names } of house.offers(recordKinds)) {
    const left = ids.filter((id) => !found.has(id))
    if (left.length === 0) break
    for (const { path, ...named } of await names({ db, tenantId, now: house.now() }, left))
      found.set(named.id, satisfies(permission.View, needs) ? { ...named, path } : named)
  }
  return found
}

/** What is called so, of each kind at most `mostNamed`, and whether there are more. An id is called by itself. */
export async function thingsNamed(
  house: House,
  db: Database,
  tenantId: string,
  text: string,
  now: Date,
): Promise<{ ids: string[]; more: boolean }> {
  const typed = text.trim()
  if (uuid.test(typed.toLowerCase())) return { ids: [typed.toLowerCase()], more: false }
  const ids = new Set<string>()
  let more = false
  // One letter begins too many names to be meant as one.
  if (typed.length > 1)
    for (const { seek } of house.offers(recordKinds)) {
      const found = await seek({ db, tenantId, now }, { text: typed, most: mostNamed + 1 })
      more ||= found.length > mostNamed
      for (const id of found.slice(0, mostNamed)) ids.add(id)
    }
  return { ids: [...ids], more }
}
