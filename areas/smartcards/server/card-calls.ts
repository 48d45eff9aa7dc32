// What is done with a card in a reader of the caller.

import { randomUUID } from 'node:crypto'
import { revokeByProtocol } from '#areas/revocation/protocols.ts'
import { beyondInRoles, rolesOf } from '#areas/roles/service.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { findPerson } from '#areas/users/service.ts'
import { Fault, faultOfCall } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Handlers, StreamHandlers, Viewer } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { changePin, managementAlgorithm, readObject, resetPin, verifyPin, type Tries } from '#standards/piv/client.ts'
import { objects, slots } from '#standards/piv/identifiers.ts'
import { parseCertificate, parseChuid } from '#standards/piv/objects.ts'
import { smartcards } from '../contract.ts'
import { issuableStatuses } from '../rules.ts'
import type { CardId } from '../shapes.ts'
import { findCard, withCard } from './agents/readers.ts'
import { KeyNotTaken, PukUnknown } from './engine/access.ts'
import { issueCard } from './engine/issue.ts'
import { reasonOf, stepsDone, takeCard, type Driving, type Step } from './engine/operation.ts'
import { pukCandidates } from './engine/secrets.ts'
import { faultOfCard, guarded } from './guarded.ts'
import { findUnfinished, listCurrent, updateOperation } from './operation-store.ts'
import { findBySerial, findTemplateRow, insertCard, lockCard, updateCard, updateFenced, type CardRecord, type Plan } from './store.ts'

type Acting = { house: House; viewer: Viewer; address: string }
const actorOf = ({ viewer, address }: Acting) => ({ userId: viewer.userId, name: viewer.username, address })

export async function register(acting: Acting, cardId: CardId): Promise<{ cardId: string; serial: string; status: 'REGISTERED' }> {
  const { house, viewer } = acting
  const call = smartcards.calls.register
  return guarded(call, async () => {
    const found = await findCard(house, viewer.userId, cardId)
    const read = await withCard(
      found,
      { says: `Registering the card (${viewer.username})`, expected: found.identity.serial },
      async (card, identity) => {
        const chuid = await readObject(card, objects.chuid).catch(() => undefined)
        return {
          ...identity,
          guid: chuid === undefined ? '' : guidOf(chuid),
          algorithm: (await managementAlgorithm(card)) ?? '',
        }
      },
    )
    const id = randomUUID()
    await house.work(viewer.tenantId, actorOf(acting), async ({ tenancy, emitFor }) => {
      const isNew = await insertCard(tenancy, {
        id,
        serial: read.serial,
        atr: found.reader.atr,
        guid: '',
        kind: read.kind,
        firmware: read.firmware ?? '',
        status: 'REGISTERED',
        holder_id: null,
        card_template_id: null,
        management_algorithm: read.algorithm,
        key_version: 0,
        key_next: null,
        puk_sealed: null,
        puk_key_id: null,
        puk_next_sealed: null,
        puk_next_key_id: null,
        fence: '0',
        expires_at: null,
        read_at: tenancy.now,
        added_at: tenancy.now,
      })
      if (!isNew) throw faultOfCall(call, 'alreadyRegistered')
      emitFor(smartcards)('registered', { cardId: id, serial: read.serial }, id)
    })
    return { cardId: id, serial: read.serial, status: 'REGISTERED' as const }
  })
}

function guidOf(chuid: Uint8Array): string {
  try {
    return Buffer.from(parseChuid(chuid).guid).toString('hex')
  } catch {
    // What another made may be anything.
    return ''
  }
}

/** Tells whether the person holds more than the caller, who may not act in their name then. */
const isBeyond = async ({ db, tenantId }: Tenancy, viewer: Viewer, userId: string): Promise<boolean> =>
  userId !== viewer.userId && beyondInRoles(await rolesOf(db, tenantId, userId), viewer.permission).length > 0

type IssueInput = { card_id: CardId; cardTemplateId: string; user_ids: string[]; new_pin: string }

