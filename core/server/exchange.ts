// One request on its way through the steps, and what the steps have learnt of it so far.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CacheVersion } from './cache.ts'
import type { House } from './house.ts'
import type { LimitTicket } from './limits.ts'
import type { Match } from './router.ts'
import type { RequestFacts, Respond, Viewer } from './serve.ts'

export type Exchange = {
  incoming: IncomingMessage
  outgoing: ServerResponse
  house: House
  now: Date
  /** What was remembered when it began. */
  since: CacheVersion
  method: string
  url: URL
  facts: RequestFacts
  respond: Respond
  statusCode: number
  match: Match
  viewer: Viewer | undefined
  scope: Scope
  input: unknown
  limitTickets: LimitTicket[]
  output: unknown
}

/** On whose behalf and in which tenancy the work is recorded; a public call learns it on the way. */
export type Scope = { tenantId: string | undefined; actorId: string | undefined; actor: string }

export type Step = (exchange: Exchange) => void | Promise<void>
