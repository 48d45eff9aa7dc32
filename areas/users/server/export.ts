// The people of a list as a file: what the viewer may read of them, or the columns that were asked for.

import { rolesOf } from '#areas/roles/service.ts'
import { exportAnswer } from '#core/server/export.ts'
import { commonFault, invalidField } from '#core/server/fault.ts'
import type { EndpointRequest } from '#core/server/serve.ts'
import { parseExactly, readQuery } from '#core/server/steps/input.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { say } from '#standards/say/say.ts'
import { attributeAccess, attributeList } from '../attributes.ts'
import { users } from '../contract.ts'
import { presentPerson } from '../presenter.ts'
import { findAttributes, listPeopleAfter, type Person } from '../service.ts'
import { filterOf } from './filter.ts'
import { countByStatus, type UserFilter } from './store.ts'

/** What a file can hold: nothing that is sealed, and nothing that another room has. */
const exported = attributeList.filter(({ source }) => source === 'account' || source === 'kept' || source === 'fact')

const Filter = users.calls.search.input.omit({ page: true, size: true, sort: true, direction: true })

/** Reads what the list is narrowed to; the file has its own order. */
function readFilter(url: URL) {
  const narrowed = new URL(url)
  narrowed.searchParams.delete('fields')
  return parseExactly(Filter, readQuery(narrowed, Filter))
}

type Row = { person: Person; values: Readonly<Record<string, string>>; roles: string }

export async function exportPeople({ viewer, house, facts, now, url }: EndpointRequest) {
  if (viewer === undefined) throw commonFault('not_logged_in')
  const { tenantId, userId } = viewer
  const wanted = (url.searchParams.get('fields') ?? '').split(',').filter((name) => name !== '')
  const hidden = attributeAccess.hiddenAmong(viewer, wanted)
  if (hidden.length > 0) throw commonFault('denied', { params: { permission: hidden.join(', ') } })
  const unknown = wanted.filter((name) => !exported.some((one) => one.name === name))
  if (unknown.length > 0) throw invalidField('fields', say`A file does not hold ${unknown.join(', ')}`)
  const filter = filterOf(readFilter(url), viewer, now)
  let finds: Pick<UserFilter, 'finds'> | undefined
  const readable = attributeAccess.readable(viewer, 'all')
  const columns = exported.filter(({ name }) => readable.has(name) && (wanted.length === 0 || wanted.includes(name)))
  const read = (after: Row | undefined, size: number) =>
    withTenancy(house, tenantId, async (tenancy): Promise<Row[]> => {
      if (finds === undefined) {
        const counted = await countByStatus(tenancy.db, tenantId, filter)
        finds = counted.finds === undefined ? {} : { finds: counted.finds }
      }
      const people = await listPeopleAfter(tenancy.db, tenantId, { ...filter, ...finds }, after?.person.id, size)
      const kept = await findAttributes(
        tenancy,
        people.map(({ id }) => id),
      )
      const rows: Row[] = []
      for (const person of people) {
        const held = wanted.length === 0 ? await rolesOf(tenancy.db, tenantId, person.id) : []
        const roles = held.map(({ name }) => name).join('; ')
        rows.push({ person, values: { ...presentPerson(person), ...kept.get(person.id) }, roles })
      }
      return rows
    })
  return exportAnswer<Row>({
    name: 'users',
    of: now,
    byteOrderMark: true,
    columns: [
      ['Id', ({ person }) => person.id] as const,
      ...columns.map(({ name, label }) => [label, ({ values }: Row) => values[name]] as const),
      ...(wanted.length === 0 ? [['Roles', ({ roles }: Row) => roles] as const] : []),
    ],
    read,
    ended: (rows) =>
      house.work(tenantId, { userId, name: actorOf(viewer), address: facts.address }, async ({ emitFor }) =>
        emitFor(users)('exported', { rows, fields: columns.map(({ name }) => name) }),
      ),
  })
}
