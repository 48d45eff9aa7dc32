import { randomUUID } from 'node:crypto'
import { faultOfCall } from '#core/server/fault.ts'
import type { Actor, House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { certificates } from '../../contract.ts'
import type { Asking } from './submit.ts'

/** Makes the context of a call for a request that no call sends. `actor` is recorded: it may be a rule, while `viewer` is the person for whom it asks. */
export const internalContext = (house: House, viewer: Viewer, { key, actor }: { key: string; actor: Actor }): Asking => ({
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
  transact: (work) => house.work(viewer.tenantId, actor, ({ emitFor, ...rest }) => work({ ...rest, emitFor, emit: emitFor(certificates) })),
  fault: (code, detail) => {
    throw faultOfCall(certificates.calls.request, code, detail)
  },
})
