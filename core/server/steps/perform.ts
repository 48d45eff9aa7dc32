// Begin, handler, output shape, event rows, commit. Every change leaves one row: the handler's own events, or one that names the call.

import type { Call } from '#core/contract/contract.ts'
import { enterTenant, type Database } from '../database.ts'
import { installationTenant, writeEvents, type NewEvent } from '../events.ts'
import { collectWork, type Collected } from '../work.ts'
import type { Exchange, Scope } from '../exchange.ts'
import { faultOfCall, type FaultDetail } from '../fault.ts'
import { giveBack } from '../floors.ts'
import { isChange } from '../router.ts'
import { answerOnce, claimRequest, rememberAnswer } from '../repeats.ts'

export async function performCall(exchange: Exchange): Promise<void> {
  const { route } = exchange.match
  if (route.kind !== 'call') return
  const { call } = route.binding
  const { handle } = route.binding
  const { viewer } = exchange
  if (call.slow !== true) exchange.output = await performAtOnce(exchange, call, handle)
  else if (viewer === undefined || call.needs === 'public' || !isChange(call) || call.ownKeys === true) exchange.output = await performSlowly(exchange, call, handle)
  else exchange.output = await answerOnce(exchange, viewer, call, () => performSlowly(exchange, call, handle))
  if (exchange.floors.length > 0) await giveBack(exchange.house.database, exchange.floors)
}

type Handle = (input: unknown, context: unknown) => Promise<unknown>

async function performAtOnce(exchange: Exchange, call: Call, handle: Handle): Promise<unknown> {
  const { house, viewer, input, scope } = exchange
  const collected = collectWork()
  const output = await house.database.transaction().execute(async (database) => {
    if (scope.tenantId !== undefined) await enterTenant(database, scope.tenantId)
    const repeat = isChange(call) && viewer !== undefined ? await claimRequest(database, exchange, viewer, call) : undefined
    if (repeat?.answer !== undefined) return repeat.answer
    const answer = parseOutput(call, await handle(input, { ...asked(exchange, call, scope, database), db: database, ...collected.face }))
    if (isChange(call)) {
      await record(database, scope, collected.rows(exchange, scope, call, answer))
      if (repeat !== undefined) await rememberAnswer(database, exchange, answer)
    }
    return answer
  })
  if (isChange(call)) house.memory.forget()
  await runAfterCommit(exchange, collected)
  return output
}

async function performSlowly(exchange: Exchange, call: Call, handle: Handle): Promise<unknown> {
  const { house, input, scope } = exchange
  let recorded = !isChange(call)
  const transact = async <T>(work: (work: object) => Promise<T>): Promise<T> => {
    const collected = collectWork()
    const result = await house.database.transaction().execute(async (database) => {
      if (scope.tenantId !== undefined) await enterTenant(database, scope.tenantId)
      const value = await work({ db: database, ...collected.face })
      if (collected.emitted() > 0) await record(database, scope, collected.rows(exchange, scope, call, undefined))
      return value
    })
    recorded ||= collected.emitted() > 0
    if (collected.emitted() > 0) house.memory.forget()
    await runAfterCommit(exchange, collected)
    return result
  }
  const output = parseOutput(call, await handle(input, { ...asked(exchange, call, scope, house.database), transact, recordedByRoom: () => (recorded = true) }))
  // A change of which no commit left a row leaves one that names the call, before it is answered.
  if (!recorded) await house.database.transaction().execute((database) => record(database, scope, collectWork().rows(exchange, scope, call, output)))
  return output
}

/** The rows of the work, in its transaction. The handler may have entered another tenancy last than the one that the work is recorded in. */
async function record(database: Database, scope: Scope, rows: readonly NewEvent[]): Promise<void> {
  if (rows.length === 0) return
  const tenantId = scope.tenantId ?? installationTenant
  await enterTenant(database, tenantId)
  await writeEvents(database, tenantId, rows)
}

function asked(exchange: Exchange, call: Call, scope: Scope, database: Database) {
  const { viewer, now, facts, respond, house } = exchange
  return {
    viewer,
    now,
    request: facts,
    respond,
    house,
    fault: (code: string, detail?: FaultDetail): never => {
      throw faultOfCall(call, code, detail)
    },
    ...(call.needs === 'public'
      ? {
          enter: async (tenantId: string) => {
            scope.tenantId = tenantId
            if (call.slow !== true) await enterTenant(database, tenantId)
          },
          actAs: (actor: { userId: string; name: string }) => {
            scope.actorId = actor.userId
            scope.actor = actor.name
          },
          missed: () => void (exchange.floors = []),
        }
      : {}),
  }
}

/** No stray column leaves: the answer is what the contract says, field by field. */
function parseOutput(call: Call, output: unknown): unknown {
  const result = call.output.safeParse(output)
  if (!result.success) throw new TypeError(`${call.area}.${call.name} answered outside its contract: ${result.error.message}`)
  return result.data
}

async function runAfterCommit(exchange: Exchange, collected: Collected): Promise<void> {
  for (const action of collected.actions) {
    try {
      await action()
    } catch (error) {
      exchange.house.log.error({ error, request: exchange.facts.id }, 'work after the commit failed')
    }
  }
}
