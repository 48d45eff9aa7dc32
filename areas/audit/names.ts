// What an event is about stands in it as an id, because names change. The rooms that know the names say here how they find them, so that the log can show them
// beside the ids, and find events by them: as things are called now. Nothing of it is recorded or proven.

import { satisfies, type Permission, type ViewerPermission } from '#core/contract/permissions.ts'
import type { Database } from '#core/server/database.ts'
import { mostNamed } from './rules.ts'

export type Named = {
  id: string
  name: string
  /** What tells it from others of the same name: the serial number of a certificate. */
  detail?: string
  /** Its page in the console. */
  path: string
}

/** What was typed, and how many are wanted: one more than are taken, so that it is known whether there are more. */
export type Typed = { text: string; most: number; now: Date }

export type Namer = {
  /** What it takes to open the page. */
  needs: Permission
  /** Those of the ids that it knows, in one statement. */
  find(db: Database, tenantId: string, ids: readonly string[]): Promise<Named[]>
  /** The ids of those that are called so, the best or the newest first: by an index, or among a bounded number. */
  seek(db: Database, tenantId: string, typed: Typed): Promise<string[]>
}

const namers = new Map<string, Namer>()

export function registerNames(kind: string, namer: Namer): void {
  namers.set(kind, namer)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** One statement for each kind of thing, however many ids. A page that the viewer may not open has no path. */
export async function namesOf(
  db: Database,
  { tenantId, permission }: { tenantId: string; permission: ViewerPermission },
  abouts: readonly string[],
): Promise<Map<string, Omit<Named, 'path'> & { path?: string }>> {
  const ids = [...new Set(abouts)].filter((about) => uuid.test(about))
  const found = new Map<string, Omit<Named, 'path'> & { path?: string }>()
  for (const { needs, find } of namers.values()) {
    const left = ids.filter((id) => !found.has(id))
    if (left.length === 0) break
    for (const { path, ...named } of await find(db, tenantId, left))
      found.set(named.id, satisfies(permission.View, needs) ? { ...named, path } : named)
  }
  return found
}

/** What is called so, of each kind at most `mostNamed`, and whether there are more. An id is called by itself. */
export async function thingsNamed(db: Database, tenantId: string, text: string, now: Date): Promise<{ ids: string[]; more: boolean }> {
  const typed = text.trim()
  if (uuid.test(typed.toLowerCase())) return { ids: [typed.toLowerCase()], more: false }
  const ids = new Set<string>()
  let more = false
  // One letter begins too many names to be meant as one.
  if (typed.length > 1)
    for (const { seek } of namers.values()) {
      const found = await seek(db, tenantId, { text: typed, most: mostNamed + 1, now })
      more ||= found.length > mostNamed
      for (const id of found.slice(0, mostNamed)) ids.add(id)
    }
  return { ids: [...ids], more }
}
