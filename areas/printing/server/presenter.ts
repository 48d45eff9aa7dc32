import { cardKinds } from '#areas/smartcards/holders.ts'
import { findPeople, fullName } from '#areas/users/service.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { hindered } from './facts.ts'
import type { BatchRecord, PrintedRecord } from './store.ts'

export const presentBatch = (row: BatchRecord, cards: readonly PrintedRecord[]) => ({
  id: row.id,
  state: row.state,
  printer: row.printer,
  by: row.by_name,
  madeAt: row.made_at.toISOString(),
  cards: cards.length,
  printed: cards.filter(({ state }) => state === 'printed' || state === 'deactivated').length,
  troubled: cards.filter(({ state }) => state === 'failed' || state === 'unknown').length,
})

export async function presentCards(tenancy: Tenancy, rows: readonly PrintedRecord[]) {
  const ids = [...new Set(rows.flatMap(({ user_id: id }) => id ?? []))]
  const people = new Map((await findPeople(tenancy.db, tenancy.tenantId, ids)).map((person) => [person.id, person]))
  const waiting = await hindered(
    tenancy,
    rows.filter(({ state }) => state === 'waiting'),
  )
  const kinds = new Map((await cardKinds(tenancy)).map(({ id, name }) => [id, name]))
  return rows.map((row) => {
    const person = people.get(row.user_id ?? '')
    const skippedFor = row.skipped_for ?? waiting.get(row.id)
    return {
      id: row.id,
      state: row.state,
      ...(row.user_id === null ? {} : { userId: row.user_id }),
      userName: person === undefined ? '' : fullName(person),
      cardTemplateName: kinds.get(row.card_template_id) ?? '',
      says: row.says,
      ...(skippedFor === undefined ? {} : { skippedFor }),
      ...(row.again_for === '' ? {} : { againFor: row.again_for }),
      ...(row.job_id === null ? {} : { jobId: row.job_id }),
      attempt: row.attempt,
      changedAt: row.changed_at.toISOString(),
    }
  })
}
