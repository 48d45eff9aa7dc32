// Calls of a card's life that need no reader.

import { findCertificates } from '#areas/certificates/service.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { faultOfCall } from '#core/server/fault.ts'
import type { Handlers } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { smartcards } from '../contract.ts'
import type { CardStatus } from '../rules.ts'
import type { CardId } from '../shapes.ts'
import { findCard } from './agents/readers.ts'
import { assignCard, replaceRefusal, temporaryDaysOf, unassignCard } from './assigning.ts'
import { guarded } from './guarded.ts'
import { countByFirmware, countByStatus, countEnds, findSettings, listOfHolder, listReplacing, putSettings } from './life-store.ts'
import { findNamed, reportLost, resumeCard, revokeCard, suspendCard, type Moved } from './life.ts'
import { countUnfinished, listCurrent } from './operation-store.ts'
import { isBeyond, isDesk, mayHandle, type Acting } from './policy.ts'
import { presentCards } from './presenter.ts'
import { findCardRow, findTemplateRow, lockCard, pageOfCards, updateCard, type CardRecord } from './store.ts'

const { calls } = smartcards
const day = 86_400_000
const soonDays = 30
/** Before it the random numbers of RSA keys, and later the nonces of ECDSA, could be found out (CVE-2017-15361, CVE-2024-45678). */
const strongFirmware = [5, 7]

export const isWeakFirmware = (firmware: string): boolean => {
  const [major = 0, minor = 0] = firmware.split('.').map(Number)
  const [strongMajor = 0, strongMinor = 0] = strongFirmware
  return firmware !== '' && (major < strongMajor || (major === strongMajor && minor < strongMinor))
}

type MovingCall = typeof calls.suspend | typeof calls.resume | typeof calls.lost | typeof calls.revoke
type NamingCall = MovingCall | typeof calls.assign | typeof calls.unassign | typeof calls.assignTemporary

async function named(acting: Acting, call: MovingCall, cardId: CardId, own = false): Promise<CardRecord> {
  const serial = await withSerial(acting, call, cardId)
  const card = await withTenancy(acting.house, acting.viewer.tenantId, (tenancy) => findNamed(tenancy, serial))
  // Somebody else's card is not there for who may not manage cards.
  if (card === undefined || (own && !mayHandle(acting.viewer, card))) throw faultOfCall(call, 'unregistered')
  return card
}

/** Asks the card in the reader who it is, where its reader alone is named. */
async function withSerial(
  { house, viewer }: Pick<Acting, 'house' | 'viewer'>,
  call: NamingCall,
  cardId: CardId,
): Promise<{ serial?: string | undefined }> {
  const reader = cardId.readerName ?? cardId.reader_name
  if (reader === undefined || (cardId.serial ?? '') !== '') return cardId
  return (await guarded(call, () => findCard(house, viewer.userId, { readerName: reader }))).identity
}

function answerOf(call: MovingCall, moved: Moved): { status: CardStatus; certRevokeError?: string } {
  if ('refused' in moved) throw faultOfCall(call, moved.refused, { params: { status: moved.status } })
  return moved
}

type LifeCalls =
  | 'assign'
  | 'unassign'
  | 'assignTemporary'
  | 'suspend'
  | 'resume'
  | 'lost'
  | 'revoke'
  | 'edit'
  | 'temporaryConfiguration'
  | 'changeTemporaryConfiguration'
  | 'replacedBy'
  | 'replaces'
  | 'ofPerson'
  | 'mine'
  | 'suspensions'
  | 'report'

async function cardsOf(tenancy: Tenancy, userId: string): Promise<OutputOf<typeof calls.mine>['smartcards']> {
  const rows = await listOfHolder(tenancy, userId)
  const shown = await presentCards(tenancy, rows)
  return rows.map(({ id, serial, status, extensions, temporary, card_template_id: cardTemplateId, ...row }, at) => ({
    id,
    serialNumber: serial,
    status: status.toLowerCase(),
    pinBlocked: row.pin_left === 0,
    ...(cardTemplateId === null ? {} : { cardTemplateId }),
    certificates: shown[at]?.certificates ?? 0,
    hasPassphrase: row.passphrase_hash !== null,
    ...(row.expires_at === null ? {} : { expires: row.expires_at.toISOString() }),
    cardTemplateName: shown[at]?.cardTemplateName ?? '',
    extensions: { ...extensions, temporary_card: temporary },
  }))
}

