// What whoever issues a card must know: who has to agree first, and what is half done with a card.

import { protocolRequestState } from '#areas/certificates/protocols.ts'
import { approversNeeded } from '#areas/certificates/rules.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { findPerson, fullName } from '#areas/users/service.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { Handlers, Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { smartcards } from '../contract.ts'
import type { CardSlot } from '../rules.ts'
import { findUnfinished, listSlots } from './operation-store.ts'
import { isDesk, mayHandle } from './policy.ts'
import { findBySerial, findTemplateRow, type TemplateSlot } from './store.ts'

/** How many others must agree to the certificate of each slot, for those where somebody must. */
export async function approvalsFirst(
  tenancy: Tenancy,
  viewer: Pick<Viewer, 'userId'>,
  { slots, userId }: { slots: readonly TemplateSlot[]; userId: string | null },
): Promise<{ slot: CardSlot; approvers: number }[]> {
  const waiting: { slot: CardSlot; approvers: number }[] = []
  for (const { slot, templateId } of slots) {
    const { issueApprovers = 0 } = (await findTemplate(tenancy.db, tenancy.tenantId, templateId, tenancy.now)) ?? {}
    const approvers = approversNeeded(issueApprovers, userId !== viewer.userId)
    if (approvers > 0) waiting.push({ slot, approvers })
  }
  return waiting
}

type Unfinished = NonNullable<OutputOf<typeof smartcards.calls.unfinished>['operation']>

/** Undefined where nothing is half done, or somebody drives the card this moment. */
async function presentUnfinished(tenancy: Tenancy, cardId: string): Promise<Unfinished | undefined> {
  const operation = await findUnfinished(tenancy, cardId)
  if (operation === undefined || (operation.state === 'running' && operation.lease_until > tenancy.now)) return undefined
  const { id, kind, plan, error } = operation
  if (kind !== 'issue' && kind !== 'reissue') return undefined
  const person = await findPerson(tenancy.db, tenancy.tenantId, plan.userId)
  const requests: Unfinished['requests'] = []
  for (const { slot, request_id: requestId } of await listSlots(tenancy, id)) {
    if (requestId === null) continue
    const state = await protocolRequestState(tenancy.db, tenancy.tenantId, requestId)
    const isOver = state === undefined || state.stage === 'denied' || state.stage === 'withdrawn' || state.stage === 'failed'
    requests.push({ slot, requestId, stands: state?.certificateId !== undefined ? 'granted' : isOver ? 'denied' : 'waiting' })
  }
  return {
    kind,
    error,
    userId: plan.userId,
    userName: person === undefined ? '' : fullName(person),
    cardTemplateId: plan.cardTemplateId,
    cardTemplateName: (await findTemplateRow(tenancy, plan.cardTemplateId))?.name ?? '',
    ...(plan.replacesId === undefined ? {} : { standsFor: plan.replacesId }),
    ...(plan.days === undefined ? {} : { days: plan.days }),
    requests,
  }
}

export const waitingHandlers: Pick<Handlers<typeof smartcards>, 'beforeIssue' | 'unfinished'> = {
  async beforeIssue({ cardTemplateId, userId }, { tenancy, viewer, fault }) {
    if (!isDesk(viewer) && userId !== viewer.userId) return fault('notYours')
    const slots = (await findTemplateRow(tenancy, cardTemplateId))?.slots ?? []
    return { waiting: await approvalsFirst(tenancy, viewer, { slots, userId }) }
  },

  async unfinished({ serial }, { tenancy, viewer, fault }) {
    const card = (await findBySerial(tenancy, serial)) ?? fault('unregistered')
    if (!mayHandle(viewer, card)) return fault('notYours')
    const operation = await presentUnfinished(tenancy, card.id)
    return operation === undefined ? {} : { operation }
  },
}