export async function issue(
  acting: Acting,
  { card_id: cardId, cardTemplateId, user_ids: [userId = ''], new_pin: pin }: IssueInput,
  tell: (step: Step) => void = () => {},
): Promise<{ cardId: string; operationId: string; certificateIds: string[] }> {
  const { house, viewer, address } = acting
  const call = smartcards.calls.issue
  const fail = (code: keyof typeof call.faults, params: Record<string, string> = {}) => faultOfCall(call, code, { params })
  return guarded(call, async () => {
    const found = await findCard(house, viewer.userId, cardId)
    const { serial } = found.identity
    const { card, operation, done } = await house.work(viewer.tenantId, actorOf(acting), async ({ tenancy, emitFor }) => {
      const row = await findBySerial(tenancy, serial)
      if (row === undefined) throw fail('unregistered')
      if (!issuableStatuses.includes(row.status)) throw fail('notIssuable', { status: row.status })
      const person = await findPerson(tenancy.db, viewer.tenantId, userId)
      if (person === undefined || !person.enabled) throw fail('unknownPerson')
      if (await isBeyond(tenancy, viewer, userId)) throw fail('beyond')
      const template = await findTemplateRow(tenancy, cardTemplateId)
      if (template === undefined || !template.enabled) throw fail('unknownTemplate')
      for (const { templateId } of template.slots) {
        const certificateTemplate = await findTemplate(tenancy.db, viewer.tenantId, templateId, tenancy.now)
        if (certificateTemplate === undefined || !certificateTemplate.enabled) throw fail('unknownTemplate')
      }
      const expires = new Date(tenancy.now)
      expires.setUTCMonth(expires.getUTCMonth() + template.validity_months)
      // What a card without a number of its own is known by stays as it is.
      const guid = row.kind === 'guid' ? row.serial.toLowerCase() : randomUUID()
      const plan: Plan = { cardTemplateId, userId, slots: template.slots, guid, expires: expires.toISOString() }
      const taken = await takeCard(tenancy, { card: row, plan, viewer })
      if (taken === undefined) throw fail('cardBusy')
      if (taken.isNew) emitFor(smartcards)('issueBegan', { cardId: row.id, serial, userId, operationId: taken.operation.id }, row.id)
      return { card: row, operation: taken.operation, done: await stepsDone(tenancy, taken.operation.id) }
    })
    const driving: Driving = {
      house,
      viewer,
      address,
      found,
      cardId: card.id,
      serial,
      operationId: operation.id,
      fence: operation.fence,
      plan: operation.plan,
      done,
      tell,
    }
    try {
      return { cardId: card.id, operationId: operation.id, certificateIds: await issueCard(driving, pin) }
    } catch (error) {
      await stop(driving, error)
      throw error
    }
  })
}

/** Writes why an operation stopped. What the card has may be unknown then, and its status says so. */
async function stop(driving: Driving, error: unknown): Promise<void> {
  const fault = faultOfCard(smartcards.calls.issue, error)
  const isWaiting = fault instanceof Fault && fault.code === 'waitsForApproval'
  const isUnknown = error instanceof KeyNotTaken || error instanceof PukUnknown
  await withTenancy(driving.house, driving.viewer.tenantId, async (tenancy) => {
    const says = fault instanceof Fault ? fault.message : reasonOf(fault)
    await updateOperation(
      tenancy,
      { id: driving.operationId, fence: driving.fence },
      { state: isWaiting ? 'waiting' : 'failed', error: says, lease_until: tenancy.now },
    )
    if (isUnknown) await updateFenced(tenancy, driving.cardId, driving.fence, { status: 'UNKNOWN' })
  }).catch((failure: unknown) => driving.house.log.error({ error: failure }, 'why an operation with a card stopped was not written'))
}

/** A wrong one has cost the card a try. */
function refuseWrongPin(call: typeof smartcards.calls.changePin | typeof smartcards.calls.checkPin, tries: Tries): void {
  if (!tries.ok) throw faultOfCall(call, tries.left === 0 ? 'pinBlocked' : 'wrongPin', { params: { left: tries.left } })
}

