// A double click, a retry, a lost answer: the same key from the same person gives the first answer. The row is claimed in the work's own
// transaction, so a second request waits for the first and then reads what it answered. Where a call has several transactions of its own its answer is kept once
// it is there, a second request at this server waits for the first, and between two servers, or after a crash, the room's own rules hold.
// An answer can hold a link or a token, so it is kept sealed, for the session or token that asked, and only for a day; what was asked is kept as a keyed hash, which cannot be guessed at.

import { createHmac } from 'node:crypto'
import type { Call } from '#core/contract/contract.ts'
import { say } from '#standards/say/say.ts'
import { inTenant, type Database } from './database.ts'
import type { Exchange } from './exchange.ts'
import { commonFault } from './fault.ts'
import type { House } from './house.ts'
import type { Viewer } from './serve.ts'

type RepeatTables = {
  repeated_requests: { tenant_id: string; user_id: string; key: string; call: string; input_hash: string; answer: string | null; at: Date }
}

const storedMilliseconds = 24 * 3_600_000

const purpose = (viewer: Viewer, key: string) => `repeated-request:${viewer.homeTenantId}:${viewer.userId}:${key}`

type Asked = { call: string; inputHash: string }

/** Undefined where the request carried no key. */
function askedWithKey(exchange: Exchange, call: Call): Asked | undefined {
  if (exchange.incoming.headers['idempotency-key'] === undefined) return undefined
  const inputHash = createHmac('sha256', exchange.house.installationKey.derive('repeated-request'))
    .update(`${exchange.viewer?.credentialId}:${JSON.stringify(exchange.input)}`)
    .digest('hex')
  return { call: `${call.area}.${call.name}`, inputHash }
}

const otherRequest = () =>
  commonFault('conflict', { fields: [{ field: '', says: say`This Idempotency-Key was used for another request` }] })

function refuseOther(first: Asked, asked: Asked): void {
  if (first.call !== asked.call || first.inputHash !== asked.inputHash) throw otherRequest()
}

/** Undefined where the request carried no key; `answer` where it was answered before. */
export async function claimRequest(
  database: Database,
  exchange: Exchange,
  viewer: Viewer,
  call: Call,
): Promise<{ answer?: unknown } | undefined> {
  const asked = askedWithKey(exchange, call)
  if (asked === undefined) return undefined
  if (await insertRequest(database, exchange, viewer, asked, null)) return {}
  const first = await firstAnswer(database, exchange, viewer, asked)
  if (first === undefined) throw otherRequest()
  return first
}

/** The row of this key with its answer, sealed, or null while the work is under way. False where the key was there. */
async function insertRequest(
  database: Database,
  exchange: Exchange,
  viewer: Viewer,
  { call, inputHash }: Asked,
  answer: string | null,
): Promise<boolean> {
  const claimed = await database
    .withTables<RepeatTables>()
    .insertInto('repeated_requests')
    .values({
      tenant_id: viewer.tenantId,
      user_id: viewer.userId,
      key: exchange.facts.idempotencyKey,
      call,
      input_hash: inputHash,
      answer,
      at: exchange.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  return claimed !== undefined
}

/** What was answered to this key; undefined where nothing was. Throws a conflict where something else was asked with it. */
async function firstAnswer(database: Database, exchange: Exchange, viewer: Viewer, asked: Asked): Promise<{ answer: unknown } | undefined> {
  const first = await database
    .withTables<RepeatTables>()
    .selectFrom('repeated_requests')
    .select(['call', 'input_hash as inputHash', 'answer'])
    .where('tenant_id', '=', viewer.tenantId)
    .where('user_id', '=', viewer.userId)
    .where('key', '=', exchange.facts.idempotencyKey)
    .executeTakeFirst()
  if (first === undefined) return undefined
  refuseOther(first, asked)
  if (first.answer === null) return undefined
  return {
    answer: JSON.parse(
      exchange.house.installationKey
        .unseal(Buffer.from(first.answer, 'base64'), purpose(viewer, exchange.facts.idempotencyKey))
        .toString('utf8'),
    ),
  }
}

const sealed = (exchange: Exchange, viewer: Viewer, answer: unknown): string =>
  exchange.house.installationKey
    .seal(Buffer.from(JSON.stringify(answer) ?? 'null'), purpose(viewer, exchange.facts.idempotencyKey))
    .toString('base64')

type UnderWay = Asked & { answer: Promise<unknown> }
const underWay = new WeakMap<House, Map<string, UnderWay>>()

/** Work of several transactions, once for its key: the answer of before, or of the request that is under way, or of `work`. A work that failed may be sent again, mended. */
export async function answerOnce(exchange: Exchange, viewer: Viewer, call: Call, work: () => Promise<unknown>): Promise<unknown> {
  const asked = askedWithKey(exchange, call)
  if (asked === undefined) return work()
  const { house } = exchange
  const open = underWay.get(house) ?? new Map<string, UnderWay>()
  underWay.set(house, open)
  const key = JSON.stringify([viewer.tenantId, viewer.userId, exchange.facts.idempotencyKey])
  const first = open.get(key)
  if (first !== undefined) {
    refuseOther(first, asked)
    return first.answer
  }
  const answer = answerAndKeep(exchange, viewer, call, asked, work)
  open.set(key, { ...asked, answer })
  try {
    return await answer
  } finally {
    open.delete(key)
  }
}

async function answerAndKeep(exchange: Exchange, viewer: Viewer, call: Call, asked: Asked, work: () => Promise<unknown>): Promise<unknown> {
  const { house } = exchange
  const first = await inTenant(house.database, viewer.tenantId, (db) => firstAnswer(db, exchange, viewer, asked))
  if (first !== undefined) return first.answer
  const answer = await work()
  if (call.unstored === true) return answer
  // The work is done and stands, whatever becomes of its copy.
  await inTenant(house.database, viewer.tenantId, (db) =>
    insertRequest(db, exchange, viewer, asked, sealed(exchange, viewer, answer)),
  ).catch((error: unknown) => house.log.warn({ error, request: exchange.facts.id }, 'an answer could not be kept for a repeated request'))
  return answer
}

export async function rememberAnswer(database: Database, exchange: Exchange, answer: unknown): Promise<void> {
  const { viewer } = exchange
  if (viewer === undefined) return
  await database
    .withTables<RepeatTables>()
    .updateTable('repeated_requests')
    .set({ answer: sealed(exchange, viewer, answer) })
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
    .where('at', '<', new Date(now.getTime() - storedMilliseconds))
    .execute()
}
