// Passes as they are shown, with the names of who has them.

import { findPeople, type Person } from '#areas/users/service.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { PassStatus } from '../rules.ts'
import type { PassRecord } from './store.ts'

export const statusOf = ({ status, valid_until: until }: PassRecord, now: Date): PassStatus =>
  status === 'issued' && until !== null && until < now ? 'expired' : status

export function presentPass(pass: PassRecord, now: Date, person?: Pick<Person, 'givenName' | 'familyName'>) {
  return {
    id: pass.id,
    passNumber: pass.number,
    cardType: pass.kind,
    status: statusOf(pass, now),
    ...(pass.user_id === null ? {} : { userID: pass.user_id }),
    givenName: person?.givenName ?? pass.given_name,
    lastName: person?.familyName ?? pass.family_name,
    ...(pass.valid_from === null ? {} : { validDate: pass.valid_from.toISOString() }),
    ...(pass.valid_until === null ? {} : { expirationDate: pass.valid_until.toISOString() }),
    reason: pass.reason,
    changedAt: pass.changed_at.toISOString(),
  }
}

export async function presentPasses({ db, tenantId, now }: Tenancy, rows: readonly PassRecord[]) {
  const ids = [...new Set(rows.flatMap(({ user_id: id }) => id ?? []))]
  const people = new Map((await findPeople(db, tenantId, ids)).map((person) => [person.id, person]))
  return rows.map((row) => presentPass(row, now, people.get(row.user_id ?? '')))
}
