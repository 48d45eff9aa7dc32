// Issue and reissue of a card in a reader of the caller: to whom, by which template, and what stands in the way.

import { randomUUID } from 'node:crypto'
import { noVersion } from '#areas/questions/rules.ts'
import { findQuestions } from '#areas/questions/service.ts'
import { revokeByProtocol } from '#areas/revocation/protocols.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { findPerson } from '#areas/users/service.ts'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import { faultOfCall } from '#core/server/fault.ts'
import type { Handlers, StreamHandlers } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { verifyPin } from '#standards/piv/client.ts'
import { say } from '#standards/say/say.ts'
import { smartcards } from '../contract.ts'
import { issuableStatuses, standInReason } from '../rules.ts'
import { CardFault, findCard, readersOf, withCard } from './agents/readers.ts'
import { replaceRefusal, temporaryDaysOf } from './assigning.ts'
import { notePin, register } from './card-calls.ts'
import { drive, streamed, takeFor } from './driving.ts'
import { issueCard } from './engine/issue.ts'
import type { Step } from './engine/operation.ts'
import { guarded } from './guarded.ts'
import { keysLostFirst } from './keys-lost.ts'
import { findNamed, forCertificates, suspendCard } from './life.ts'
import { listCurrent } from './operation-store.ts'
import { actorOf, isBeyond, isDesk, mayHandle, type Acting } from './policy.ts'
import { findBySerial, findCardRow, findTemplateRow, lockCard, type CardRecord, type CardTemplateRecord, type Plan } from './store.ts'

const { calls } = smartcards
type Issued = OutputOf<typeof calls.issue>
type Tell = (step: Step) => void
const quiet: Tell = () => {}
const day = 86_400_000

type IssueInput = InputOf<typeof calls.issue>
const failIssue = (code: keyof typeof calls.issue.faults, params: Record<string, string> = {}) => faultOfCall(calls.issue, code, { params })

/** A template of cards whose certificates can be had now. */
export async function usableTemplate(tenancy: Tenancy, id: string): Promise<CardTemplateRecord | undefined> {
  const template = await findTemplateRow(tenancy, id)
  if (template === undefined || !template.enabled) return undefined
  for (const { templateId } of template.slots)
    if ((await findTemplate(tenancy.db, tenancy.tenantId, templateId, tenancy.now))?.enabled !== true) return undefined
  return template
}

function planFor(
  card: CardRecord,
  template: CardTemplateRecord,
  userId: string,
  expires: Date,
  standing?: { oldId: string; days?: number },
): Plan {
  return {
    cardTemplateId: template.id,
    userId,
    slots: template.slots,
    ...(template.attested ? { attested: true } : {}),
    // What a card without a number of its own is known by stays as it is.
    guid: card.kind === 'guid' ? card.serial.toLowerCase() : randomUUID(),
    expires: expires.toISOString(),
    ...(standing === undefined ? {} : { replacesId: standing.oldId }),
    ...(standing?.days === undefined ? {} : { days: standing.days }),
  }
}

function endOf(now: Date, months: number, days: number): Date {
  const byTemplate = new Date(now)
  byTemplate.setUTCMonth(byTemplate.getUTCMonth() + months)
  const byDays = new Date(now.getTime() + days * day)
  return days > 0 && byDays < byTemplate ? byDays : byTemplate
}

/** Why this person does not get this card by whoever asks. */
async function checkAsking(
  tenancy: Tenancy,
  { house, viewer }: Acting,
  card: CardRecord,
  userId: string,
  templateId: string,
): Promise<void> {
  if (!issuableStatuses.includes(card.status)) throw failIssue('notIssuable', { status: card.status })
  if (card.status === 'ASSIGNED' && card.holder_id !== userId) throw failIssue('assignedToOther')
  const isOthers = card.status === 'UNKNOWN' && card.holder_id !== null && card.holder_id !== userId
  if (isOthers && (await listCurrent(tenancy, [card.id])).length > 0) throw failIssue('notIssuable', { status: card.status })
  const isOwn = card.status === 'ASSIGNED' && card.holder_id === viewer.userId && card.card_template_id === templateId
  if (!isDesk(viewer) && !isOwn) throw failIssue('notYours')
  const person = await findPerson(tenancy.db, tenancy.tenantId, userId)
  if (person === undefined || !person.enabled) throw failIssue('unknownPerson')
  if (await isBeyond(house, tenancy, viewer, userId)) throw failIssue('beyond')
  if (userId !== viewer.userId || (await findTenancy(tenancy.db, tenancy.tenantId))?.requireSecretQuestions !== true) return
  if ((await findQuestions(tenancy.db, tenancy.tenantId, userId)).version === noVersion) throw failIssue('questionsFirst')
}

type Standing = { oldId: string; days: number }