async function registeredCard({ house, viewer }: Acting, cardId: CardId, missing: () => unknown): Promise<CardRecord> {
  const row =
    cardId.serial === undefined
      ? undefined
      : await withTenancy(house, viewer.tenantId, (tenancy) => findBySerial(tenancy, cardId.serial ?? ''))
  if (row === undefined) throw missing()
  return row
}

async function unblock(acting: Acting, { card_id: cardId, new_pin: pin }: { card_id: CardId; new_pin: string }): Promise<void> {
  const { house, viewer } = acting
  const call = smartcards.calls.unblock
  const found = await findCard(house, viewer.userId, cardId)
  const { serial } = found.identity
  const card = await registeredCard(acting, { serial }, () => faultOfCall(call, 'unregistered'))
  const { next, current } = await withTenancy(house, viewer.tenantId, async (tenancy) => {
    if (card.holder_id !== null && (await isBeyond(tenancy, viewer, card.holder_id))) throw faultOfCall(call, 'beyond')
    return pukCandidates(house, tenancy, card)
  })
  const puks = [current, next].flatMap((puk) => puk ?? [])
  // While one is being set it cannot be told which the card has: the issue finds out first.
  const [puk] = puks
  if (puk === undefined || puks.length > 1) throw faultOfCall(call, 'noPuk')
  await withCard(found, { says: `Unblocking the card (${viewer.username})`, expected: serial }, async (one) => {
    if (!(await resetPin(one, { puk, pin })).ok) throw faultOfCall(call, 'pukUnknown')
  })
  await house.work(viewer.tenantId, actorOf(acting), async ({ emitFor }) =>
    emitFor(smartcards)('unblocked', { cardId: card.id, serial }, card.id),
  )
}

type Reason = 'keyCompromise' | 'cessationOfOperation' | 'superseded' | 'affiliationChanged'

async function revoke(acting: Acting, cardId: CardId, reason: Reason) {
  const { house, viewer, address } = acting
  const { tenantId } = viewer
  const call = smartcards.calls.revoke
  const card = await registeredCard(acting, cardId, () => faultOfCall(call, 'unregistered'))
  const current = await withTenancy(house, tenantId, async (tenancy) => {
    const unfinished = await findUnfinished(tenancy, card.id)
    if (unfinished?.state === 'running' && unfinished.lease_until > tenancy.now) throw faultOfCall(call, 'cardBusy')
    return listCurrent(tenancy, [card.id])
  })
  const failed: string[] = []
  for (const { slot, certificate_id: certificateId } of current) {
    if (certificateId === null) continue
    const outcome = await revokeByProtocol(house, {
      tenantId,
      certificateId,
      reason,
      by: `Card desk: ${viewer.username}`,
      address,
      actorId: viewer.userId,
    })
    if (outcome !== 'revoked' && outcome !== 'alreadyRevoked')
      failed.push(`${slot}: ${outcome === 'waiting' || outcome === 'alreadyPending' ? 'others must agree first' : outcome}`)
  }
  if (failed.length > 0) return { status: card.status, certRevokeError: failed.join('; ') }
  await house.work(tenantId, actorOf(acting), async ({ tenancy, emitFor }) => {
    await lockCard(tenancy, card.id)
    await updateCard(tenancy, card.id, { status: 'REVOKED' })
    emitFor(smartcards)('revoked', { cardId: card.id, serial: card.serial, reason }, card.id)
  })
  return { status: 'REVOKED' as const }
}

type CardCalls = 'register' | 'issue' | 'changePin' | 'checkPin' | 'unblock' | 'revoke' | 'certificateStore'

