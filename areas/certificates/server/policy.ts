// Who may ask, know, collect and withdraw: every rule of this room about one request or certificate and whoever asks. Nothing is read here; the rows are
// given. A token with scopes has what the call itself would let it do.

import { certificateClasses, type Entity } from '#areas/templates/rules.ts'
import type { Template } from '#areas/templates/service.ts'
import { passesDoor } from '#core/contract/access.ts'
import type { Viewer } from '#core/server/serve.ts'
import { certificates } from '../contract.ts'
import { isTheirs, keeperOf, whoseIs, withdrawableStages, type RequestStage } from '../rules.ts'
import type { RequestPlan } from './store.ts'

type Who = Pick<Viewer, 'userId' | 'permission' | 'via' | 'narrowed'>
type Row = Parameters<typeof whoseIs>[0]

/** How a request came in: through a door that a permission guards, by anybody signed in, who then gets only what self-service offers, by somebody anonymous, by a rule or protocol that enrols for somebody, or from the card desk, whose key was made on a card. */
export type RequestDoor = 'upload' | 'anybody' | 'anonymous' | 'rule' | 'card'

/** The door of a request that is on record. Asking with an upload permission is not told from self-service there: the rights are judged anew. */
export const doorOf = ({ plan }: { plan: Pick<RequestPlan, 'byRule' | 'byCard'> }): RequestDoor =>
  plan.byCard === true ? 'card' : plan.byRule === true ? 'rule' : 'anybody'

/** Who may ask with this template: administrators' templates need their permission, and without the upload permission there is self-service, for oneself. */
export function mayUse(
  template: Template,
  viewer: Pick<Viewer, 'userId' | 'permission' | 'narrowed'>,
  door: RequestDoor,
  entity: Entity,
  holderId: string | undefined,
): boolean {
  const { api } = viewer.permission
  const entities: readonly Entity[] = certificateClasses[template.class].entities
  if (!template.enabled || !entities.includes(entity)) return false
  if (template.accessLevel === 'ADMINISTRATOR' && !api.includes('manageCAs')) return false
  // A key that was not made on a card would pass for one that was.
  if (template.rules.cardsOnly === true && door !== 'card') return false
  if (door === 'anonymous') return template.anonymousEnabled
  if (['upload', 'rule', 'card'].includes(door) || api.includes(entity === 'user' ? 'certSigningRequestUser' : 'certSigningRequest'))
    return true
  // A narrowed token serves oneself only where its scopes say so.
  return template.selfServiceEligible && holderId === viewer.userId && (viewer.narrowed !== true || api.includes('selfServicePortal'))
}

const holdsOneOf = ({ permission }: Who, names: readonly string[]): boolean => names.some((name) => permission.api.includes(name))

/** Who sees certificates, who holds it and who asked for it; to others it is not there. */
export const mayKnowCertificate = (viewer: Who, certificate: Row): boolean =>
  holdsOneOf(viewer, ['certView']) || isTheirs(viewer, whoseIs(certificate))

/** One's own requests and that of one's own certificate, whoever renewed it; everybody's for those who see certificates, approvals or collect. */
export const mayKnowRequest = (viewer: Who, request: Row, certificate: Row | undefined): boolean =>
  holdsOneOf(viewer, ['collectCertificate', 'certView', 'certApprovals']) ||
  [request, certificate].some((row) => row !== undefined && isTheirs(viewer, whoseIs(row)))

/** A key that is made here is for the one person who is to have it, whoever asked. */
export const mayCollect = (viewer: Pick<Viewer, 'userId'>, request: Row): boolean => keeperOf(whoseIs(request)) === viewer.userId

/** Why it is not taken back: to others it is not there, and what is being issued or decided stays. */
export function withdrawalRefusal(viewer: Who, request: Row & { stage: RequestStage }): 'noSuchRequest' | 'closed' | undefined {
  if (!isTheirs(viewer, whoseIs(request))) return 'noSuchRequest'
  return withdrawableStages.some((stage) => stage === request.stage) ? undefined : 'closed'
}

export const mayWithdraw = (viewer: Who, request: Row & { stage: RequestStage }): boolean =>
  passesDoor(viewer, certificates.calls.withdraw) && withdrawalRefusal(viewer, request) === undefined
