// The addresses for machines that watch Chancery: alive, ready, counts, and the description of the API.

import { sql } from 'kysely'
import type { House } from './house.ts'
import type { Metrics } from './metrics.ts'
import type { EndpointAnswer } from './serve.ts'

const json = (status: number, body: unknown): EndpointAnswer => ({ status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) })

export function plainAnswers(house: House, metrics: Metrics, describeApi: () => object): (path: string) => (() => Promise<EndpointAnswer> | EndpointAnswer) | undefined {
  let description: string | undefined
  const answers: Record<string, () => Promise<EndpointAnswer> | EndpointAnswer> = {
    '/healthz': () => json(200, { status: 'alive', version: house.version }),
    '/readyz': async () => {
      try {
        await sql`select 1`.execute(house.database)
        return json(200, { status: 'ready' })
      } catch {
        return json(503, { status: 'waiting', waitingFor: 'database' })
      }
    },
    '/metrics': () => ({ headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }, body: metrics.text() }),
    '/api2/openapi.json': () => ({ headers: { 'content-type': 'application/json; charset=utf-8' }, body: (description ??= JSON.stringify(describeApi())) }),
  }
  return (path) => (Object.hasOwn(answers, path) ? answers[path] : undefined)
}
