// The steps of one request: who has done each since when, and who can do the next.

import type * as z from 'zod'
import type { ApprovalView } from '#areas/approvals/service.ts'
import { findPeople, fullName, peopleWhoMay } from '#areas/users/service.ts'
import type { Database } from '#core/server/database.ts'
import { keeperOf, whoseIs } from '../../rules.ts'
import type { RequestStep } from '../../shapes.ts'
import { bringsKey, type CertificateRecord, type RequestRecord } from '../store.ts'

type Step = z.input<typeof RequestStep>

/** So many of those who can agree are named; the others are counted. */
export const mostNamed = 3

export async function stepsOf(
  db: Database,
  request: RequestRecord,
  approval: ApprovalView | undefined,
  certificate: CertificateRecord | undefined,
): Promise<Step[]> {
  const { tenant_id: tenantId, stage } = request
  const keeper = keeperOf(whoseIs(request))
  const people = new Map(
    (await findPeople(db, tenantId, [request.requester_id, ...(keeper === undefined ? [] : [keeper])])).map((one) => [one.id, one]),
  )
  const nameOf = (id: string | undefined, otherwise: string): string => {
    const person = id === undefined ? undefined : people.get(id)
    return person === undefined ? otherwise : fullName(person)
  }
  const requester = nameOf(request.requester_id, request.requester)
  const stopped = { at: request.updated_at.toISOString(), state: 'stopped' } as const
  const steps: Step[] = [{ step: 'asked', state: 'done', at: request.created_at.toISOString(), who: [requester], others: 0 }]
  if (approval !== undefined) steps.push(await approvalStep(db, request, approval, requester))

  const isStopped = stage === 'failed' || (approval === undefined && (stage === 'denied' || stage === 'withdrawn'))
  const made: Pick<Step, 'state' | 'at'> =
    stage === 'issued'
      ? { state: 'done', at: (certificate?.issued_at ?? request.updated_at).toISOString() }
      : isStopped
        ? stopped
        : { state: stage === 'waiting' || stage === 'denied' || stage === 'withdrawn' ? 'later' : 'now' }
  steps.push({ step: 'made', ...made, who: [], others: 0 })
  if (!bringsKey(request))
    steps.push({ step: 'collected', ...(isStopped ? { state: 'later' as const } : made), who: [nameOf(keeper, requester)], others: 0 })
  return steps
}

async function approvalStep(db: Database, request: RequestRecord, approval: ApprovalView, requester: string): Promise<Step> {
  const { approvals: count, needed, votes, openedAt, decidedAt } = approval
  const valid = votes.filter((vote) => !vote.void)
  const step = { step: 'approved', count, needed, others: 0 } as const
  const decided = (decidedAt ?? request.updated_at).toISOString()
  const denial = valid.find(({ verdict }) => verdict === 'deny')
  if (denial !== undefined) return { ...step, state: 'stopped', at: decided, who: [denial.voter] }
  if (request.stage === 'denied' || request.stage === 'withdrawn') return { ...step, state: 'stopped', at: decided, who: [requester] }
  if (request.stage !== 'waiting') return { ...step, state: 'done', at: decided, who: valid.map(({ voter }) => voter) }
  const able = await peopleWhoMay(db, request.tenant_id, approval.permission, [
    request.requester_id,
    request.holder_user_id,
    ...approval.excluded,
    ...valid.map(({ voterId }) => voterId),
  ])
  return {
    ...step,
    state: 'now',
    at: openedAt.toISOString(),
    who: able.slice(0, mostNamed).map(fullName),
    others: Math.max(0, able.length - mostNamed),
  }
}