/** What the card stands for goes on hold first, so that never are both good at once. */
async function holdOld(acting: Acting, { oldId }: Standing, cardId: string): Promise<{ holderId: string; fence: string }> {
  const { house, viewer } = acting
  const old = await withTenancy(house, viewer.tenantId, async (tenancy) => {
    const row = await findCardRow(tenancy, oldId)
    if (row === undefined) throw failIssue('noOldCard')
    const unfit = await replaceRefusal(tenancy, row, cardId)
    if (unfit !== undefined) throw failIssue(unfit.refused, { serial: unfit.serial })
    return row
  })
  if (old.status === 'ISSUED') {
    const moved = await suspendCard(acting, old, standInReason)
    if ('refused' in moved) throw failIssue('notHeld', { reason: '' })
    if (moved.certRevokeError !== undefined) throw failIssue('notHeld', { reason: moved.certRevokeError })
  }
  const now = await withTenancy(house, viewer.tenantId, (tenancy) => findCardRow(tenancy, oldId))
  return { holderId: old.holder_id ?? '', fence: now?.fence ?? '' }
}

/** Locks the card that is stood for first, as an assignment does. It may be on its way back into use since it was put on hold. */
async function checkHeld(tenancy: Tenancy, { oldId, fence }: { oldId: string; fence: string }): Promise<void> {
  const old = await lockCard(tenancy, oldId)
  if (old?.status !== 'SUSPENDED' || old.fence !== fence) throw new CardFault('cardBusy')
}

export async function issue(
  acting: Acting,
  { card_id: cardId, cardTemplateId, user_ids: [userId = ''], new_pin: pin }: IssueInput,
  tell: Tell = quiet,
  asked?: Standing,
): Promise<Issued> {
  const { house, viewer } = acting
  return guarded(calls.issue, async () => {
    const found = await findCard(house, viewer.userId, cardId)
    const { serial } = found.identity
    const before = await withTenancy(house, viewer.tenantId, async (tenancy) => {
      const row = await findBySerial(tenancy, serial)
      if (row === undefined) throw failIssue('unregistered')
      await checkAsking(tenancy, acting, row, userId, cardTemplateId)
      return row
    })
    const isStandIn = before.status === 'ASSIGNED' && before.replaces_id !== null
    const standing = asked ?? (isStandIn ? { oldId: before.replaces_id ?? '', days: before.temporary_days ?? 0 } : undefined)
    const held = standing === undefined ? undefined : { oldId: standing.oldId, ...(await holdOld(acting, standing, before.id)) }
    if (held !== undefined && held.holderId !== userId) throw failIssue('assignedToOther')
    const taken = await house.work(viewer.tenantId, actorOf(acting), async ({ tenancy, emitFor }) => {
      if (held !== undefined) await checkHeld(tenancy, held)
      const row = await findBySerial(tenancy, serial)
      if (row === undefined) throw failIssue('unregistered')
      await checkAsking(tenancy, acting, row, userId, cardTemplateId)
      const template = await usableTemplate(tenancy, cardTemplateId)
      if (template === undefined) throw failIssue('unknownTemplate')
      const plan = planFor(row, template, userId, endOf(tenancy.now, template.validity_months, standing?.days ?? 0), standing)
      return takeFor(tenancy, acting, { card: row, kind: 'issue', plan }, (operationId) =>
        emitFor(smartcards)('issueBegan', { cardId: row.id, serial, userId, operationId }, row.id),
      )
    })
    return drive(acting, { found, taken, call: calls.issue, tell }, async (driving) => ({
      cardId: taken.cardId,
      operationId: taken.operationId,
      certificateIds: await issueCard(driving, pin, { keepsPin: false }),
    }))
  })
}

async function issueTemporary(
  acting: Acting,
  { card_request: asked, old_card_id: oldCardId }: InputOf<typeof calls.issueTemporary>,
  tell: Tell = quiet,
): Promise<Issued> {
  const { card_id, cardTemplateId, new_pin } = asked
  const { old, days } = await withTenancy(acting.house, acting.viewer.tenantId, async (tenancy) => ({
    old: await findNamed(tenancy, oldCardId),
    days: await temporaryDaysOf(tenancy, asked.validity_duration),
  }))
  if (old === undefined) throw failIssue('noOldCard')
  if (old.holder_id === null) throw failIssue('notReplaceable')
  return issue(acting, { card_id, cardTemplateId, user_ids: [old.holder_id], new_pin }, tell, { oldId: old.id, days })
}

async function issueVirtual(acting: Acting, input: InputOf<typeof calls.issueVirtual>): Promise<Issued> {
  const { house, viewer } = acting
  const readers = await guarded(calls.issueVirtual, () => readersOf(house, viewer.userId))
  const wanted = input.card_id.readerName ?? input.card_id.reader_name
  const reader = readers.find((one) => one.reader.isVirtual && one.reader.atr !== '' && (wanted ?? one.reader.name) === one.reader.name)
  if (reader === undefined) throw faultOfCall(calls.issueVirtual, 'noVirtual')
  const card_id = { readerName: reader.reader.name }
  const { identity } = await guarded(calls.issueVirtual, () => findCard(house, viewer.userId, card_id))
  const known = await withTenancy(house, viewer.tenantId, (tenancy) => findBySerial(tenancy, identity.serial))
  if (known === undefined || known.status === 'UNREGISTERED') await register(acting, card_id)
  return issue(acting, { ...input, card_id })
}

