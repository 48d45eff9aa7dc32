// Requests that a rule makes. They take the same path as a person's own: the same checks, approvals and records.

import { Fault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { parseShape } from '#core/server/steps/input.ts'
import { RequestDraft } from '../../shapes.ts'
import { internalContext } from './internal-request.ts'
import { submit } from './submit.ts'

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
export async function requestFor(
  house: House,
  { viewer, entity, templateId, values, key, by }: Enrolment,
): Promise<{ requestId: string; ready: boolean } | { refused: string }> {
  const context = internalContext(house, viewer, { key, actor: { userId: viewer.userId, name: by } })
  try {
    const draft = parseShape(RequestDraft, { templateId, values, ...(entity === 'user' ? { userId: viewer.userId } : {}), comment: by })
    const { requestId, status } = await submit(context, 'rule', { ...draft, entity })
    return { requestId, ready: status === 'incomplete' }
  } catch (error) {
    if (error instanceof Fault && error.status < 500)
      return { refused: error.detail.fields?.map(({ says }) => says).join('; ') || error.message }
    throw error
  }
}
