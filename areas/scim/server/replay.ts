// A day's requests once more, all of it undone: what another mapping, another right or another rule would make of them.

import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { readJsonOrNothing } from '#standards/json/read.ts'
import { change, outcomeOf } from './endpoints.ts'
import type { Asked } from './scene.ts'
import { listRequests, withSavepoint, type SourceRecord } from './store.ts'

const day = 86_400_000
const mostReplayed = 1_000

type Different = { id: string; method: string; path: string; before: string; now: string }

/** Carries the answer out of a transaction that is undone. */
class Undo extends Error {
  override name = 'Undo'
  readonly requests: number
  readonly different: Different[]
  constructor(requests: number, different: Different[]) {
    super('undone')
    this.requests = requests
    this.different = different
  }
}

const changing = new Set<string>(['POST', 'PUT', 'PATCH', 'DELETE'] satisfies Asked['method'][])
const isChange = (method: string): method is Asked['method'] => changing.has(method)

export async function replay(
  house: House,
  source: SourceRecord,
  viewer: Viewer,
  date: string,
): Promise<{ requests: number; different: Different[] }> {
  const from = new Date(`${date}T00:00:00.000Z`)
  try {
    return await house.work(source.tenant_id, { userId: viewer.userId, name: viewer.username }, async (work) => {
      const rows = await listRequests(work.tenancy, source.id, { from, to: new Date(from.getTime() + day) }, mostReplayed)
      const different: Different[] = []
      for (const { id, method, path, body, status, effect } of rows) {
        const asked = askedOf(method, path, body)
        if (asked === undefined) continue
        const now = await withSavepoint(work.tenancy, () => change({ house, work, source, viewer }, asked)).catch((error: unknown) => {
          const outcome = outcomeOf(error)
          if (outcome === undefined) throw error
          return outcome
        })
        if (now.status !== status || now.effect !== effect)
          different.push({ id, method, path, before: `${status} ${effect}`, now: `${now.status} ${now.effect}` })
      }
      throw new Undo(rows.length, different)
    })
  } catch (error) {
    if (!(error instanceof Undo)) throw error
    return { requests: error.requests, different: error.different }
  }
}

function askedOf(method: string, path: string, text: string): Asked | undefined {
  const [, kind, id = ''] = path.split('/')
  if (!isChange(method) || (kind !== 'Users' && kind !== 'Groups')) return undefined
  const body = text === '' ? undefined : readJsonOrNothing(text)
  return text !== '' && body === undefined ? undefined : { method, kind, id, body, ifMatch: undefined }
}