export const cardCalls: Pick<Handlers<typeof smartcards>, CardCalls> = {
  register: ({ card_id: cardId }, { house, viewer, request: { address } }) => register({ house, viewer, address }, cardId),

  issue: (input, { house, viewer, request: { address } }) => issue({ house, viewer, address }, input),

  async changePin({ card_id: cardId, old_pin: before, new_pin: after }, { house, viewer, request: { address } }) {
    const call = smartcards.calls.changePin
    if (before === after) throw faultOfCall(call, 'samePin')
    return guarded(call, async () => {
      const found = await findCard(house, viewer.userId, cardId)
      const { serial } = found.identity
      const tries = await withCard(found, { says: 'Changing the PIN', expected: serial }, (card) => changePin(card, { before, after }))
      refuseWrongPin(call, tries)
      await house.work(viewer.tenantId, actorOf({ house, viewer, address }), async ({ emitFor }) =>
        emitFor(smartcards)('pinChanged', { serial }, serial),
      )
      return {}
    })
  },

  async checkPin({ card_id: cardId, pin }, { house, viewer }) {
    const call = smartcards.calls.checkPin
    return guarded(call, async () => {
      const found = await findCard(house, viewer.userId, cardId)
      const expected = found.identity.serial
      refuseWrongPin(call, await withCard(found, { says: 'Checking the PIN', expected }, (card) => verifyPin(card, pin)))
      return {}
    })
  },

  async unblock(input, { house, viewer, request: { address } }) {
    await guarded(smartcards.calls.unblock, () => unblock({ house, viewer, address }, input))
    return {}
  },

  revoke: ({ card_id: cardId, reason }, { house, viewer, request: { address } }) => revoke({ house, viewer, address }, cardId, reason),

  async certificateStore({ serial, readerName }, { house, viewer }) {
    return guarded(smartcards.calls.certificateStore, async () => {
      const found = await findCard(house, viewer.userId, {
        ...(serial === undefined ? {} : { serial }),
        ...(readerName === undefined ? {} : { readerName }),
      })
      return withCard(found, { says: 'Reading certificates', expected: found.identity.serial }, async (card) => {
        const certificates: { slot: string; pem: string }[] = []
        for (const { name, object } of slots.slice(0, 4)) {
          const content = await readObject(card, object)
          if (content !== undefined) certificates.push({ slot: name, pem: encodePem('CERTIFICATE', parseCertificate(content)) })
        }
        return { certificates }
      })
    })
  },
}

/** Gives what happens while work goes on, one after another, then what came of it. */
async function* following<E, T>(work: (tell: (event: E) => void) => Promise<T>): AsyncGenerator<E, T> {
  const waiting: (E | 'over')[] = []
  let news = Promise.withResolvers<void>()
  const put = (event: E | 'over') => {
    waiting.push(event)
    news.resolve()
  }
  const working = work(put).finally(() => put('over'))
  // It is awaited below; until then its failure is nobody's.
  working.catch(() => {})
  for (;;) {
    await news.promise
    news = Promise.withResolvers()
    for (const event of waiting.splice(0)) {
      if (event === 'over') return working
      yield event
    }
  }
}

/** What goes on goes on although nobody looks: the card is not left in the middle because a page was closed. */
export const cardStreams: Pick<StreamHandlers<typeof smartcards>, 'register' | 'issue'> = {
  async *register({ card_id: cardId }, { house, viewer, request: { address } }) {
    if (viewer === undefined) return
    yield { step: { n: 1, name: 'Read the card', state: 'running' } }
    const { cardId: id } = await register({ house, viewer, address }, cardId)
    yield { step: { n: 1, name: 'Read the card', state: 'done' } }
    yield { done: { cardId: id, says: 'Registered Smartcard' } }
  },

  async *issue(input, { house, viewer, request: { address } }) {
    if (viewer === undefined) return
    const steps = following<Step, Awaited<ReturnType<typeof issue>>>((tell) => issue({ house, viewer, address }, input, tell))
    for (;;) {
      const next = await steps.next()
      if (next.done === true) {
        yield { done: next.value }
        return
      }
      yield { step: next.value }
    }
  },
}
