// Requests that come by an enrolment protocol. They take the same path as a person's own: template, allowed names, lint, approval, record before signing. The
// protocol says which names were proven; the CSR gives its key, and nothing that the template and those names do not give.

import type { Refusal } from '#core/contract/refusal.ts'
import type { Database } from '#core/server/database.ts'
import { Fault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { parseShape } from '#core/server/steps/input.ts'
import type { RequestStage } from '../../rules.ts'
import { RequestDraft } from '../../shapes.ts'
import { internalContext } from './internal-request.ts'
import { findRequest } from './request-store.ts'
import { submit } from './submit.ts'

export type ProtocolRequest = {
  tenantId: string
  /** In whose name the protocol asks. */
  viewer: Viewer
  templateId: string
  /** In PEM; without it `provenKey`. */
  csr?: string
  /** The SubjectPublicKeyInfo of a key whose possession the protocol has proven without a CSR. */
  provenKey?: Uint8Array
  /** A TPM has attested the key. */
  attested?: true
  /** By source, as they were proven. */
  values: Record<string, string[]>
  /** One key, one request, however often it is asked. */
  key: string
  /** As the record and the request name who asked. */
  by: string
  /** What approvers read besides: which of several keys it is for. */
  detail?: string
  address: string
  /** The certificate is this person's and not a device's; `viewer` is the same person. */
  forPerson?: true
  /** The key was made on a card, as the card engine has seen: templates for cards only are open to it alone. */
  onCard?: true
  /** Who did it, where that is somebody else than `viewer`. */
  actorId?: string
}

export type ProtocolOutcome = { requestId: string } | { refused: Pick<Refusal, 'field' | 'says'>[] }

/** Makes the request, or finds the one of this key, and issues what nobody must agree to. Not inside a transaction. */
export async function requestByProtocol(
  house: House,
  {
    viewer,
    templateId,
    csr,
    provenKey,
    attested,
    values,
    key,
    by,
    detail,
    address,
    forPerson,
    onCard,
    actorId = viewer.userId,
  }: ProtocolRequest,
): Promise<ProtocolOutcome> {
  const context = { ...internalContext(house, viewer, { key, actor: { userId: actorId, name: by, address } }), actorId, attested }
  try {
    const draft = parseShape(RequestDraft, {
      templateId,
      ...(csr === undefined ? {} : { csr }),
      values,
      comment: detail === undefined ? by : `${by}, ${detail}`,
    })
    const { requestId } = await submit(
      context,
      onCard === true ? 'card' : 'rule',
      { ...draft, entity: forPerson === true ? 'user' : 'device' },
      provenKey,
    )
    return { requestId }
  } catch (error) {
    if (error instanceof Fault && error.status < 500 && error.status !== 429) {
      const fields = error.detail.fields ?? []
      return { refused: fields.length > 0 ? fields : [{ field: '', says: error.message }] }
    }
    throw error
  }
}

export type ProtocolRequestState = { stage: RequestStage; certificateId: string | undefined; error: string }

/** Where a request stands. Undefined where there is none. */
export async function protocolRequestState(db: Database, tenantId: string, requestId: string): Promise<ProtocolRequestState | undefined> {
  const request = await findRequest(db, tenantId, requestId)
  return request && { stage: request.stage, certificateId: request.certificate_id ?? undefined, error: request.error }
}
