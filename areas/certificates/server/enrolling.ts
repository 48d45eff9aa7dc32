// Requests that a rule makes, and what it must know before: who has a certificate of a template, who has asked for one, and what became of a request.
// They take the same path as a person's own: the same checks, approvals and records.

import { randomUUID } from 'node:crypto'
import type { Database } from '#core/server/database.ts'
import { commonFault, Fault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { parseShape } from '#core/server/steps/input.ts'
import { certificates } from '../contract.ts'
import type { RequestStage } from '../rules.ts'
import { requestHandlers } from './requests.ts'
import { tables } from './store.ts'

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

export type Holding = { certificateId: string; subject: string; notAfter: Date }

/** The newest certificate of the template for each holder, or for each device by its name, that is neither revoked nor expired. */
export async function holdingsOf(db: Database, tenantId: string, templateId: string, entity: 'user' | 'device', now: Date): Promise<Map<string, Holding>> {
  const rows = await tables(db)
    .selectFrom('certificates')
    .select(['id', 'holder_user_id', 'device_name', 'not_after'])
    .where('tenant_id', '=', tenantId)
    .where('template_id', '=', templateId)
    .where('revoked_at', 'is', null)
    .where('not_after', '>', now)
    .orderBy('not_after')
    .execute()
  return new Map(
    rows.flatMap((row) => {
      const subject = entity === 'user' ? row.holder_user_id : row.device_name.toLowerCase()
      return subject === null || subject === '' ? [] : [[subject, { certificateId: row.id, subject, notAfter: row.not_after }] as const]
    }),
  )
}

/** The people who wait for a certificate of the template, by the id of their request. */
export async function openRequestsOf(db: Database, tenantId: string, templateId: string): Promise<Map<string, string>> {
  const rows = await tables(db)
    .selectFrom('certificate_requests')
    .select(['id', 'holder_user_id'])
    .where('tenant_id', '=', tenantId)
    .where('template_id', '=', templateId)
    .where('holder_user_id', 'is not', null)
    .where('stage', 'in', ['waiting', 'awaitingKey', 'approved', 'reserved'])
    .execute()
  return new Map(rows.flatMap(({ id, holder_user_id }) => (holder_user_id === null ? [] : [[holder_user_id, id]])))
}

/** What became of these requests. */
export async function stagesOf(db: Database, tenantId: string, requestIds: readonly string[]): Promise<Map<string, { stage: RequestStage; error: string }>> {
  if (requestIds.length === 0) return new Map()
  const rows = await tables(db).selectFrom('certificate_requests').select(['id', 'stage', 'error']).where('tenant_id', '=', tenantId).where('id', 'in', [...requestIds]).execute()
  return new Map(rows.map(({ id, stage, error }) => [id, { stage, error }]))
}
