// Says whether this server can do its work: the database answers, and what is changed can be recorded.

import { sql } from 'kysely'
import { say } from '#standards/say/say.ts'
import type { Database } from './database.ts'
import { enterTenant } from './database.ts'
import { installationTenant, writeEvents, type EventTables } from './events.ts'
import { AuditFailure } from './fault.ts'
import type { House } from './house.ts'

export type Readiness = { status: 'ready' } | { status: 'waiting'; waitingFor: 'database' | 'audit'; says: string }

/** Whoever asks more often gets the same answer: an event is tried for it. */
const rememberedMilliseconds = 500
/** Events get their numbers within a second. */
const longestUnnumberedMilliseconds = 60_000

export function watchReadiness(house: House): () => Promise<Readiness> {
  let last: { at: number; answer: Promise<Readiness> } | undefined
  return () => {
    if (last === undefined || performance.now() - last.at > rememberedMilliseconds)
      last = { at: performance.now(), answer: readiness(house) }
    return last.answer
  }
}

async function readiness(house: House): Promise<Readiness> {
  try {
    await sql`select 1`.execute(house.database)
    if (!(await canRecord(house)))
      return {
        status: 'waiting',
        waitingFor: 'audit',
        says: say`No event can be recorded, so nothing can be changed. The log of the server says why`,
      }
    if (await waitsForNumbers(house))
      return { status: 'waiting', waitingFor: 'audit', says: say`Events are recorded and not numbered. The log of the server says why` }
    return { status: 'ready' }
  } catch {
    return { status: 'waiting', waitingFor: 'database', says: house.databaseFault() ?? say`The database does not answer` }
  }
}

/** Writes an event and takes it back. */
async function canRecord(house: House): Promise<boolean> {
  const taken = new Error('taken back')
  const probe = {
    at: house.now(),
    actor_id: null,
    actor: '',
    address: '',
    area: '',
    name: '',
    outcome: 'done',
    about: '',
    body: '{}',
    request_id: '',
  } as const
  const work = async (db: Database): Promise<never> => {
    await enterTenant(db, installationTenant)
    await writeEvents(db, installationTenant, [probe])
    throw taken
  }
  return house.database
    .transaction()
    .execute(work)
    .catch((error: unknown) => {
      if (error === taken) return true
      if (error instanceof AuditFailure) return false
      throw error
    })
}

async function waitsForNumbers({ auditor, now }: House): Promise<boolean> {
  const row = await auditor.database
    .withTables<EventTables>()
    .selectFrom('events')
    .select('id')
    .where('sequence', 'is', null)
    .where('at', '<', new Date(now().getTime() - longestUnnumberedMilliseconds))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
