// The addresses for machines that watch Chancery: alive, ready, counts, and the description of the API. The counts tell how busy which call is:
// they are for this machine, and for who has the token.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isLocal } from './facts.ts'
import { commonFault } from './fault.ts'
import type { House } from './house.ts'
import type { Metrics } from './metrics.ts'
import { watchReadiness } from './readiness.ts'
import type { EndpointAnswer, RequestFacts } from './serve.ts'

const json = (status: number, body: unknown): EndpointAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
})

/** They belong to no room, and are for everybody. */
export const machinePaths = ['/healthz', '/readyz', '/metrics', '/api2/openapi.json'] as const

export type MachineAnswer = (incoming: IncomingMessage, facts: RequestFacts) => Promise<EndpointAnswer> | EndpointAnswer

const digest = (text: string) => createHash('sha256').update(text).digest()
const sameToken = (given: string | undefined, token: string | undefined): boolean =>
  given !== undefined && token !== undefined && timingSafeEqual(digest(given), digest(token))

export function machineAnswers(house: House, metrics: Metrics, describeApi: () => object): (path: string) => MachineAnswer | undefined {
  let description: string | undefined
  const readiness = watchReadiness(house)
  const answers: Record<(typeof machinePaths)[number], MachineAnswer> = {
    '/healthz': () => json(200, { status: 'alive', version: house.version }),
    '/readyz': async () => {
      const answer = await readiness()
      return json(answer.status === 'ready' ? 200 : 503, answer)
    },
    '/metrics': async (incoming, facts) => {
      if (!isLocal(incoming) && !sameToken(facts.bearer, house.settings.metricsToken)) throw commonFault('missing')
      return { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }, body: await metrics.text() }
    },
    '/api2/openapi.json': () => ({
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: (description ??= JSON.stringify(describeApi())),
    }),
  }
  const known = new Map<string, MachineAnswer>(Object.entries(answers))
  return (path) => known.get(path)
}