export const lifeHandlers: Pick<Handlers<typeof smartcards>, LifeCalls> = {
  async assign({ card_id: cardId, user_id: userId, card_template_id: cardTemplateId, extensions }, { house, viewer, transact, fault }) {
    const serial = await withSerial({ house, viewer }, calls.assign, cardId)
    return transact(async ({ tenancy, emit }) => {
      const card = (await findNamed(tenancy, serial)) ?? fault('unregistered')
      const refused = await assignCard(house, tenancy, viewer, { cardId: card.id, userId, cardTemplateId, extensions })
      if (refused !== undefined) fault(refused.refused, { params: { status: refused.status } })
      emit('assigned', { cardId: card.id, serial: card.serial, userId }, card.id)
      return { cardId: card.id, status: 'ASSIGNED' as const }
    })
  },

  async unassign({ card_id: cardId }, { house, viewer, transact, fault }) {
    const serial = await withSerial({ house, viewer }, calls.unassign, cardId)
    return transact(async ({ tenancy, emit }) => {
      const card = (await findNamed(tenancy, serial)) ?? fault('unregistered')
      const refused = await unassignCard(tenancy, card.id)
      if (refused !== undefined) fault('wrongStatus', { params: { status: refused.status } })
      emit('unassigned', { cardId: card.id, serial: card.serial }, card.id)
      return { cardId: card.id, status: 'REGISTERED' as const }
    })
  },

  async assignTemporary({ card_request: asked, old_card_id: oldCardId }, { house, viewer, transact, fault }) {
    const serial = await withSerial({ house, viewer }, calls.assignTemporary, asked.card_id)
    return transact(async ({ tenancy, emit }) => {
      const card = (await findNamed(tenancy, serial)) ?? fault('unregistered')
      const old = (await findNamed(tenancy, oldCardId)) ?? fault('noOldCard')
      const locked = (await lockCard(tenancy, old.id)) ?? fault('noOldCard')
      const unfit = await replaceRefusal(tenancy, locked, card.id)
      if (unfit !== undefined) fault(unfit.refused, { params: { serial: unfit.serial } })
      const days = await temporaryDaysOf(tenancy, asked.validity_duration)
      const userId = locked.holder_id ?? fault('notReplaceable')
      const refused = await assignCard(
        house,
        tenancy,
        viewer,
        { cardId: card.id, userId, cardTemplateId: asked.card_template_id, extensions: asked.extensions },
        { replacesId: old.id, days },
      )
      if (refused !== undefined) fault(refused.refused, { params: { status: refused.status } })
      emit('assigned', { cardId: card.id, serial: card.serial, userId }, card.id)
      return { cardId: card.id, status: 'ASSIGNED' as const }
    })
  },

  async suspend({ card_id: cardId, reason }, { house, viewer, request: { address } }) {
    const acting = { house, viewer, address }
    return answerOf(calls.suspend, await suspendCard(acting, await named(acting, calls.suspend, cardId), reason))
  },

  async resume({ card_id: cardId }, { house, viewer, request: { address } }) {
    const acting = { house, viewer, address }
    const card = await named(acting, calls.resume, cardId)
    const holder = card.holder_id
    // It makes certificates good again, in the name of their holder.
    if (holder !== null && (await withTenancy(house, viewer.tenantId, (tenancy) => isBeyond(house, tenancy, viewer, holder))))
      throw faultOfCall(calls.resume, 'beyond')
    return answerOf(calls.resume, await resumeCard(acting, card))
  },

  async lost({ card_id: cardId }, { house, viewer, request: { address } }) {
    const acting = { house, viewer, address }
    return answerOf(calls.lost, await reportLost(acting, await named(acting, calls.lost, cardId, true)))
  },

  async revoke({ card_id: cardId, reason }, { house, viewer, request: { address } }) {
    const acting = { house, viewer, address }
    return answerOf(calls.revoke, await revokeCard(acting, await named(acting, calls.revoke, cardId), reason))
  },

  async edit({ id, label, custody, nextTemplateId, expires }, { tenancy, viewer, house, emit, fault }) {
    const card = (await lockCard(tenancy, id)) ?? fault('missing')
    const end = expires === undefined ? undefined : new Date(expires)
    if (end !== undefined && (card.expires_at === null || end > card.expires_at)) fault('later')
    const isTemplateNew = (nextTemplateId ?? null) !== card.next_template_id
    // Both reach certificates: which the person gets next, and when those of a temporary card are revoked.
    if (isTemplateNew || (card.temporary && end !== undefined)) {
      if (!isDesk(viewer)) fault('notManager')
      if (card.holder_id !== null && (await isBeyond(house, tenancy, viewer, card.holder_id))) fault('beyond')
    }
    if (isTemplateNew && nextTemplateId !== undefined && (await findTemplateRow(tenancy, nextTemplateId))?.enabled !== true)
      fault('unknownTemplate')
    await updateCard(tenancy, id, {
      label,
      custody,
      next_template_id: nextTemplateId ?? null,
      ...(end === undefined ? {} : { expires_at: end }),
    })
    emit('edited', { cardId: id, serial: card.serial }, id)
    return {}
  },

  async temporaryConfiguration(_input, { tenancy }) {
    const found = await findSettings(tenancy)
    return { defaultDuration: found?.temporary_days ?? 0, unlimitedIsDefault: found?.unlimited_is_default ?? true }
  },

  async changeTemporaryConfiguration({ defaultDuration, unlimitedIsDefault }, { tenancy, emit }) {
    await putSettings(tenancy, { temporary_days: defaultDuration, unlimited_is_default: unlimitedIsDefault })
    emit('temporaryDefaultChanged', { days: unlimitedIsDefault ? 0 : defaultDuration })
    return {}
  },

  async replacedBy({ smartcard_id: id }, { tenancy, fault }) {
    if ((await findCardRow(tenancy, id)) === undefined) fault('missing')
    const [smartcard] = await presentCards(tenancy, (await listReplacing(tenancy, id)).slice(-1))
    return smartcard === undefined ? {} : { smartcard }
  },

  async replaces({ smartcard_id: id }, { tenancy, fault }) {
    const card = (await findCardRow(tenancy, id)) ?? fault('missing')
    const old = card.replaces_id === null ? undefined : await findCardRow(tenancy, card.replaces_id)
    const [smartcard] = await presentCards(tenancy, old === undefined ? [] : [old])
    return smartcard === undefined ? {} : { smartcard }
  },

  async ofPerson({ userId }, { tenancy, viewer, fault }) {
    if (userId !== viewer.userId && !viewer.permission.api.includes('smartcardReqView'))
      fault('denied', { params: { permission: 'smartcardReqView' } })
    const smartcards = await cardsOf(tenancy, userId)
    return smartcards.length === 0 ? fault('none') : { smartcards }
  },

  mine: async (_input, { tenancy, viewer }) => ({ smartcards: await cardsOf(tenancy, viewer.userId) }),

  async suspensions(question, { tenancy }) {
    const { rows, total } = await pageOfCards(tenancy, { ...question, status: ['SUSPENDED'], holders: [] })
    const shown = await presentCards(tenancy, rows)
    const slots = await listCurrent(
      tenancy,
      rows.map(({ id }) => id),
    )
    const certificates = await findCertificates(
      tenancy.db,
      tenancy.tenantId,
      slots.flatMap(({ certificate_id: id }) => id ?? []),
      tenancy.now,
    )
    const answered = []
    for (const [at, row] of rows.entries()) {
      const [one] = shown.slice(at, at + 1)
      if (one === undefined) continue
      const own = slots.filter(({ card_id: cardId }) => cardId === row.id)
      answered.push({
        ...one,
        ...(row.suspended_at === null ? {} : { suspendedAt: row.suspended_at.toISOString() }),
        suspendedBy: row.suspended_by,
        reason: row.suspend_reason,
        held: own.filter(({ certificate_id: id }) => certificates.get(id ?? '')?.revoked?.reason === 'certificateHold').length,
        replacedBy: (await listReplacing(tenancy, row.id))[0]?.serial ?? '',
      })
    }
    return { rows: answered, total }
  },

  async report(_input, { tenancy }) {
    const byStatus = await countByStatus(tenancy)
    const { over, expiring, temporary } = await countEnds(tenancy, new Date(tenancy.now.getTime() + soonDays * day))
    const weak = (await countByFirmware(tenancy)).filter(({ firmware }) => isWeakFirmware(firmware))
    return {
      total: byStatus.reduce((sum, { cards }) => sum + cards, 0),
      byStatus,
      expiring,
      over,
      temporary,
      unfinished: await countUnfinished(tenancy),
      weakFirmware: weak.reduce((sum, { cards }) => sum + cards, 0),
    }
  },
}
