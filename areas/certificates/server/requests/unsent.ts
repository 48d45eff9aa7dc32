import { randomUUID } from 'node:crypto'
import { faultOfCall } from '#core/server/fault.ts'
import type { Actor, House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { certificates } from '../../contract.ts'
import type { Asking } from './submit.ts'

/** What a call would have about it, for a request that no call sends. `actor` stands in the record: it may be a rule, beside the person as whom it is made. */
export const contextFor = (house: House, viewer: Viewer, { key, actor }: { key: string; actor: Actor }): Asking => ({
  viewer,
  now: house.now(),
  house,
  request: {
    id: randomUUID(),
    address: actor.address ?? '',
    userAgent: '',
    idempotencyKey: key,
    cookies: {},
    bearer: undefined,
    secure: true,
  },
  recordedByRoom: () => {},
  transact: (work) => house.work(viewer.tenantId, actor, ({ emitFor, ...rest }) => work({ ...rest, emit: emitFor(certificates) })),
  fault: (code, detail) => {
    throw faultOfCall(certificates.calls.request, code, detail)
  },
})
