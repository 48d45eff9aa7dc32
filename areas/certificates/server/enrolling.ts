// Requests that a rule makes. They take the same path as a person's own: the same checks, approvals and records.

import { randomUUID } from 'node:crypto'
import { commonFault, Fault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { parseShape } from '#core/server/steps/input.ts'
import { certificates } from '../contract.ts'
import { requestHandlers } from './requests.ts'

export type Enrolment = {
  tenantId: string
  /** As whom the request is made: the person for an own certificate, the rule's maker for a device. */
  viewer: Viewer
  entity: 'user' | 'device'
  templateId: string
  values: Record<string, string[]>
  /** One key, one request, however often it is asked. */
  key: string
  by: string
}

/** Makes the request, or finds the one of this key. `ready`: its holder can fetch it with its key. `refused` says in a sentence why there is none. */
export async function requestFor(house: House, { viewer, entity, templateId, values, key, by }: Enrolment): Promise<{ requestId: string; ready: boolean } | { refused: string }> {
  const context = contextFor(house, viewer, key, by)
  const input = { templateId, values, ...(entity === 'user' ? { userId: viewer.userId } : {}), comment: by }
  try {
    const { requestId, status } = entity === 'user' ? await requestHandlers.requestForUser(parseShape(certificates.calls.requestForUser.input, input), context) : await requestHandlers.requestForDevice(parseShape(certificates.calls.requestForDevice.input, input), context)
    return { requestId, ready: status === 'incomplete' }
  } catch (error) {
    if (error instanceof Fault && error.status < 500) return { refused: error.detail.fields?.map(({ says }) => says).join('; ') || error.message }
    throw error
  }
}

type Context = Parameters<typeof requestHandlers.requestForUser>[1]

/** What a call would have about it, for a request that nobody sends. `by` stands in the record beside the person as whom it is made. */
export function contextFor(house: House, viewer: Viewer, key: string, by: string): Context {
  return {
    viewer,
    now: house.now(),
    house,
    request: { id: randomUUID(), address: '', userAgent: '', idempotencyKey: key, cookies: {}, bearer: undefined, secure: true },
    respond: { status: () => {}, header: () => {}, cookie: () => {} },
    recordedByRoom: () => {},
    transact: (work) => house.work(viewer.tenantId, { userId: viewer.userId, name: by }, ({ db, emitFor, afterCommit }) => work({ db, emit: emitFor(certificates), afterCommit })),
    fault: (code, detail) => {
      throw Object.hasOwn(certificates.calls.requestForUser.faults, code) ? new Fault(code, { status: 409, says: textOf(code) }, detail) : commonFault('invalid', detail)
    },
  }
}

const textOf = (code: string): string => Object.entries(certificates.calls.requestForUser.faults).find(([name]) => name === code)?.[1].says ?? code
