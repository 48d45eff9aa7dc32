// What a list of users asks for, as questions to the database: for the list itself, and for its file.

import { idsOfMembers } from '#areas/roles/service.ts'
import type { InputOf } from '#core/contract/contract.ts'
import { faultOfCall } from '#core/server/fault.ts'
import type { Viewer } from '#core/server/serve.ts'
import { attributeAccess, attributeNamed } from '../attributes.ts'
import { users } from '../contract.ts'
import { addDays } from '../creation.ts'
import { idsWithAttribute } from './attribute-store.ts'
import { idsMade, idsWithoutLink } from './creation-store.ts'
import type { UserFilter } from './store.ts'

const { search } = users.calls

type Asked = Omit<InputOf<typeof search>, 'page' | 'size' | 'direction'>

/** What a column of the list tells of, by the name that says who may read it. */
const attributeOfSort = {
  name: 'familyName',
  username: 'username',
  emailAddress: 'emailAddress',
  lastSuccessfulLogin: 'lastSuccessfulLogin',
  createdAt: 'createTimestamp',
} as const

/** Throws where the viewer may not read what is asked for. */
export function filterOf(asked: Asked, viewer: Viewer, now: Date): UserFilter {
  const { text, sort, status, roleId, passType, attributes, createdFrom, createdUntil, origin, link } = asked
  const wanted = { ...attributes, ...(passType === undefined || passType === '' ? {} : { passType }) }
  // A field that one may not read tells its value also by the order, and by who is found.
  const hidden = attributeAccess.hiddenAmong(viewer, [
    ...Object.keys(wanted),
    attributeOfSort[sort ?? 'name'],
    ...((createdFrom ?? createdUntil ?? origin ?? link) ? ['createTimestamp'] : []),
  ])
  if (hidden.length > 0) throw faultOfCall(search, 'hiddenField', { params: { fields: hidden.join(', ') } })
  for (const name of Object.keys(wanted))
    if (attributeNamed(name)?.source !== 'kept') throw faultOfCall(search, 'notSearched', { params: { field: name } })
  const among = [
    ...(roleId === undefined ? [] : [idsOfMembers(viewer.tenantId, roleId)]),
    ...Object.entries(wanted).map(([name, value]) => idsWithAttribute(viewer.tenantId, name, value)),
    ...((createdFrom ?? createdUntil ?? origin)
      ? [
          idsMade(viewer.tenantId, {
            from: createdFrom === undefined ? undefined : new Date(createdFrom),
            until: createdUntil === undefined ? undefined : new Date(addDays(createdUntil, 1)),
            origin,
          }),
        ]
      : []),
    ...(link === undefined ? [] : [idsWithoutLink(viewer.tenantId, link, now)]),
  ]
  return { text, status, among }
}
