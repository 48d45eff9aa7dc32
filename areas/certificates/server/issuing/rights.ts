// Whether who asked, and who has just agreed, may still do so once a slow key has signed: the account, and what the roles say. It is held against what the person
// might when the work began, because some ask by a right that is no role's: a rule that enrols for them, a certificate that they renew.

import { refusal } from '#areas/authorities/refusals.ts'
import { viewerNow } from '#areas/sessions/service.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { findAccount, rightsHere } from '#areas/users/rights.ts'
import { findPerson } from '#areas/users/service.ts'
import type { Refusal } from '#core/contract/refusal.ts'
import type { Database } from '#core/server/database.ts'
import type { Viewer } from '#core/server/serve.ts'
import { certificates } from '../../contract.ts'
import { anonymous } from '../../rules.ts'
import { doorOf, mayUse } from '../policy.ts'
import type { RequestRecord } from '../store.ts'

type Permissions = Pick<Viewer, 'permission' | 'narrowed'>

const mayDecide = ({ api }: Viewer['permission']): boolean => api.includes(certificates.calls.decide.needs)

/** When the work begins. `acting`: whose call it is, who asks or agrees; nobody where a job goes on with it. */
export type RightsAtStart = { asks: Permissions | undefined; acting: Viewer | undefined }

export async function rightsAtStart(
  db: Database,
  tenantId: string,
  request: RequestRecord,
  acting: Viewer | undefined,
): Promise<RightsAtStart> {
  return { asks: acting?.userId === request.requester_id ? acting : await rightsHere(db, tenantId, request.requester_id), acting }
}

/** Who may have left since it was asked, or agreed to: nobody gets anything more then. Somebody of the managing tenancy has no record here. */
export async function leftSince(db: Database, tenantId: string, request: RequestRecord): Promise<Refusal | undefined> {
  const holder = request.holder_user_id === null ? undefined : await findPerson(db, tenantId, request.holder_user_id)
  if (request.holder_user_id !== null && holder?.enabled !== true) return refusal('holderDisabled', undefined)
  if (request.requester_id === anonymous.id) return undefined
  const requester = await findAccount(db, tenantId, request.requester_id)
  if (requester === undefined) return refusal('requesterGone', undefined)
  return requester.enabled ? undefined : refusal('requesterDisabled', undefined)
}

/** What they lost since the work began. */
export async function lostSince(
  db: Database,
  tenantId: string,
  request: RequestRecord,
  { asks, acting }: RightsAtStart,
  now: Date,
): Promise<Refusal | undefined> {
  // Whoever owns a rule or protocol must still have the right to ask, which the door of rules does not look at.
  const door = doorOf(request) === 'card' ? 'card' : 'anybody'
  const mayAsk = async (permissions: Permissions | undefined) => {
    const template = permissions && (await findTemplate(db, tenantId, request.template_id, now))
    return (
      template !== undefined &&
      permissions !== undefined &&
      mayUse(
        template,
        { ...permissions, userId: request.requester_id },
        door,
        request.entity,
        request.holder_user_id ?? request.requester_id,
      )
    )
  }
  const asksNow = () =>
    acting?.userId === request.requester_id ? viewerNow(db, acting, now) : rightsHere(db, tenantId, request.requester_id)
  if ((await mayAsk(asks)) && !(await mayAsk(await asksNow()))) return refusal('requesterMayNotAsk', undefined)
  if (acting === undefined || acting.userId === request.requester_id || !mayDecide(acting.permission)) return undefined
  const approves = await viewerNow(db, acting, now)
  return approves !== undefined && mayDecide(approves.permission) ? undefined : refusal('approverMayNotApprove', undefined)
}
