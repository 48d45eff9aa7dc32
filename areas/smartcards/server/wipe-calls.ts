// The end of a card's life here: its certificates are revoked, what is on it is deleted.

import { revokeByProtocol } from '#areas/revocation/protocols.ts'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import { faultOfCall } from '#core/server/fault.ts'
import type { Handlers, StreamHandlers } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { smartcards } from '../contract.ts'
import { inUseStatuses, moreSteps, type CardStatus } from '../rules.ts'
import { CardFault, findCard } from './agents/readers.ts'
import { drive, streamed, takeFor } from './driving.ts'
import { NotRevoked, runStep, type Driving, type Step } from './engine/operation.ts'
import { wipeCard } from './engine/wipe.ts'
import { guarded } from './guarded.ts'
import { beginMove, endMove, findNamed, forCertificates } from './life.ts'
import { endCurrent, updateOperation } from './operation-store.ts'
import { actorOf, type Acting } from './policy.ts'
import { findBySerial, lockCard, updateCard, type CardChange, type CardRecord, type Plan } from './store.ts'

const { calls } = smartcards
type Ended = OutputOf<typeof calls.unregister>
type Kind = 'unregister' | 'clean'
const nothing: Plan = { cardTemplateId: '', userId: '', slots: [], guid: '', expires: '' }

/** Nobody's, with nothing on it. */
const blank: CardChange = {
  pin_left: null,
  holder_id: null,
  card_template_id: null,
  next_template_id: null,
  assigned_at: null,
  guid: '',
  temporary: false,
  replaces_id: null,
  temporary_days: null,
  expires_at: null,
  suspended_at: null,
  suspended_by: '',
  suspend_reason: '',
  passphrase_hash: null,
}

const ends: Readonly<Record<Kind, { status: CardStatus; event: 'unregistered' | 'cleaned' }>> = {
  unregister: { status: 'UNREGISTERED', event: 'unregistered' },
  clean: { status: 'REGISTERED', event: 'cleaned' },
}

const revokeAll = (acting: Acting, cardId: string) =>
  forCertificates(acting, cardId, (order) => revokeByProtocol(acting.house, { ...order, reason: 'cessationOfOperation' }))

async function endRecord(tenancy: Tenancy, card: Pick<CardRecord, 'id'>): Promise<void> {
  await lockCard(tenancy, card.id)
  await endCurrent(tenancy, card.id)
}

function checkStatus(kind: Kind, { status }: CardRecord): void {
  const refused = kind === 'clean' ? inUseStatuses.includes(status) || status === 'UNREGISTERED' : status === 'UNREGISTERED'
  if (refused) throw faultOfCall(calls[kind], 'wrongStatus', { params: { status } })
}

async function wipe(
  acting: Acting,
  kind: Kind,
  cardId: InputOf<typeof calls.clean>['card_id'],
  tell: (step: Step) => void,
): Promise<Ended> {
  const { house, viewer } = acting
  const call = calls[kind]
  return guarded(call, async () => {
    const found = await findCard(house, viewer.userId, cardId)
    const { serial } = found.identity
    const taken = await withTenancy(house, viewer.tenantId, async (tenancy) => {
      const card = await findBySerial(tenancy, serial)
      if (card === undefined) throw faultOfCall(call, 'unregistered')
      checkStatus(kind, card)
      return takeFor(tenancy, acting, { card, kind, plan: nothing })
    })
    try {
      await drive(acting, { found, taken, call, tell }, async (driving) => {
        await runStep(driving, { n: 6, name: moreSteps.revoke }, async () => {
          const failed = await revokeAll(acting, taken.cardId)
          if (failed !== undefined) throw new NotRevoked(failed)
        })
        await wipeCard(driving)
        await finish(driving, kind)
      })
      return { status: ends[kind].status }
    } catch (error) {
      if (error instanceof NotRevoked) return { status: taken.status, pkiError: error.message }
      throw error
    }
  })
}

const finish = (driving: Driving, kind: Kind): Promise<void> =>
  driving.house.work(driving.viewer.tenantId, actorOf(driving), async ({ tenancy, emitFor }) => {
    const { cardId, serial, operationId, fence } = driving
    if (!(await updateOperation(tenancy, { id: operationId, fence }, { state: 'done', error: '' }))) throw new CardFault('cardBusy')
    await endRecord(tenancy, { id: cardId })
    await updateCard(tenancy, cardId, { ...blank, status: ends[kind].status, read_at: tenancy.now })
    emitFor(smartcards)(ends[kind].event, { cardId, serial }, cardId)
  })

/** Of a card that is gone: nothing on it changes, and what is known of its keys is kept, should it come back. */
async function forget(acting: Acting, cardId: InputOf<typeof calls.clean>['card_id']): Promise<Ended> {
  const { house, viewer } = acting
  const call = calls.unregister
  const { card, fence } = await withTenancy(house, viewer.tenantId, async (tenancy) => {
    const row = await findNamed(tenancy, cardId)
    if (row === undefined) throw faultOfCall(call, 'unregistered')
    const began = await beginMove(tenancy, row.id)
    if ('refused' in began) throw faultOfCall(call, began.refused, { params: { status: began.status } })
    return { card: row, fence: began.fence }
  })
  const failed = await revokeAll(acting, card.id)
  if (failed !== undefined) return { status: card.status, pkiError: failed }
  await house.work(viewer.tenantId, actorOf(acting), async ({ tenancy, emitFor, afterCommit }) => {
    const refused = await endMove(tenancy, card.id, fence)
    if (refused !== undefined) throw faultOfCall(call, refused.refused, { params: { status: refused.status } })
    await endRecord(tenancy, card)
    await updateCard(tenancy, card.id, { ...blank, guid: card.guid, status: 'UNREGISTERED' })
    emitFor(smartcards)('unregistered', { cardId: card.id, serial: card.serial }, card.id)
    afterCommit(() => house.wake(smartcards.jobs.orphans))
  })
  return { status: 'UNREGISTERED' }
}

const unregister = (
  acting: Acting,
  { card_id: cardId, withoutCard }: InputOf<typeof calls.unregister>,
  tell: (step: Step) => void = () => {},
) => (withoutCard ? forget(acting, cardId) : wipe(acting, 'unregister', cardId, tell))

export const wipeHandlers: Pick<Handlers<typeof smartcards>, Kind> = {
  unregister: (input, { house, viewer, request: { address } }) => unregister({ house, viewer, address }, input),
  clean: ({ card_id: cardId }, { house, viewer, request: { address } }) => wipe({ house, viewer, address }, 'clean', cardId, () => {}),
}

export const unregisterStream: StreamHandlers<typeof smartcards>['unregister'] = async function* (
  input,
  { house, viewer, request: { address } },
) {
  if (viewer !== undefined) yield* streamed((tell) => unregister({ house, viewer, address }, input, tell))
}