async function reissue(
  acting: Acting,
  { card_id: cardId, card_pin: pin, forceRevoke, replaceNow }: InputOf<typeof calls.reissue>,
  tell: Tell = quiet,
): Promise<Issued> {
  const { house, viewer, address } = acting
  const call = calls.reissue
  const fail = (code: keyof typeof call.faults, params: Record<string, string | number> = {}) => faultOfCall(call, code, { params })
  return guarded(call, async () => {
    const found = await findCard(house, viewer.userId, cardId)
    const { serial } = found.identity
    const check = async (tenancy: Tenancy): Promise<{ card: CardRecord; userId: string }> => {
      const card = await findBySerial(tenancy, serial)
      if (card === undefined) throw fail('unregistered')
      if (!mayHandle(viewer, card)) throw fail('notYours')
      if (card.status !== 'ISSUED' || card.holder_id === null) throw fail('wrongStatus', { status: card.status })
      if (await isBeyond(house, tenancy, viewer, card.holder_id)) throw fail('beyond')
      if (card.expires_at !== null && card.expires_at <= tenancy.now)
        throw fail('cardOver', { day: card.expires_at.toISOString().slice(0, 10) })
      return { card, userId: card.holder_id }
    }
    await withTenancy(house, viewer.tenantId, check)
    const tries = await withCard(found, { says: say`Checking the PIN`, expected: serial }, (card) => verifyPin(card, pin))
    await notePin(acting, serial, tries)
    if (!tries.ok) throw fail(tries.left === 0 ? 'pinBlocked' : 'wrongPin')
    const taken = await house.work(viewer.tenantId, actorOf(acting), async ({ tenancy, emitFor }) => {
      const { card, userId } = await check(tenancy)
      const template = await usableTemplate(tenancy, card.next_template_id ?? card.card_template_id ?? '')
      if (template === undefined) throw fail('unknownTemplate')
      const lost = replaceNow ? [] : await keysLostFirst(tenancy, viewer, card, template)
      if (lost.length > 0) throw fail('replacesNow', { slots: lost.join(', ') })
      // The card keeps its own end: it is not made younger by new certificates.
      const plan = planFor(
        card,
        template,
        userId,
        card.expires_at ?? endOf(tenancy.now, template.validity_months, 0),
        card.replaces_id === null ? undefined : { oldId: card.replaces_id },
      )
      return takeFor(tenancy, acting, { card, kind: 'reissue', plan }, (operationId) =>
        emitFor(smartcards)('reissueBegan', { cardId: card.id, serial, userId, operationId }, card.id),
      )
    })
    const revokeBefore = async () => {
      // What this operation has made on an earlier try stays good.
      const failed = await forCertificates(
        acting,
        taken.cardId,
        (order) => revokeByProtocol(house, { ...order, reason: 'superseded', address }),
        listCurrent,
      )
      if (failed !== undefined) throw fail('notRevoked', { reason: failed })
    }
    return drive(acting, { found, taken, call, tell }, async (driving) => ({
      cardId: taken.cardId,
      operationId: taken.operationId,
      certificateIds: await issueCard(driving, pin, { keepsPin: true, ...(forceRevoke ? { before: revokeBefore } : {}) }),
    }))
  })
}

export const issueHandlers: Pick<Handlers<typeof smartcards>, 'issue' | 'issueTemporary' | 'issueVirtual' | 'reissue'> = {
  issue: (input, { house, viewer, request: { address } }) => issue({ house, viewer, address }, input),
  issueTemporary: (input, { house, viewer, request: { address } }) => issueTemporary({ house, viewer, address }, input),
  issueVirtual: (input, { house, viewer, request: { address } }) => issueVirtual({ house, viewer, address }, input),
  reissue: (input, { house, viewer, request: { address } }) => reissue({ house, viewer, address }, input),
}

export const issueStreams: Pick<StreamHandlers<typeof smartcards>, 'issue' | 'issueTemporary' | 'reissue'> = {
  async *issue(input, { house, viewer, request: { address } }) {
    if (viewer !== undefined) yield* streamed((tell) => issue({ house, viewer, address }, input, tell))
  },
  async *issueTemporary(input, { house, viewer, request: { address } }) {
    if (viewer !== undefined) yield* streamed((tell) => issueTemporary({ house, viewer, address }, input, tell))
  },
  async *reissue(input, { house, viewer, request: { address } }) {
    if (viewer !== undefined) yield* streamed((tell) => reissue({ house, viewer, address }, input, tell))
  },
}
