// The sessions that a person has open, as they see and end them.

import { beyondOf } from '#areas/roles/power.ts'
import { holdPerson } from '#areas/users/service.ts'
import type { CallContext } from '#core/server/serve.ts'
import type { sessions } from '../contract.ts'
import { clearSessionCookies } from '../service.ts'
import { deleteSessionById, deleteSessionsOf, listOpenSessions } from './store.ts'

type Context<N extends keyof (typeof sessions)['calls']> = CallContext<typeof sessions, N>

export async function ownSessions(_input: object, { db, viewer, now }: Context<'ownSessions'>) {
  const rows = await listOpenSessions(db, viewer.tenantId, viewer.userId, now)
  return {
    rows: rows.map((row) => ({
      id: row.id,
      current: row.id === viewer.credentialId,
      startedAt: row.created_at.toISOString(),
      expiresAt: row.expires_at.toISOString(),
      address: row.address,
      userAgent: row.user_agent,
    })),
  }
}

export async function endOwnSession({ id }: { id: string }, { db, viewer, emit, fault, respond }: Context<'endOwnSession'>) {
  if (!(await deleteSessionById(db, viewer.tenantId, viewer.userId, id))) fault('missing')
  if (id === viewer.credentialId) clearSessionCookies(respond)
  emit('sessionsEnded', { userId: viewer.userId, ended: 1 }, viewer.userId)
  return {}
}

export async function endOwnSessions(_input: object, { db, viewer, emit, respond }: Context<'endOwnSessions'>) {
  // Holds the person's row, so that a sign-in at the same moment comes before it, and ends, or after it, and stays.
  await holdPerson(db, viewer.tenantId, viewer.userId)
  const ended = await deleteSessionsOf(db, viewer.tenantId, viewer.userId)
  clearSessionCookies(respond)
  emit('sessionsEnded', { userId: viewer.userId, ended }, viewer.userId)
  return { ended }
}

export async function endSessions({ userId }: { userId: string }, { db, tenancy, viewer, house, emit, fault }: Context<'endSessions'>) {
  if ((await holdPerson(db, viewer.tenantId, userId)) === undefined) fault('missing')
  if ((await beyondOf(house, tenancy, userId, viewer)).length > 0) fault('beyond')
  const ended = await deleteSessionsOf(db, viewer.tenantId, userId)
  emit('sessionsEnded', { userId, ended }, userId)
  return { ended }
}
