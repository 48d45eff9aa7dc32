// A double click, a retry, a lost answer: the same key from the same person gives the first answer. The row is claimed in the work's own
// transaction, so a second request waits for the first and then reads what it answered. An answer can hold a link or a token, so it is
// kept sealed, and only for a day; what was asked is kept as a keyed hash, which cannot be guessed at.

import { createHmac } from 'node:crypto'
import type { Call } from '#core/contract/contract.ts'
import type { Database } from './database.ts'
import type { Exchange } from './exchange.ts'
import { commonFault } from './fault.ts'
import type { Viewer } from './serve.ts'

type RepeatTables = {
  repeated_requests: { tenant_id: string; user_id: string; key: string; call: string; input_hash: string; answer: string | null; at: Date }
}

const keptMilliseconds = 24 * 3_600_000

const purpose = (viewer: Viewer, key: string) => `repeated-request:${viewer.homeTenantId}:${viewer.userId}:${key}`

/** Undefined where the request carried no key; `answer` where it was answered before. */
export async function claimRequest(database: Database, exchange: Exchange, viewer: Viewer, call: Call): Promise<{ answer?: unknown } | undefined> {
  const key = exchange.incoming.headers['idempotency-key']
  if (typeof key !== 'string' || key === '') return undefined
  const repeats = database.withTables<RepeatTables>()
  const name = `${call.area}.${call.name}`
  const inputHash = createHmac('sha256', exchange.house.installationKey.derive('repeated-request')).update(JSON.stringify(exchange.input) ?? '').digest('hex')
  const claimed = await repeats
    .insertInto('repeated_requests')
    .values({ tenant_id: viewer.tenantId, user_id: viewer.userId, key: exchange.facts.idempotencyKey, call: name, input_hash: inputHash, answer: null, at: exchange.now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  if (claimed !== undefined) return {}
  const first = await repeats
    .selectFrom('repeated_requests')
    .select(['call', 'input_hash', 'answer'])
    .where('tenant_id', '=', viewer.tenantId)
    .where('user_id', '=', viewer.userId)
    .where('key', '=', exchange.facts.idempotencyKey)
    .executeTakeFirst()
  if (first === undefined || first.call !== name || first.input_hash !== inputHash || first.answer === null)
    throw commonFault('conflict', { fields: [{ field: '', says: 'This Idempotency-Key was used for another request' }] })
  return { answer: JSON.parse(exchange.house.installationKey.unseal(Buffer.from(first.answer, 'base64'), purpose(viewer, exchange.facts.idempotencyKey)).toString('utf8')) }
}

export async function rememberAnswer(database: Database, exchange: Exchange, answer: unknown): Promise<void> {
  const { viewer } = exchange
  if (viewer === undefined) return
  await database
    .withTables<RepeatTables>()
    .updateTable('repeated_requests')
    .set({ answer: exchange.house.installationKey.seal(Buffer.from(JSON.stringify(answer) ?? 'null'), purpose(viewer, exchange.facts.idempotencyKey)).toString('base64') })
    .where('tenant_id', '=', viewer.tenantId)
    .where('user_id', '=', viewer.userId)
    .where('key', '=', exchange.facts.idempotencyKey)
    .execute()
}

/** Forgets the answers of a tenancy that are too old for anybody to ask again. */
export async function forgetRepeats(database: Database, tenantId: string, now: Date): Promise<void> {
  await database
    .withTables<RepeatTables>()
    .deleteFrom('repeated_requests')
    .where('tenant_id', '=', tenantId)
    .where('at', '<', new Date(now.getTime() - keptMilliseconds))
    .execute()
}
