// What of an organisation leaves the server.

import type { Tenancy } from '#core/server/tenancy.ts'
import { pathsTo } from '../rules.ts'
import { countMembers } from './member-store.ts'
import { covers } from './scope.ts'
import { findByPath, type OrganisationRecord, type Scope } from './store.ts'

type Named = { id: string; name: string }

/** Names those above each row that the scope shows, the outermost first. */
export async function findAbove(tenancy: Tenancy, scope: Scope, rows: readonly { path: string }[]): Promise<Map<string, Named[]>> {
  const shown = (path: string): string[] => pathsTo(path).filter((above) => above !== path && covers(scope, above))
  const named = await findByPath(
    tenancy,
    rows.flatMap(({ path }) => shown(path)),
  )
  return new Map(
    rows.map(({ path }) => [
      path,
      shown(path).flatMap((above) => {
        const one = named.get(above)
        return one === undefined ? [] : [one]
      }),
    ]),
  )
}

export async function presentRows(tenancy: Tenancy, scope: Scope, rows: readonly OrganisationRecord[]) {
  const above = await findAbove(tenancy, scope, rows)
  const people = await countMembers(
    tenancy,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    type: row.type,
    above: (above.get(row.path) ?? []).map(({ name }) => name),
    country: row.country,
    businessNumber: row.business_number,
    numberFault: row.number_fault,
    people: people.get(row.id) ?? 0,
  }))
}

/** As one line: `Ministry › Northern region › Office`. */
export const lineOf = (above: readonly Named[] | undefined, name: string): string =>
  [...(above ?? []).map((one) => one.name), name].join(' › ')
