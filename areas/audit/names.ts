// What an event is about stands in it as an id, because names change. The rooms that know the names say here how they find them, so that the log can show them
// beside the ids: as things are called now. Nothing of it is recorded or proven.

import { satisfies, type Permission, type ViewerPermission } from '#core/contract/permissions.ts'
import type { Database } from '#core/server/database.ts'

export type Named = {
  id: string
  name: string
  /** What tells it from others of the same name: the serial number of a certificate. */
  detail?: string
  /** Its page in the console. */
  path: string
}

export type Namer = {
  /** What it takes to open the page. */
  needs: Permission
  /** Those of the ids that it knows, in one statement. */
  find(db: Database, tenantId: string, ids: readonly string[]): Promise<Named[]>
}

const namers = new Map<string, Namer>()

export function registerNames(kind: string, namer: Namer): void {
  namers.set(kind, namer)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** One statement for each kind of thing, however many ids. A page that the viewer may not open has no path. */
export async function namesOf(db: Database, { tenantId, permission }: { tenantId: string; permission: ViewerPermission }, abouts: readonly string[]): Promise<Map<string, Omit<Named, 'path'> & { path?: string }>> {
  const ids = [...new Set(abouts)].filter((about) => uuid.test(about))
  const found = new Map<string, Omit<Named, 'path'> & { path?: string }>()
  for (const { needs, find } of namers.values()) {
    const left = ids.filter((id) => !found.has(id))
    if (left.length === 0) break
    for (const { path, ...named } of await find(db, tenantId, left)) found.set(named.id, satisfies(permission.View, needs) ? { ...named, path } : named)
  }
  return found
}
