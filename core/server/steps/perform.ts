// Begin, handler, output shape, event rows, commit. Every change leaves one row: the handler's own events, or one that names the call.

import type { Call } from '#core/contract/contract.ts'
import { commitWork, type WriteRows } from '../commit.ts'
import { enterTenant, type Database } from '../database.ts'
import { installationTenant, type NewEvent } from '../events.ts'
import type { Exchange, Scope } from '../exchange.ts'
import { faultOfCall, faultOfConstraint, type FaultDetail } from '../fault.ts'
import { giveBack } from '../limits.ts'
import { answerOnce, claimRequest, rememberAnswer } from '../repeats.ts'
import { isChange } from '../router.ts'
import type { Tenancy } from '../tenancy.ts'
import { collectWork, type Collected } from '../work.ts'

export async function performCall(exchange: Exchange): Promise<void> {
  const { route } = exchange.match
  if (route.kind !== 'call') return
  const { call } = route.binding
  const { handle } = route.binding
  const { viewer } = exchange
  if (call.ownTransactions !== true) exchange.output = await performInOne(exchange, call, handle)
  else if (viewer === undefined || call.needs === 'public' || !isChange(call) || call.ownKeys === true)
    exchange.output = await performInSeveral(exchange, call, handle)
  else exchange.output = await answerOnce(exchange, viewer, call, () => performInSeveral(exchange, call, handle))
  if (exchange.limitTickets.length > 0) await giveBack(exchange.house.database, exchange.limitTickets)
}

type Handle = (input: unknown, context: unknown) => Promise<unknown>

async function performInOne(exchange: Exchange, call: Call, handle: Handle): Promise<unknown> {
  const { viewer, input, scope } = exchange
  const collected = collectWork()
  return commit(exchange, call, collected, async (database, write) => {
    const repeat = isChange(call) && viewer !== undefined ? await claimRequest(database, exchange, viewer, call) : undefined
    if (repeat?.answer !== undefined) return repeat.answer
    const answer = parseOutput(
      call,
      await handle(input, {
        ...asked(exchange, call, scope, database),
        ...inTransaction(exchange, database),
        ...collected.face,
      }),
    )
    if (isChange(call)) {
      await record(database, scope, collected.rows(exchange, scope, call, answer), write)
      if (repeat !== undefined) await rememberAnswer(database, exchange, answer)
    }
    return answer
  })
}

async function performInSeveral(exchange: Exchange, call: Call, handle: Handle): Promise<unknown> {
  const { house, input, scope } = exchange
  let recorded = !isChange(call)
  const transact = async <T>(work: (work: object) => Promise<T>): Promise<T> => {
    const collected = collectWork()
    const result = await commit(exchange, call, collected, async (database, write) => {
      const value = await work({ ...inTransaction(exchange, database), ...collected.face })
      if (collected.emitted() > 0) await record(database, scope, collected.rows(exchange, scope, call, undefined), write)
      return value
    })
    recorded ||= collected.emitted() > 0
    return result
  }
  const output = parseOutput(
    call,
    await handle(input, { ...asked(exchange, call, scope, house.database), transact, recordedByRoom: () => (recorded = true) }),
  )
  // A change of which no commit left a row leaves one that names the call, before it is answered.
  if (!recorded)
    await commitWork(house, [], (database, write) => record(database, scope, collectWork().rows(exchange, scope, call, output), write))
  return output
}

/** A public call knows no tenancy when it begins, and so has no handle of one. */
const inTransaction = ({ scope, now }: Exchange, db: Database): { db: Database; tenancy?: Tenancy } =>
  scope.tenantId === undefined ? { db } : { db, tenancy: { db, tenantId: scope.tenantId, now } }

/**
 * Within the tenancy that is known so far; a public call learns it on the way. A broken constraint becomes the fault that the contract names for it
 * here, so that the `transact` of a call throws the fault already.
 */
const commit = <T>(
  { house, scope, facts }: Exchange,
  call: Call,
  { actions }: Collected,
  work: (database: Database, write: WriteRows) => Promise<T>,
): Promise<T> =>
  commitWork(
    house,
    actions,
    async (database, write) => {
      if (scope.tenantId !== undefined) await enterTenant(database, scope.tenantId)
      return work(database, write)
    },
    { request: facts.id },
  ).catch((error: unknown) => {
    throw faultOfConstraint(call, error)
  })

/** The rows of the work, in its transaction. The handler may have entered another tenancy last than the one that the work is recorded in. */
async function record(database: Database, scope: Scope, rows: readonly NewEvent[], write: WriteRows): Promise<void> {
  if (rows.length === 0) return
  const tenantId = scope.tenantId ?? installationTenant
  await enterTenant(database, tenantId)
  await write(tenantId, rows)
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
            if (call.ownTransactions !== true) await enterTenant(database, tenantId)
          },
          actAs: (actor: { userId: string; name: string }) => {
            scope.actorId = actor.userId
            scope.actor = actor.name
          },
          missed: () => void (exchange.limitTickets = []),
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
